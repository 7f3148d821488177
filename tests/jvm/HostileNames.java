// SPDX-License-Identifier: Apache-2.0
import java.util.concurrent.locks.LockSupport;
import wick.Scope;
import wick.Wick;

/**
 * A program all of whose names would act on a terminal: escape sequences, C1 controls, characters that turn text around or
 * are not seen. A compiler would not have them in names of classes and methods: hostile_names.py puts them in place of
 * {@code EVIL__}. Prints {@code up} and works until it is killed.
 */
@SuppressWarnings("try")
public class HostileNames {
    static final String EVIL = "\u001b]0;owned\u0007\u001b[31m\u009b2J\u0085\u202e\u200b\u2066\ufeff\r\b\u007f";
    private static volatile long sink;

    static final class LockEVIL__ {
    }

    private static final Object LOCK = new LockEVIL__();

    static void spinEVIL__(long ms) {
        long x = sink;
        for (long end = System.nanoTime() + ms * 1_000_000; System.nanoTime() < end;) {
            for (int i = 0; i < 20_000; i++) {
                x = x * 31 + i;
            }
        }
        sink = x;
    }

    static void holdEVIL__() {
        synchronized (LOCK) {
            spinEVIL__(3);
        }
    }

    static void workEVIL__() {
        for (;;) {
            try (Scope request = Wick.span("GET /" + EVIL)) {
                holdEVIL__();
                LockSupport.parkNanos(LOCK, 1_000_000);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 2; i++) {
            Thread t = new Thread(HostileNames::workEVIL__);
            t.setName(EVIL + i);
            t.start();
        }
        // a virtual thread, where there are some, with a scope open while it waits
        try {
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
            Class<?> type = Class.forName("java.lang.Thread$Builder");
            type.getMethod("name", String.class).invoke(builder, EVIL);
            Runnable waits = () -> {
                for (;;) {
                    try (Scope request = Wick.span("GET /" + EVIL)) {
                        LockSupport.parkNanos(500_000_000);
                    }
                }
            };
            type.getMethod("start", Runnable.class).invoke(builder, waits);
        } catch (NoSuchMethodException e) {
            System.out.println("no virtual threads");
        }
        System.out.println("up");
    }
}
