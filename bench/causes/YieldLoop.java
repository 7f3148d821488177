// SPDX-License-Identifier: Apache-2.0
// cause: consumers poll for work in a loop with Thread.yield
// expect: hot-code kind=spinning frame=YieldLoop.next
// symptom: hot-method hot-calls
// jdk: 17
import java.util.concurrent.ConcurrentLinkedQueue;

public final class YieldLoop {
    private static final ConcurrentLinkedQueue<Integer> WORK = new ConcurrentLinkedQueue<>();
    private static volatile long done;

    private static int next() {
        Integer work;
        while ((work = WORK.poll()) == null) {
            Thread.yield();
        }
        return work;
    }

    private static void consume() {
        for (;;) {
            done += next();
        }
    }

    public static void main(String[] args) throws InterruptedException {
        for (int i = 0; i < 2; i++) {
            new Thread(YieldLoop::consume, "consumer-" + i).start();
        }
        System.out.println("READY");
        for (int i = 0;; i++) {
            Thread.sleep(20);
            WORK.add(i);
        }
    }
}
