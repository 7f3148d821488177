// SPDX-License-Identifier: Apache-2.0
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Does a little of everything the JDK's flight recorder has an event for; ends after the seconds given, on a busy machine when the
 * two threads that compute have each had a quarter of them as CPU time, so that they are sampled.
 */
public class Events {
    static final Object LOCK = new Object();
    static final List<byte[]> KEPT = new ArrayList<>();
    static volatile Object sink;
    static volatile long sum;
    static final AtomicInteger computing = new AtomicInteger(2);

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

    static void compute(Runnable work, long end, long cpuNanos) {
        ThreadMXBean clock = ManagementFactory.getThreadMXBean();
        while (System.nanoTime() < end || clock.getCurrentThreadCpuTime() < cpuNanos) work.run();
        computing.decrementAndGet();
    }

    static void holdAgain() {
        while (computing.get() > 0) hold();
    }

    public static void main(String[] args) throws Exception {
        long nanos = Long.parseLong(args[0]) * 1_000_000_000L, end = System.nanoTime() + nanos;
        Runnable[] work = {() -> compute(Events::burn, end, nanos / 4), () -> compute(Events::allocate, end, nanos / 4),
                           Events::holdAgain, Events::holdAgain};
        Thread[] threads = new Thread[work.length];
        for (int i = 0; i < work.length; i++) {
            threads[i] = new Thread(work[i], "worker-" + i);
            threads[i].start();
        }
        for (Thread t : threads) t.join();
    }
}
