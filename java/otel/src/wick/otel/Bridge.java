/* SPDX-License-Identifier: Apache-2.0 */
package wick.otel;

import io.opentelemetry.context.ContextStorage;

/**
 * Makes the spans of OpenTelemetry's API that are current in a thread known to the profiler. An SDK that is configured
 * automatically, as by the OpenTelemetry agent or Spring Boot's starter, finds {@link Start} in wick.jar; a program that builds its SDK
 * itself calls {@link #install} first.
 */
public final class Bridge {
    private static boolean installed;

    private Bridge() {}

    /**
     * To be called before the program's first use of a Context: later OpenTelemetry ignores wrappers of its storage
     * (and logs so at level FINE). Calls after the first do nothing, nor do any with -Dwick.otel=off.
     */
    public static synchronized void install() {
        if (!installed && isWanted()) {
            installed = true;
            ContextStorage.addWrapper(SpanStorage::new);
        }
    }

    private static boolean isWanted() {
        try {
            return !"off".equals(System.getProperty("wick.otel"));
        } catch (SecurityException e) {
            return true;
        }
    }
}
