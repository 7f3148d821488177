// SPDX-License-Identifier: Apache-2.0
// cause: two workers poll a flag in a loop without a pause until there is work
// expect: hot-method frame=SpinWait.awaitWork
// symptom: hot-method hot-calls hot-code
// jdk: 21
// set: second
import java.util.concurrent.atomic.AtomicInteger;

public final class SpinWait {
    private static final AtomicInteger WORK = new AtomicInteger();
    private static volatile long done;

    private static void awaitWork() {
        while (WORK.get() == 0) {
            done += 0;
        }
    }

    private static void worker() {
        for (;;) {
            awaitWork();
            if (WORK.getAndSet(0) > 0) {
                done++;
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        for (int i = 0; i < 2; i++) {
            new Thread(SpinWait::worker, "worker-" + i).start();
        }
        System.out.println("READY");
        for (;;) {
            WORK.incrementAndGet();
            Thread.sleep(20);
        }
    }
}
