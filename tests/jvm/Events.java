// SPDX-License-Identifier: Apache-2.0
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Does a little of everything the JDK's flight recorder has an event for; ends after the seconds given. */
public class Events {
    static final Object LOCK = new Object();
    static final List<byte[]> KEPT = new ArrayList<>();
    static volatile Object sink;
    static volatile long sum;

    static void burn() {
        for (int i = 0; i < 1_000_000; i++) sum += i * 31L;
    }

    static void allocate() {
        for (int i = 0; i < 2000; i++) sink = new byte[1000 + i];
        if (KEPT.size() < 10_000) KEPT.add(new byte[4000]);
    }

    /** Holds the lock for longer than the recorder's threshold of 10 ms. */
    static void hold() {
        synchronized (LOCK) {
            LockSupport.parkNanos(15_000_000);
        }
    }

    public static void main(String[] args) throws Exception {
        long end = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000_000L;
        Runnable[] work = {Events::burn, Events::allocate, Events::hold, Events::hold};
        Thread[] threads = new Thread[work.length];
        for (int i = 0; i < work.length; i++) {
            Runnable w = work[i];
            threads[i] = new Thread(() -> {
                while (System.nanoTime() < end) w.run();
            }, "worker-" + i);
            threads[i].start();
        }
        for (Thread t : threads) t.join();
    }
}
