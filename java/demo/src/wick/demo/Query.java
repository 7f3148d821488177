/* SPDX-License-Identifier: Apache-2.0 */
package wick.demo;

import java.util.HashMap;
import java.util.Map;

/**
 * The parameters of a request: non-negative whole numbers behind the question mark, {@code ?tasks=30&mib=50}.
 */
final class Query {
    private final Map<String, Integer> values = new HashMap<>();

    /**
     * @param text the part of the URL behind the question mark, or null
     * @throws IllegalArgumentException if it is not a list of name=number
     */
    Query(String text) {
        if (text == null || text.isEmpty()) {
            return;
        }
        for (String pair : text.split("&")) {
            int equals = pair.indexOf('=');
            if (equals <= 0) {
                throw new IllegalArgumentException("expected name=number, not \"" + pair + "\"");
            }
            values.put(pair.substring(0, equals), parse(pair, pair.substring(equals + 1)));
        }
    }

    private static int parse(String pair, String number) {
        try {
            return Integer.parseInt(number);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("expected name=number, not \"" + pair + "\"", e);
        }
    }

    /**
     * @param name a parameter
     * @param fallback its value if the request does not have it
     * @param max the largest value that the endpoint accepts
     * @return the value, between 0 and max
     * @throws IllegalArgumentException if the request has a value outside that range
     */
    int get(String name, int fallback, int max) {
        int value = values.getOrDefault(name, fallback);
        if (value < 0 || value > max) {
            throw new IllegalArgumentException(name + " must be between 0 and " + max);
        }
        return value;
    }
}
