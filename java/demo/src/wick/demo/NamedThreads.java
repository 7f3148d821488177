/* SPDX-License-Identifier: Apache-2.0 */
package wick.demo;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Makes daemon threads called {@code prefix-1}, {@code prefix-2} and so on: threads in a profile must be easy to
 * distinguish.
 */
final class NamedThreads implements ThreadFactory {
    private final String prefix;
    private final AtomicInteger count = new AtomicInteger();

    NamedThreads(String prefix) {
        this.prefix = prefix;
    }

    @Override
    public Thread newThread(Runnable work) {
        return daemon(prefix + "-" + count.incrementAndGet(), work);
    }

    /** A daemon thread of that name, not yet started. */
    static Thread daemon(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        return thread;
    }
}
