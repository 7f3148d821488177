// SPDX-License-Identifier: Apache-2.0
// cause: virtual threads sleep within synchronized, which pins their carriers, so that most of them get none
// expect: waiting kind=pinned
// symptom: waiting lock-contention
// jdk: 21
import java.util.concurrent.Executors;

public final class PinnedCarriers {
    private synchronized void call() throws InterruptedException {
        Thread.sleep(20);
    }

    private static void session() {
        PinnedCarriers own = new PinnedCarriers();
        try {
            for (;;) {
                own.call();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws InterruptedException {
        var executor = Executors.newVirtualThreadPerTaskExecutor();
        for (int i = 0; i < 100; i++) {
            executor.submit(PinnedCarriers::session);
        }
        System.out.println("READY");
        Thread.sleep(600_000);
    }
}
