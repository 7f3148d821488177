// SPDX-License-Identifier: Apache-2.0
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Threads that measure how long they live and what they do. Prints {@code up}, waits for a line {@code MS}, has them live for so many
 * milliseconds, and prints for each
 *
 * <pre>
 *   life THREAD INNER OUTER              from within run(), and from before its start to after its end
 *   part THREAD KIND NS                  by its own clock, CPU time by its CPU clock
 * </pre>
 *
 * in nanoseconds; then {@code done}.
 */
public class Parts {
    private static final ThreadMXBean CLOCK = ManagementFactory.getThreadMXBean();
    private static final Object LOCK = new Object();
    private static volatile long sink;

    /** What a thread does again and again, for some milliseconds. */
    enum Kind {
        SLEEP {
            @Override
            void spend(long ms) throws InterruptedException {
                Thread.sleep(ms);
            }
        },
        PARK {
            @Override
            void spend(long ms) {
                for (long end = System.nanoTime() + ms * 1_000_000, left; (left = end - System.nanoTime()) > 0;) {
                    LockSupport.parkNanos(left);
                }
            }
        },
        MONITOR {
            @Override
            void spend(long ms) {
                synchronized (LOCK) {
                    sink++;
                }
            }
        },
        CPU {
            @Override
            void spend(long ms) {
                long x = sink;
                for (long end = CLOCK.getCurrentThreadCpuTime() + ms * 1_000_000; CLOCK.getCurrentThreadCpuTime() < end;) {
                    for (int i = 0; i < 20_000; i++) {
                        x = x * 0x9e3779b97f4a7c15L + i;
                    }
                }
                sink = x;
            }
        };

        abstract void spend(long ms) throws InterruptedException;
    }

    static final class Living extends Thread {
        private final long lifeMs;
        private final Kind[] kinds;
        private final long[] spent = new long[Kind.values().length];
        private long begin, inner, outer;

        Living(String name, long lifeMs, Kind... kinds) {
            super(name);
            this.lifeMs = lifeMs;
            this.kinds = kinds;
        }

        @Override
        public void run() {
            long from = System.nanoTime();
            try {
                while (System.nanoTime() - from < lifeMs * 1_000_000) {
                    for (Kind kind : kinds) {
                        long start = System.nanoTime();
                        kind.spend(20);
                        spent[kind.ordinal()] += System.nanoTime() - start;
                    }
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            spent[Kind.CPU.ordinal()] = CLOCK.getCurrentThreadCpuTime();
            inner = System.nanoTime() - from;
        }
    }

    /** Has the monitor for most of the time. */
    private static void hold() {
        try {
            while (true) {
                synchronized (LOCK) {
                    Thread.sleep(25);
                }
                Thread.sleep(3);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        Thread holder = new Thread(Parts::hold, "holder");
        holder.setDaemon(true);
        holder.start();
        System.out.println("up");
        long ms = Long.parseLong(in.readLine());
        List<Living> all = new ArrayList<>();
        all.add(new Living("sleeps", ms, Kind.SLEEP));
        all.add(new Living("parks", ms, Kind.PARK));
        all.add(new Living("enters", ms, Kind.MONITOR));
        all.add(new Living("computes", ms, Kind.CPU));
        all.add(new Living("mixes", ms, Kind.values()));
        all.add(new Living("briefly", ms / 2, Kind.values()));
        for (Living l : all) {
            l.begin = System.nanoTime();
            l.start();
        }
        for (Living l : all) {
            l.join();
            l.outer = System.nanoTime() - l.begin;
        }
        for (Living l : all) {
            System.out.println("life " + l.getName() + " " + l.inner + " " + l.outer);
            for (Kind kind : Kind.values()) {
                System.out.println("part " + l.getName() + " " + kind + " " + l.spent[kind.ordinal()]);
            }
        }
        System.out.println("done");
        in.readLine(); // the recording is stopped in between
    }
}
