/* SPDX-License-Identifier: Apache-2.0 */
package wick.servlet;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;

import wick.Scope;
import wick.Wick;

/** What the filters of both namespaces, javax and jakarta, have in common: names for endpoints, and the trace's id. */
final class Requests {
    /** Different endpoints in the life of the JVM: each is kept, and clients choose paths. */
    static final int MOST = 500;
    static final String OTHER = "[other]";
    private static final int SEGMENTS = 8;
    private static final int SEGMENT = 40;
    private static final int HEAD = "00-".length();
    private static final int TRACE = 32;

    private static final ConcurrentMap<String, String> NAMES = new ConcurrentHashMap<>();
    private static final AtomicInteger COUNT = new AtomicInteger();

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
        return Wick.span(bounded(endpoint(method, path)), traceOf(traceparent), null);
    }

    /** "GET /shop/*": segments that look like numbers, ids or texts of a user are the same for all. */
    static String endpoint(String method, String path) {
        StringBuilder out = new StringBuilder(isWord(method) ? method : "OTHER").append(' ');
        int end = path == null ? 0 : path.length();
        int at = 0;
        int segments = 0;
        while (at < end && path.charAt(at) == '/') {
            int next = at + 1;
            while (next < end && path.charAt(next) != '/') {
                next++;
            }
            if (segments++ == SEGMENTS) {
                return out.append("/**").toString();
            }
            int cut = path.indexOf(';', at);
            String segment = path.substring(at + 1, cut >= 0 && cut < next ? cut : next);
            out.append('/').append(isFixed(segment) ? segment : "*");
            at = next;
        }
        return segments == 0 ? out.append('/').toString() : out.toString();
    }

    private static boolean isWord(String method) {
        if (method == null || method.isEmpty() || method.length() > 10) {
            return false;
        }
        for (int i = 0; i < method.length(); i++) {
            if (method.charAt(i) < 'A' || method.charAt(i) > 'Z') {
                return false;
            }
        }
        return true;
    }

    /** A part of a route: letters, with dots, dashes and underscores between them, or a version such as v2. */
    private static boolean isFixed(String segment) {
        int n = segment.length();
        if (n > SEGMENT) {
            return false;
        }
        boolean version = n >= 2 && n <= 4 && segment.charAt(0) == 'v';
        for (int i = 0; i < n; i++) {
            char c = segment.charAt(i);
            boolean letter = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '.' || c == '-' || c == '_';
            if (!letter && !(version && i > 0 && c >= '0' && c <= '9')) {
                return false;
            }
        }
        return true;
    }

    /** The name itself, or that of all that come when there are too many. */
    static String bounded(String name) {
        String known = NAMES.get(name);
        if (known != null) {
            return known;
        }
        if (COUNT.get() >= MOST) {
            return OTHER;
        }
        known = NAMES.putIfAbsent(name, name);
        if (known == null) {
            COUNT.incrementAndGet();
        }
        return name;
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
