/* SPDX-License-Identifier: Apache-2.0 */
package io.opentelemetry.context;

import java.util.function.Function;

/** It works, so that tests need no more than this. */
public interface ContextStorage {
    Scope attach(Context toAttach);

    Context current();

    default Context root() {
        return null;
    }

    static ContextStorage get() {
        return Threads.storage;
    }

    static void addWrapper(Function<? super ContextStorage, ? extends ContextStorage> wrapper) {
        Threads.storage = wrapper.apply(Threads.storage);
    }

    /** A context for each thread. */
    final class Threads implements ContextStorage {
        private static volatile ContextStorage storage = new Threads();
        private final ThreadLocal<Context> contexts = new ThreadLocal<>();

        @Override
        public Scope attach(Context next) {
            Context before = contexts.get();
            if (next == null || next == before) {
                return () -> { };
            }
            contexts.set(next);
            return () -> contexts.set(before);
        }

        @Override
        public Context current() {
            return contexts.get();
        }
    }
}
