/* SPDX-License-Identifier: Apache-2.0 */
package wick.servlet;

import java.io.IOException;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.FilterConfig;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;

import wick.Scope;

/**
 * Makes a span of each request: its endpoint is the method and the path, in which numbers and ids are "*". What an asynchronous request
 * does in other threads is not part of it.
 */
public final class JakartaFilter implements Filter {
    @Override
    public void init(FilterConfig config) {}

    @Override
    public void destroy() {}

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain) throws IOException, ServletException {
        if (!(request instanceof HttpServletRequest)) {
            chain.doFilter(request, response);
            return;
        }
        HttpServletRequest http = (HttpServletRequest) request;
        Scope span = Requests.open(http.getMethod(), http.getRequestURI(), http.getHeader("traceparent"));
        try {
            chain.doFilter(request, response);
        } finally {
            span.close();
        }
    }
}
