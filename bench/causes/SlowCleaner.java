// SPDX-License-Identifier: Apache-2.0
// cause: files are not closed but left to a cleaner, whose action takes long
// expect: cleaners-behind
// jvm: -XX:+UseParallelGC
// jdk: 17
import java.lang.ref.Cleaner;

public final class SlowCleaner {
    private static final Cleaner CLEANER = Cleaner.create();
    private static volatile Object last;

    private static final class Handle {
        private final byte[] data = new byte[2048];

        Handle() {
            CLEANER.register(this, SlowCleaner::release);
        }
    }

    private static void release() {
        try {
            Thread.sleep(20); /* a round trip to give it back */
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws InterruptedException {
        System.out.println("READY");
        for (int i = 0;; i++) {
            last = new Handle();
            byte[] garbage = new byte[1 << 20];
            last = garbage.length > 0 ? last : null;
            Thread.sleep(10);
        }
    }
}
