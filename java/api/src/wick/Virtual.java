/* SPDX-License-Identifier: Apache-2.0 */
package wick;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/** Virtual threads, on JVMs that have them. */
final class Virtual {
    private static final MethodHandle IS_VIRTUAL = find();

    private Virtual() {}

    private static MethodHandle find() {
        try {
            return MethodHandles.publicLookup().findVirtual(Thread.class, "isVirtual", MethodType.methodType(boolean.class));
        } catch (ReflectiveOperationException | RuntimeException e) {
            return null; // before JDK 21
        }
    }

    /** The id of a virtual thread, 0 for a platform thread. */
    @SuppressWarnings("deprecation") // threadId() is not in Java 8
    static long id(Thread thread) {
        try {
            return IS_VIRTUAL != null && (boolean) IS_VIRTUAL.invokeExact(thread) ? thread.getId() : 0;
        } catch (Throwable e) {
            return 0;
        }
    }
}
