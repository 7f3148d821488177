/* SPDX-License-Identifier: Apache-2.0 */
package wick.demo;

/**
 * One kind of work that the service does for a request. Implementations are called by many threads concurrently.
 */
interface Endpoint {
    /**
     * Does the work.
     *
     * @param query the parameters of the request
     * @return the body of the answer, one line of text
     * @throws UnsupportedOperationException if this JVM cannot do it; the message says why
     */
    String handle(Query query) throws Exception;
}
