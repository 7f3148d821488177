/* SPDX-License-Identifier: Apache-2.0 */
package wick.bridge;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Names of endpoints, made of what clients send, so there must not be many. For wick's own bridges to servlets and OpenTelemetry; no
 * interface of its own.
 */
public final class Endpoints {
    /** Different endpoints in the life of the JVM: each is kept, and clients choose paths. */
    private static final int MOST = 500;
    private static final String OTHER = "[other]";
    private static final int SEGMENTS = 8;
    private static final int SEGMENT = 40;

    private static final Endpoints SHARED = new Endpoints(MOST);

    private final ConcurrentMap<String, String> names = new ConcurrentHashMap<>();
    private final AtomicInteger count = new AtomicInteger();
    private final int most;

    /** A set of at most so many names. */
    public Endpoints(int most) {
        this.most = most;
    }

    /** "GET /shop/*", one of at most 500 in this JVM, "[other]" beyond. */
    public static String ofRequest(String method, String path) {
        return SHARED.bounded(endpoint(method, path));
    }

    /** "GET /shop/{item}", with a route that the program has declared; one of the same 500. */
    public static String ofRoute(String method, String route) {
        return SHARED.bounded((isWord(method) ? method : "OTHER") + ' ' + route);
    }

    /** "GET /shop/*": segments that look like numbers, ids or texts of a user are the same for all. */
    private static String endpoint(String method, String path) {
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
    public String bounded(String name) {
        String known = names.get(name);
        if (known != null) {
            return known;
        }
        if (count.get() >= most) {
            return OTHER;
        }
        known = names.putIfAbsent(name, name);
        if (known == null) {
            count.incrementAndGet();
            return name;
        }
        return known;
    }
}
