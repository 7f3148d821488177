// SPDX-License-Identifier: Apache-2.0
// cause: the JVM option -Xmn2m makes the young generation far too small (2 MB of 200 MB), so nearly every claim in progress (ClaimsDesk.Assessor.work) is promoted early, and the JVM does constant young collections and frequent full collections
// share: claims/s faulty and fixed in three pairs of runs, one after the other: 83,000-93,000 and 177,000-214,000 (window of 2,500), then, with the present window of 500, 85,000-97,000 and 159,000-479,000, 42,000-79,000 and 110,000-208,000; faulty 740-1020 ms GC per second (1-2 full, 100-300 young collections), fixed 100-420 ms (no full collections); one faulty run at heavier load 13,000
// judge: Named = the young generation is too small (-Xmn2m): premature promotion, constant young and full GCs; remove or raise -Xmn. Symptom only = "much GC / full GCs / high allocation rate", "heap too small" (the heap of 200 MB is big enough, only the young part is too small). Wrong = memory leak, allocation in one method as THE cause, locks, "raise -Xmx" as the only remedy.
// expect: jvm-option option=-Xmn
// symptom: gc-pauses gc-cpu promotion
// jdk: 8
// set: sixteenth
// jvm: -Xmx200m -XX:+UseParallelGC -Xmn2m
import java.io.*;
import java.lang.management.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class ClaimsDesk {
    static final LongAdder settled = new LongAdder();

    static class Policy {
        final int no; final String holder; final long[] limits = new long[12];
        Policy(int no) { this.no = no; holder = "Holder " + no; for (int i = 0; i < 12; i++) limits[i] = 1000L * (no % 50 + i); }
    }

    static class PolicyBook {
        final Map<Integer, Policy> byNo = new HashMap<Integer, Policy>();
        PolicyBook() { for (int i = 0; i < 150000; i++) byNo.put(i, new Policy(i)); }
        Policy find(int no) { return byNo.get(no % 150000); }
    }

    static class Item {
        final String text; final long cents;
        Item(String text, long cents) { this.text = text; this.cents = cents; }
    }

    static class Claim {
        final int no; final Policy policy; final List<Item> items = new ArrayList<Item>(); final byte[] scan;
        long granted;
        Claim(int no, Policy policy, Random rnd) {
            this.no = no;
            this.policy = policy;
            scan = new byte[600 + rnd.nextInt(800)];
            for (int i = 0, n = 5 + rnd.nextInt(12); i < n; i++) items.add(new Item("item " + i + " of claim " + no, rnd.nextInt(90000)));
        }
    }

    /** Takes claims in, keeps those under assessment in a window, and settles them in order. */
    static class Assessor implements Runnable {
        final PolicyBook book; final Random rnd; final ArrayDeque<Claim> window = new ArrayDeque<Claim>();
        int next;
        Assessor(PolicyBook book, int seed) { this.book = book; rnd = new Random(seed); next = seed * 1000; }
        public void run() { while (true) work(); }
        void work() {
            Claim c = new Claim(next, book.find(next++ & 0x7fffffff), rnd);
            assess(c);
            window.addLast(c);
            if (window.size() > 500) settle(window.removeFirst());
        }
        void assess(Claim c) {
            int i = 0;
            for (Item it : c.items) c.granted += Math.min(it.cents, c.policy.limits[i++ % 12]);
        }
        void settle(Claim c) {
            StringBuilder letter = new StringBuilder();
            letter.append("Hello ").append(c.policy.holder).append(", we grant ").append(c.granted).append(" cents for ");
            for (Item it : c.items) letter.append(it.text).append("; ");
            if (letter.length() > 10) settled.increment();
        }
    }

    static long gcMillis() {
        long sum = 0;
        for (GarbageCollectorMXBean b : ManagementFactory.getGarbageCollectorMXBeans()) sum += b.getCollectionTime();
        return sum;
    }

    /** For comparison runs. */
    static boolean relaunched() throws Exception {
        if (!Boolean.getBoolean("fixed") || !ManagementFactory.getRuntimeMXBean().getInputArguments().contains("-Xmn2m")) return false;
        final Process p = new ProcessBuilder(System.getProperty("java.home") + "/bin/java", "-Xmx200m", "-XX:+UseParallelGC", "-Dfixed=true",
            "-cp", System.getProperty("java.class.path"), "ClaimsDesk").inheritIO().start();
        Runtime.getRuntime().addShutdownHook(new Thread() { public void run() { p.destroy(); } });
        p.waitFor();
        return true;
    }

    public static void main(String[] args) throws Exception {
        if (relaunched()) return;
        PolicyBook book = new PolicyBook();
        for (int i = 0; i < 3; i++) {
            Thread t = new Thread(new Assessor(book, i + 1), "assessor-" + i);
            t.setDaemon(true);
            t.start();
        }
        for (int s = 0; s < 150; s++) {
            long d = settled.sum(), g = gcMillis();
            Thread.sleep(1000);
            System.out.println("measured: claims/s=" + (settled.sum() - d) + " gcMs=" + (gcMillis() - g));
            if (s == 4) System.out.println("READY");
        }
        System.exit(0);
    }
}
