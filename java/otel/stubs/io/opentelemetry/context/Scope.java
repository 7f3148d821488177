/* SPDX-License-Identifier: Apache-2.0 */
package io.opentelemetry.context;

public interface Scope extends AutoCloseable {
    @Override
    void close();
}
