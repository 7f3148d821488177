// SPDX-License-Identifier: Apache-2.0
// healthy: two clerks wait in take() most of the time and then use both cores fully at one stroke, and main/house threads wait on a latch; but orders come in windows every 5 s, the work is necessary (sealing), is spread evenly over both cores and is done well inside the 4 s allowed.
// share: 24000 orders every 5 s, done in 691 ms (median, max 1576 ms) of 4000 allowed, none late; both cores busy until then, none otherwise.
// judge: any finding of trouble (idle threads, blocked queue, latch, CPU bursts, hashing too expensive) is WRONG, except a plain statement that SHA-256 takes the CPU time without calling it a fault.
// jdk: 8
// set: twenty-seventh
// jvm: -Xmx64m
import java.security.MessageDigest;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class ClearingWindows {
    static final long START = System.nanoTime();
    static final int SIZE = 24000, CHUNK = 200;
    static final BlockingQueue<Slice> desk = new ArrayBlockingQueue<Slice>(1000);

    static final class Window {
        final CountDownLatch open = new CountDownLatch(SIZE / CHUNK);
        final AtomicLong amount = new AtomicLong();
    }

    static final class Slice {
        final Window window;
        final int from;
        Slice(Window w, int from) { window = w; this.from = from; }
    }

    static void clerk() {
        try {
            MessageDigest sha = MessageDigest.getInstance("SHA-256");
            byte[] order = new byte[256];
            while (true) {
                Slice s = desk.take();
                long amount = 0;
                for (int i = s.from; i < s.from + CHUNK; i++) {
                    for (int k = 0; k < order.length; k++) order[k] = (byte) (i * 31 + k);
                    byte[] seal = order;
                    for (int r = 0; r < 110; r++) seal = sha.digest(seal);
                    amount += seal[0] & 0xff;
                }
                s.window.amount.addAndGet(amount);
                s.window.open.countDown();
            }
        } catch (Exception e) { throw new RuntimeException(e); }
    }

    static long settle() throws InterruptedException {
        long t = System.nanoTime();
        Window w = new Window();
        for (int i = 0; i < SIZE; i += CHUNK) desk.put(new Slice(w, i));
        w.open.await();
        return System.nanoTime() - t;
    }

    public static void main(String[] a) throws Exception {
        long span = Long.getLong("span", 170);
        for (int i = 0; i < 2; i++) {
            Thread t = new Thread("clerk-" + i) { public void run() { clerk(); } };
            t.setDaemon(true);
            t.start();
        }
        for (int i = 0; i < 3; i++) settle();
        final AtomicLong took = new AtomicLong(), windows = new AtomicLong(), late = new AtomicLong();
        System.out.println("READY");
        Thread house = new Thread("clearing-house") {
            public void run() {
                try {
                    long at = System.nanoTime();
                    while (true) {
                        long d = settle();
                        took.set(d);
                        windows.incrementAndGet();
                        if (d > 4000000000L) late.incrementAndGet();
                        at += 5000000000L;
                        long w = at - System.nanoTime();
                        if (w > 0) TimeUnit.NANOSECONDS.sleep(w);
                    }
                } catch (InterruptedException e) { }
            }
        };
        house.setDaemon(true);
        house.start();
        while (System.nanoTime() - START < span * 1000000000L) {
            Thread.sleep(1000);
            System.out.printf(Locale.ROOT, "measured: %d windows of %d orders settled, last took %.0f ms of 4000 allowed, %d late%n", windows.get(), SIZE, took.get() / 1e6, late.get());
        }
    }
}
