// SPDX-License-Identifier: Apache-2.0
// cause: virtual threads wait for a slow call within synchronized, so few of them go on
// expect: waiting kind=pinned | waiting frame=VirtualSynchronized.load
// symptom: waiting
// jdk: 21
// set: third
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

public final class VirtualSynchronized {
    private static volatile int loaded;

    private static void load(Object account) {
        synchronized (account) {
            try {
                Thread.sleep(30); /* the store answers */
                loaded++;
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        System.out.println("READY");
        try (ExecutorService each = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 200; i++) {
                each.submit(() -> {
                    Object account = new Object();
                    for (;;) {
                        load(account);
                    }
                });
            }
        }
    }
}
