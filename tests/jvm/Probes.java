// SPDX-License-Identifier: Apache-2.0
import java.util.Scanner;
import java.util.concurrent.CountDownLatch;
import wick.Scope;
import wick.Wick;

/**
 * What static probes show. Prints {@code up}, then obeys lines on standard input and answers each with {@code done}:
 *
 * <pre>
 *   spans N   N spans with a label, each with a span inside
 *   work      allocates 64 MiB, waits for a monitor, and has the collector wait for a thread
 * </pre>
 */
@SuppressWarnings("try")
public class Probes {
    static final Object door = new Door();
    static volatile Object kept;
    static volatile int sink;

    static class Door {}

    static void spans(int n) {
        for (int i = 0; i < n; i++) {
            try (Scope outer = Wick.span("GET /probe", 7, 1000 + i); Scope who = Wick.label("customer", "big")) {
                try (Scope inner = Wick.span("load")) {
                    sink++;
                }
            }
        }
    }

    static void allocate() {
        for (int i = 0; i < 64 << 10; i++) {
            kept = i % 2 == 0 ? new byte[1024] : new long[128];
        }
    }

    static void contend() throws InterruptedException {
        CountDownLatch held = new CountDownLatch(1);
        Thread owner = new Thread(() -> {
            synchronized (door) {
                held.countDown();
                try {
                    Thread.sleep(50);
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
        });
        owner.start();
        held.await();
        synchronized (door) {
            sink++;
        }
        owner.join();
    }

    /** A counted loop: where loops are not cut in strips there is no poll in it. */
    static int countedLoop(int n, int x) {
        for (int i = 0; i < n; i++) {
            x ^= x << 13;
            x ^= x >>> 17;
            x ^= x << 5;
        }
        return x;
    }

    static void slow() throws InterruptedException {
        CountDownLatch runs = new CountDownLatch(1);
        Thread loop = new Thread(() -> {
            runs.countDown();
            sink = countedLoop(200_000_000, 1);
        });
        loop.start();
        runs.await();
        System.gc();
        loop.join();
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 300; i++) {
            sink = countedLoop(20_000, i + 1);
        }
        System.out.println("up");
        Scanner in = new Scanner(System.in);
        while (in.hasNext()) {
            if (in.next().equals("spans")) {
                spans(in.nextInt());
            } else {
                allocate();
                contend();
                slow();
            }
            System.out.println("done");
        }
    }
}
