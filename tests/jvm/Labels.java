// SPDX-License-Identifier: Apache-2.0
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import wick.Context;
import wick.Scope;
import wick.Wick;

/**
 * A program that labels what it does and knows how much CPU time each label used. Prints {@code up}, then obeys lines on
 * standard input, each answered by one line:
 *
 * <pre>
 *   shares MS          one thread, for so much CPU time; CPU nanoseconds of customer=big, customer=small, no customer, all in GET /shares
 *   pool MS            the same with tasks in a wrapped pool; CPU nanoseconds of tasks of GET /a, of GET /b, of bare tasks
 *   virtual N PIECES   N virtual threads that move between carriers; equal pieces of work of GET /even and GET /odd
 *   churn THREADS N    each opens and closes N spans; answers how many were closed
 *   vchurn N           the same with N virtual threads, one span each
 *   torn MS            spans whose parts depend on each other, for so much CPU time
 *   bounds             too many of everything
 *   open N MS          N threads that have ended a request each and are in the next one, for so long
 *   misuse             scopes closed twice, by others, in the wrong order
 * </pre>
 */
@SuppressWarnings("try")
public class Labels {
    private static final ThreadMXBean CLOCK = ManagementFactory.getThreadMXBean();
    static volatile long sink;

    static long cpu() {
        return CLOCK.getCurrentThreadCpuTime();
    }

    static void burn(long micros) {
        long end = System.nanoTime() + micros * 1000;
        long x = sink;
        while (System.nanoTime() < end) {
            for (int i = 0; i < 200; i++) {
                x = x * 0x9e3779b97f4a7c15L + i;
            }
        }
        sink = x;
    }

    /** Works until the thread has used so much CPU time. */
    static void burnCpu(long ms) {
        for (long end = cpu() + ms * 1_000_000; cpu() < end;) {
            burn(1000);
        }
    }

    /**
     * Uses so much CPU time, half of it to half as much again. By the wall clock, a thread that had to wait for a processor would be
     * done when it gets one, and what comes next would begin with its time slice, where the kernel's tick is and so the first sample
     * a whole interval away; and a length that is always the same could go in step with the samples.
     */
    static void use(long micros, Random random) {
        long end = cpu() + micros * (500 + random.nextInt(1000));
        long x = sink;
        while (cpu() < end) {
            for (int i = 0; i < 2000; i++) {
                x = x * 0x9e3779b97f4a7c15L + i;
            }
        }
        sink = x;
    }

    static String shares(long ms) {
        Random random = new Random(1);
        long[] used = new long[3];
        long end = cpu() + ms * 1_000_000;
        for (long n = 1; cpu() < end; n++) {
            try (Scope request = Wick.span("GET /shares", n, n)) {
                long begin = cpu();
                long big;
                long small;
                // What it takes to put a label in force and to take it back is nobody's: while nothing is compiled yet that is tens of
                // microseconds, and on a crowded machine, where a phase gets little CPU time, a tenth of all.
                try (Scope who = Wick.label("customer", "big")) {
                    long a = cpu();
                    use(3000, random);
                    big = cpu() - a;
                }
                try (Scope who = Wick.label("customer", "small")) {
                    long a = cpu();
                    use(1500, random);
                    small = cpu() - a;
                }
                use(500, random);
                used[0] += big;
                used[1] += small;
                used[2] += cpu() - begin - big - small;
            }
        }
        return used[0] + " " + used[1] + " " + used[2];
    }

    static String pool(long ms) throws Exception {
        ExecutorService bare = Executors.newFixedThreadPool(2);
        ExecutorService pool = Wick.wrap(bare);
        AtomicLong[] used = {new AtomicLong(), new AtomicLong(), new AtomicLong()};
        for (int n = 1; used[0].get() + used[1].get() + used[2].get() < ms * 1_000_000; n++) {
            int which = n % 3;
            Callable<Integer> work = () -> {
                long a = cpu();
                use(4000, ThreadLocalRandom.current());
                used[which].addAndGet(cpu() - a);
                return which;
            };
            Future<?> done;
            if (which == 2) {
                done = bare.submit(work);
            } else {
                try (Scope request = Wick.span(which == 0 ? "GET /a" : "GET /b", 77, n)) {
                    done = pool.submit(work);
                }
            }
            done.get();
        }
        bare.shutdown();
        return used[0] + " " + used[1] + " " + used[2];
    }

    /** A factory of virtual threads; compiled for Java 8, so by name. */
    static ThreadFactory virtualThreads() throws Exception {
        Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
        return (ThreadFactory) Class.forName("java.lang.Thread$Builder").getMethod("factory").invoke(builder);
    }

    static String virtual(int n, long pieces) throws Exception {
        ThreadFactory factory = virtualThreads();
        AtomicLong[] done = {new AtomicLong(), new AtomicLong()};
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            int me = i;
            Thread t = factory.newThread(() -> {
                // an odd thread does two pieces of work for each of an even one; each piece costs the same
                for (long k = 1; done[0].get() + done[1].get() < pieces; k++) {
                    try (Scope request = Wick.span(me % 2 == 0 ? "GET /even" : "GET /odd", me + 1, k)) {
                        for (int piece = 0; piece <= me % 2; piece++) {
                            count(done[me % 2]);
                            Thread.sleep(1); // the next piece may run on another carrier
                        }
                    } catch (InterruptedException e) {
                        return;
                    }
                }
            });
            t.start();
            threads.add(t);
        }
        for (Thread t : threads) {
            t.join();
        }
        return done[0] + " " + done[1];
    }

    /** A fixed amount of work: a virtual thread has no CPU clock. */
    static void count(AtomicLong done) {
        long x = sink;
        for (int i = 0; i < 300_000; i++) {
            x = x * 0x9e3779b97f4a7c15L + i;
        }
        sink = x;
        done.incrementAndGet();
    }

    static String churn(int threads, long n) throws Exception {
        List<Thread> all = new ArrayList<>();
        AtomicLong closed = new AtomicLong();
        long begin = System.nanoTime();
        for (int i = 0; i < threads; i++) {
            Thread t = new Thread(() -> {
                for (long k = 1; k <= n; k++) {
                    try (Scope s = Wick.span("churn", k, k)) {
                        sink = k;
                    }
                }
                closed.addAndGet(n);
            });
            t.start();
            all.add(t);
        }
        for (Thread t : all) {
            t.join();
        }
        return closed + " in " + (System.nanoTime() - begin) / 1_000_000 + " ms";
    }

    static String vchurn(int n) throws Exception {
        ThreadFactory factory = virtualThreads();
        List<Thread> all = new ArrayList<>();
        AtomicLong closed = new AtomicLong();
        for (int i = 1; i <= n; i++) {
            long id = i;
            Thread t = factory.newThread(() -> {
                try (Scope s = Wick.span("vchurn", id, id)) {
                    Thread.yield();
                }
                closed.incrementAndGet();
            });
            t.start();
            all.add(t);
        }
        for (Thread t : all) {
            t.join();
        }
        return closed + " virtual";
    }

    static String torn(long ms) {
        String[] names = new String[40];
        String[] values = new String[40];
        for (int i = 0; i < 40; i++) {
            names[i] = "op-" + i;
            values[i] = "v-" + i;
        }
        long end = cpu() + ms * 1_000_000;
        long n = 0;
        for (int round = 0; cpu() < end; round++) {
            for (int i = 0; i < 40; i++) {
                try (Scope a = Wick.activate(names[i], 1000 + i, 2000 + i, 3000 + i); Scope b = Wick.label("v", values[i])) {
                    try (Scope c = Wick.activate("inner", 0, 0, 5000 + i)) {
                        sink += i;
                    }
                    sink -= i;
                    n++;
                }
            }
        }
        return n + " scopes";
    }

    static String bounds() {
        List<Scope> open = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            open.add(Wick.span("deep-" + i, 9, 100 + i));
            open.add(Wick.label("key-" + i, "value"));
        }
        burnCpu(300);
        for (int i = open.size(); i-- > 0;) {
            open.get(i).close();
        }
        StringBuilder longer = new StringBuilder();
        for (int i = 0; i < 500; i++) {
            longer.append("0123456789");
        }
        try (Scope s = Wick.span(longer.toString(), "zz", "not hexadecimal"); Scope l = Wick.label(longer.toString(), "x,y=z\\")) {
            burnCpu(100);
        }
        for (int i = 0; i < 70_000; i++) {
            Wick.label("n", "value-" + i).close();
        }
        try (Scope s = Wick.span("", (String) null, null); Scope l = Wick.label("customer", null)) {
            burn(1000);
        }
        return "bounds";
    }

    static String open(int n, long ms) throws Exception {
        java.util.concurrent.CountDownLatch in = new java.util.concurrent.CountDownLatch(n);
        for (int i = 0; i < n; i++) {
            Thread t = new Thread(() -> {
                try (Scope request = Wick.span("GET /open")) {
                    burnCpu(1);
                }
                try (Scope request = Wick.span("GET /open"); Scope inner = Wick.span("inner")) {
                    in.countDown();
                    Thread.sleep(ms);
                } catch (InterruptedException e) {
                    return;
                }
            });
            t.setDaemon(true);
            t.start();
        }
        in.await();
        return "" + n;
    }

    static String misuse() throws Exception {
        Scope outer = Wick.span("outer", 1, 1);
        Scope inner = Wick.span("inner", 1, 2);
        Thread other = new Thread(outer::close);
        other.start();
        other.join();
        outer.close(); // also ends inner
        Scope next = Wick.span("next", 1, 3);
        inner.close();
        inner.close();
        outer.close();
        burnCpu(200); // in next
        next.close();
        Context none = Wick.capture();
        try (Scope s = none.attach()) {
            burnCpu(100); // in nothing
        }
        return "misuse";
    }

    static String obey(String[] word) throws Exception {
        switch (word[0]) {
        case "shares":
            return "shares " + shares(Long.parseLong(word[1]));
        case "pool":
            return "pool " + pool(Long.parseLong(word[1]));
        case "virtual":
            return "virtual " + virtual(Integer.parseInt(word[1]), Long.parseLong(word[2]));
        case "churn":
            return "churn " + churn(Integer.parseInt(word[1]), Long.parseLong(word[2]));
        case "vchurn":
            return "vchurn " + vchurn(Integer.parseInt(word[1]));
        case "torn":
            return "torn " + torn(Long.parseLong(word[1]));
        case "bounds":
            return bounds();
        case "open":
            return "open " + open(Integer.parseInt(word[1]), Long.parseLong(word[2]));
        case "misuse":
            return misuse();
        case "recording":
            return "recording " + Wick.isRecording();
        default:
            return "unknown";
        }
    }

    public static void main(String[] args) throws Exception {
        Wick.isRecording();
        System.out.println("up");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = in.readLine()) != null && !line.equals("exit");) {
            System.out.println("answer " + obey(line.split(" ")));
        }
    }
}
