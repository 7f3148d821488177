/* SPDX-License-Identifier: Apache-2.0 */
package wick.servlet;

import wick.Scope;
import wick.Wick;
import wick.bridge.Endpoints;

/** What the filters of both namespaces, javax and jakarta, have in common. */
final class Requests {
    private static final int HEAD = "00-".length();
    private static final int TRACE = 32;

    private Requests() {}

    /** Whether requests are to be labelled at all: not with -Dwick.servlet=off. */
    static boolean isWanted() {
        try {
            return !"off".equals(System.getProperty("wick.servlet"));
        } catch (SecurityException e) {
            return true;
        }
    }

    /** A span for a request. @param traceparent W3C's header, or null */
    static Scope open(String method, String path, String traceparent) {
        return Wick.span(Endpoints.ofRequest(method, path), traceOf(traceparent), null);
    }

    /** The trace's id in "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", null: there is none. */
    static String traceOf(String traceparent) {
        if (traceparent == null || traceparent.length() < HEAD + TRACE + 1 || traceparent.charAt(2) != '-'
                || traceparent.charAt(HEAD + TRACE) != '-') {
            return null;
        }
        boolean zero = true;
        for (int i = HEAD; i < HEAD + TRACE; i++) {
            char c = traceparent.charAt(i);
            if (!(c >= '0' && c <= '9' || c >= 'a' && c <= 'f')) {
                return null;
            }
            zero &= c == '0';
        }
        return zero ? null : traceparent.substring(HEAD, HEAD + TRACE);
    }
}
