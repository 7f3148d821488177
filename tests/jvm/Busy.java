// SPDX-License-Identifier: Apache-2.0
import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongUnaryOperator;
import java.util.zip.Deflater;

/**
 * A busy program whose threads and stacks are known. Arguments: workers to run, from
 * {@code chain interp lambda zip kernel alloc spin=N deep=N stacks}. Prints {@code up}, then obeys lines on standard input, each answered
 * by one line:
 *
 * <pre>
 *   short N MS    N threads, named short-*, each for MS milliseconds of CPU time; answers their sum in nanoseconds
 *   native N MS   the same with threads that never attach (needs the native library, -Dnative=PATH)
 *   work WORKER   starts one more
 *   prof MS       owns SIGPROF from now on; profs: how many came
 *   exec N        runs N child processes
 *   idle N        starts N threads that sleep
 *   exit          System.exit      return: main returns      (others: error)
 * </pre>
 */
public class Busy {
    static volatile boolean stop;
    static volatile long sink;
    static volatile Object keep;

    static native int nativeThreads(int count, long ns);

    static native int ownSigprof(int ms);

    static native long sigprofs();

    static long mix(long x) {
        for (int i = 0; i < 400; i++) {
            x = Long.rotateLeft(x * 0x9e3779b97f4a7c15L + i, 17) ^ (x >>> 7);
        }
        return x;
    }

    static long gamma(long x) {
        return mix(x) + 1;
    }

    static long beta(long x) {
        return gamma(x) ^ 3;
    }

    static long alpha(long x) {
        return beta(x) * 5;
    }

    static void chain() {
        for (long x = 1; !stop; x++) {
            sink = alpha(x);
        }
    }

    static long interpLeaf(long x) {
        for (int i = 0; i < 50; i++) {
            x = x * 31 + i;
        }
        return x;
    }

    static long interpMiddle(long x) {
        return interpLeaf(x) + 1;
    }

    static void interp() {
        for (long x = 1; !stop; x++) {
            sink = interpMiddle(x);
        }
    }

    static void lambda() {
        LongUnaryOperator op = x -> mix(x) ^ 1;
        for (long x = 1; !stop; x++) {
            sink = op.applyAsLong(x);
        }
    }

    static void zip() {
        byte[] in = new byte[100_000], out = new byte[200_000];
        for (int i = 0; i < in.length; i++) {
            in[i] = (byte) (i * i >> 5);
        }
        Deflater d = new Deflater();
        while (!stop) {
            d.reset();
            d.setInput(in);
            d.finish();
            sink = d.deflate(out);
        }
    }

    static void kernel() throws Exception {
        byte[] buf = new byte[8000];
        try (FileInputStream in = new FileInputStream("/dev/zero")) {
            while (!stop) {
                sink = in.read(buf);
            }
        }
    }

    static void alloc() {
        Object[] ring = new Object[2000];
        for (int i = 0; !stop; i++) {
            ring[i % ring.length] = new byte[2000];
            keep = ring;
            if (i % 5000 == 0) {
                try {
                    Thread.sleep(20);
                } catch (InterruptedException e) {
                    return;
                }
            }
        }
    }

    /** A stack that is different each time: the bits of n decide the way. */
    static long left(long n, int depth) {
        return depth == 0 ? mix(n) : (n & 1) == 0 ? left(n >>> 1, depth - 1) + 1 : right(n >>> 1, depth - 1) + 2;
    }

    static long right(long n, int depth) {
        return depth == 0 ? mix(n) : (n & 1) == 0 ? left(n >>> 1, depth - 1) + 3 : right(n >>> 1, depth - 1) + 4;
    }

    static void stacks() {
        for (long n = 1; !stop; n++) {
            sink = left(n * 0x9e3779b97f4a7c15L, 60);
        }
    }

    static long deep(int depth, long x) {
        return depth == 0 ? mix(x) : deep(depth - 1, x) + 1;
    }

    interface Job {
        void run() throws Exception;
    }

    static Thread go(String name, Job job) {
        Thread t = new Thread(() -> {
            try {
                job.run();
            } catch (Exception e) {
                e.printStackTrace();
            }
        }, name);
        t.setDaemon(true);
        t.start();
        return t;
    }

    static void worker(String what) {
        String name = what.replaceAll("=.*", "");
        int n = what.contains("=") ? Integer.parseInt(what.replaceAll(".*=", "")) : 0;
        switch (name) {
            case "chain": go(name, Busy::chain); break;
            case "interp": go(name, Busy::interp); break;
            case "lambda": go(name, Busy::lambda); break;
            case "zip": go(name, Busy::zip); break;
            case "kernel": go(name, Busy::kernel); break;
            case "alloc": go(name, Busy::alloc); break;
            case "stacks": go(name, Busy::stacks); break;
            case "spin":
                for (int i = 0; i < n; i++) {
                    go("spin-" + i, Busy::chain);
                }
                break;
            case "deep":
                go(name, () -> {
                    for (long x = 0; !stop; x++) {
                        sink = deep(n, x);
                    }
                });
                break;
            default: throw new IllegalArgumentException(what);
        }
    }

    static long shortThreads(int count, long ms) throws Exception {
        com.sun.management.ThreadMXBean bean = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        AtomicLong sum = new AtomicLong();
        Thread[] pair = new Thread[2];
        for (int i = 0; i < count; i += 2) {
            for (int k = 0; k < 2; k++) {
                pair[k] = new Thread(() -> {
                    long x = 1, now;
                    while ((now = bean.getCurrentThreadCpuTime()) < ms * 1_000_000) {
                        x = mix(x);
                    }
                    sink = x;
                    sum.addAndGet(now);
                }, "short-" + i);
                pair[k].start();
            }
            pair[0].join();
            pair[1].join();
        }
        return sum.get();
    }

    static String obey(String[] w) throws Exception {
        switch (w[0]) {
            case "short": return "short " + shortThreads(Integer.parseInt(w[1]), Long.parseLong(w[2]));
            case "native": return "native " + nativeThreads(Integer.parseInt(w[1]), Long.parseLong(w[2]) * 1_000_000);
            case "work": worker(w[1]); return "work " + w[1];
            case "prof": return "prof " + ownSigprof(Integer.parseInt(w[1]));
            case "profs": return "profs " + sigprofs();
            case "exec":
                for (int i = 0; i < Integer.parseInt(w[1]); i++) {
                    if (new ProcessBuilder("/bin/true").start().waitFor() != 0) {
                        return "exec failed";
                    }
                }
                return "exec " + w[1];
            case "idle":
                for (int i = 0; i < Integer.parseInt(w[1]); i++) {
                    go("idle-" + i, () -> Thread.sleep(1_000_000));
                }
                return "idle " + w[1];
            case "exit":
                System.exit(0);
            default:
                return "error " + w[0];
        }
    }

    public static void main(String[] args) throws Exception {
        if (System.getProperty("native") != null) {
            System.load(System.getProperty("native"));
        }
        for (String a : args) {
            worker(a);
        }
        System.out.println("up");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = in.readLine()) != null && !line.equals("return"); ) {
            System.out.println(obey(line.trim().split(" ")));
        }
    }
}
