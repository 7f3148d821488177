/* SPDX-License-Identifier: Apache-2.0 */
package jakarta.servlet;

public interface ServletContext {
    FilterRegistration.Dynamic addFilter(String name, Filter filter);
}
