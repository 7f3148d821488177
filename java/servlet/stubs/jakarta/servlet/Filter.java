/* SPDX-License-Identifier: Apache-2.0 */
package jakarta.servlet;

import java.io.IOException;

public interface Filter {
    void init(FilterConfig config) throws ServletException;

    void doFilter(ServletRequest request, ServletResponse response, FilterChain chain) throws IOException, ServletException;

    void destroy();
}
