// SPDX-License-Identifier: Apache-2.0

import java.lang.instrument.ClassDefinition;
import java.lang.instrument.Instrumentation;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/**
 * Ten methods, each for a time of its own, of a class that is redefined before each of them runs and while it runs. Its own
 * agent (-javaagent). The command "go N" runs all of them N times; answered with the CPU time of each in nanoseconds.
 */
public class Redefines {
    static Instrumentation instrumentation;
    static final ThreadMXBean BEAN = ManagementFactory.getThreadMXBean();
    static volatile long sink;
    static volatile int redefined;

    public static void premain(String args, Instrumentation i) {
        instrumentation = i;
    }

    /** What is redefined. */
    static class Target {
        static long work(long ns) {
            long begin = BEAN.getCurrentThreadCpuTime(), now = begin;
            while (now - begin < ns) {
                for (int i = 0; i < 5000; i++) {
                    sink = Long.rotateLeft(sink * 0x9e3779b97f4a7c15L + i, 17);
                }
                now = BEAN.getCurrentThreadCpuTime();
            }
            return now - begin;
        }

        static long m0(long ns) { return work(ns); }
        static long m1(long ns) { return work(ns); }
        static long m2(long ns) { return work(ns); }
        static long m3(long ns) { return work(ns); }
        static long m4(long ns) { return work(ns); }
        static long m5(long ns) { return work(ns); }
        static long m6(long ns) { return work(ns); }
        static long m7(long ns) { return work(ns); }
        static long m8(long ns) { return work(ns); }
        static long m9(long ns) { return work(ns); }
    }

    static long call(int m, long ns) {
        switch (m) {
            case 0: return Target.m0(ns);
            case 1: return Target.m1(ns);
            case 2: return Target.m2(ns);
            case 3: return Target.m3(ns);
            case 4: return Target.m4(ns);
            case 5: return Target.m5(ns);
            case 6: return Target.m6(ns);
            case 7: return Target.m7(ns);
            case 8: return Target.m8(ns);
            default: return Target.m9(ns);
        }
    }

    static byte[] bytes() throws Exception {
        try (java.io.InputStream in = Redefines.class.getResourceAsStream("Redefines$Target.class")) {
            java.io.ByteArrayOutputStream out = new java.io.ByteArrayOutputStream();
            for (int b; (b = in.read()) >= 0;) {
                out.write(b);
            }
            return out.toByteArray();
        }
    }

    static void redefineForEver() {
        try {
            ClassDefinition same = new ClassDefinition(Target.class, bytes());
            while (true) {
                instrumentation.redefineClasses(same);
                redefined++;
                System.gc(); // unloads, which frees the methods of earlier versions
                Thread.sleep(20);
            }
        } catch (Throwable e) {
            e.printStackTrace();
        }
    }

    public static void main(String[] args) throws Exception {
        Thread redefiner = new Thread(Redefines::redefineForEver, "redefiner");
        redefiner.setDaemon(true);
        redefiner.start();
        System.out.println("up");
        java.io.BufferedReader in = new java.io.BufferedReader(new java.io.InputStreamReader(System.in));
        for (String line; (line = in.readLine()) != null;) {
            long[] used = new long[10];
            int before = redefined;
            for (int round = Integer.parseInt(line.split(" ")[1]); round > 0; round--) {
                for (int m = 0; m < 10; m++) {
                    used[m] += call(m, (5 + m) * 1_000_000L); // 5 to 14 ms, so that no two are alike
                }
            }
            StringBuilder out = new StringBuilder("went");
            for (long u : used) {
                out.append(' ').append(u);
            }
            System.out.println(out.append(' ').append(redefined - before));
        }
    }
}
