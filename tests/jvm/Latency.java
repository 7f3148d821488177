// SPDX-License-Identifier: Apache-2.0
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import wick.Scope;
import wick.Wick;

/**
 * Serves requests that wait for known reasons, and measures each itself. Prints {@code up}, waits for a line, serves, and
 * prints for each request
 *
 * <pre>
 *   request ENDPOINT INNER OUTER CPU
 * </pre>
 *
 * in nanoseconds: from within its span, around its span, and the CPU time of its thread within it; then {@code done}.
 */
@SuppressWarnings("try")
public class Latency {
    private static final ThreadMXBean CLOCK = ManagementFactory.getThreadMXBean();
    private static final Object LOCK = new Object();
    private static final int REQUESTS = 60;
    private static volatile boolean held, over;
    private static volatile long sink;

    interface Work {
        void run() throws InterruptedException;
    }

    /** A thread that serves requests of one endpoint, one at a time. */
    static final class Server extends Thread {
        private final String endpoint;
        private final Work before, work;
        private final List<String> lines = new ArrayList<>();

        Server(String endpoint, Work before, Work work) {
            super(endpoint);
            this.endpoint = endpoint;
            this.before = before;
            this.work = work;
        }

        @Override
        public void run() {
            try {
                for (int i = 0; i < REQUESTS; i++) {
                    before.run();
                    serve();
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        private void serve() throws InterruptedException {
            long inner, used, start = System.nanoTime();
            try (Scope request = Wick.span(endpoint)) {
                used = CLOCK.getCurrentThreadCpuTime();
                inner = System.nanoTime();
                work.run();
                inner = System.nanoTime() - inner;
                used = CLOCK.getCurrentThreadCpuTime() - used;
            }
            lines.add("request " + endpoint + " " + inner + " " + (System.nanoTime() - start) + " " + used);
        }
    }

    static void nothing() {
    }

    /** Uses so much CPU time, however long that takes. */
    static void compute(long ms) {
        long x = sink;
        for (long end = CLOCK.getCurrentThreadCpuTime() + ms * 1_000_000; CLOCK.getCurrentThreadCpuTime() < end;) {
            for (int i = 0; i < 20_000; i++) {
                x = x * 0x9e3779b97f4a7c15L + i;
            }
        }
        sink = x;
    }

    static void park(long ms) {
        for (long end = System.nanoTime() + ms * 1_000_000, left; (left = end - System.nanoTime()) > 0;) {
            LockSupport.parkNanos(left);
        }
    }

    static void untilHeld() throws InterruptedException {
        while (!held) {
            Thread.sleep(1);
        }
    }

    static void enter() {
        synchronized (LOCK) {
            sink++;
        }
    }

    /** Holds the monitor for a while, and again. */
    static void hold() {
        try {
            while (!over) {
                synchronized (LOCK) {
                    held = true;
                    Thread.sleep(25);
                    held = false;
                }
                Thread.sleep(3);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static void serveAll(Server... servers) throws InterruptedException {
        for (Server s : servers) {
            s.start();
        }
        for (Server s : servers) {
            s.join();
        }
        Arrays.stream(servers).forEach(s -> s.lines.forEach(System.out::println));
    }

    public static void main(String[] args) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        System.out.println("up");
        in.readLine();
        Thread holder = new Thread(Latency::hold, "holder");
        holder.start();
        serveAll(new Server("sleep", Latency::nothing, () -> Thread.sleep(20)),
                new Server("park", Latency::nothing, () -> park(20)),
                new Server("lock", Latency::untilHeld, Latency::enter));
        over = true;
        holder.join();
        serveAll(new Server("compute", Latency::nothing, () -> compute(10)),
                new Server("compute", Latency::nothing, () -> compute(10)),
                new Server("compute", Latency::nothing, () -> compute(10)));
        System.out.println("done");
        in.readLine(); // the recording is stopped in between
    }
}
