// SPDX-License-Identifier: Apache-2.0
// cause: the heap is nearly full: ClaimIntake$Recent.remember keeps the whole rendered document of the last claims where only the claim numbers are asked for, so full collections take most of the time
// share: faulty: 57,000 claims/s, 60 to 80 % of the time in GC, 39 to 44 MB used; fixed (numbers only): 158,000 claims/s, 9 to 20 % in GC; 2.8x
// judge: Names the cause: "old generation is nearly full after each full GC; retained objects come from ClaimIntake$Recent.remember / Intake.render (byte[] kept in a LinkedHashMap)", "heap too small for the live set, GC takes N % of the time" (half of it: the place of retention is the cause). Only symptom: "long/frequent safepoint or GC pauses", "GC threads take the CPU", "allocation in Intake.render". Wrong: "explicit System.gc", "allocation rate is too high" (the fixed run allocates more each second), a hot method in the application, lock contention.
// expect: live-set | gc-pauses class=byte[] | gc-pauses holder=ClaimIntake$Recent
// symptom: gc-pauses gc-cpu waiting
// jdk: 8
// set: fifteenth
// jvm: -XX:+UseParallelGC
import java.lang.management.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.LongAdder;

/** Takes in claims from branches, drops those sent twice and passes a rendered document on to the archive. */
public final class ClaimIntake {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final int REMEMBERED = 39_000;
    static final LongAdder taken = new LongAdder(), twice = new LongAdder(), archived = new LongAdder();

    static final class Claim {
        final long number;
        final int branch;
        final String policy, kind;
        final long cents;

        Claim(long number, int branch, String policy, String kind, long cents) {
            this.number = number;
            this.branch = branch;
            this.policy = policy;
            this.kind = kind;
            this.cents = cents;
        }
    }

    /** The last claims, to find those that a branch sends a second time. */
    static final class Recent {
        private static final byte[] SEEN = new byte[0];
        private final LinkedHashMap<Long, byte[]> documents = new LinkedHashMap<Long, byte[]>(1 << 16) {
            @Override protected boolean removeEldestEntry(Map.Entry<Long, byte[]> eldest) { return size() > REMEMBERED; }
        };

        boolean knows(long number) { return documents.containsKey(number); }

        void remember(long number, byte[] document) { documents.put(number, FIXED ? SEEN : document); }
    }

    static final class Intake implements Runnable {
        final BlockingQueue<Claim> queue;
        final Recent recent = new Recent();
        final StringBuilder page = new StringBuilder(2048);
        long checksum;

        Intake(BlockingQueue<Claim> queue) { this.queue = queue; }

        byte[] render(Claim c) {
            page.setLength(0);
            page.append("<claim number='").append(c.number).append("' branch='").append(c.branch).append("'>");
            page.append("<policy>").append(c.policy).append("</policy><kind>").append(c.kind).append("</kind>");
            for (int i = 0; i < 14; i++) {
                long part = (c.cents >>> i) % 10_000;
                page.append("<item pos='").append(i).append("'><amount>").append(part / 100).append('.').append(part % 100)
                    .append("</amount><tax>").append(part / 6).append("</tax></item>");
            }
            page.append("<total>").append(c.cents).append("</total></claim>");
            return page.toString().getBytes(StandardCharsets.ISO_8859_1);
        }

        void archive(byte[] document) {
            long sum = 1;
            for (byte b : document) sum = sum * 31 + b;
            checksum ^= sum;
            archived.add(document.length);
        }

        @Override public void run() {
            try {
                while (true) {
                    Claim c = queue.take();
                    if (recent.knows(c.number)) {
                        twice.increment();
                        continue;
                    }
                    byte[] document = render(c);
                    recent.remember(c.number, document);
                    archive(document);
                    taken.increment();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static final String[] KINDS = {"water", "fire", "glass", "theft", "storm", "liability"};

    static void branch(int id, BlockingQueue<Claim> queue) {
        SplittableRandom rnd = new SplittableRandom(id);
        try {
            for (long i = 0; ; i++) {
                long number = (i << 4) + id;
                Claim c = new Claim(number, id, "P-" + rnd.nextInt(10_000_000), KINDS[rnd.nextInt(KINDS.length)], rnd.nextInt(90_000_000));
                queue.put(c);
                if (rnd.nextInt(50) == 0) queue.put(c);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static long gcMillis() {
        long ms = 0;
        for (GarbageCollectorMXBean b : ManagementFactory.getGarbageCollectorMXBeans()) ms += b.getCollectionTime();
        return ms;
    }

    static void daemon(String name, Runnable r) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        BlockingQueue<Claim> queue = new ArrayBlockingQueue<>(2048);
        daemon("intake", new Intake(queue));
        for (int i = 0; i < 2; i++) {
            int id = i;
            daemon("branch-" + i, () -> branch(id, queue));
        }
        while (taken.sum() < REMEMBERED) Thread.sleep(20);      // the memory of the day before
        System.out.println("READY");
        long last = taken.sum(), lastGc = gcMillis(), lastAt = System.nanoTime();
        while (true) {
            Thread.sleep(1000);
            long n = taken.sum(), gc = gcMillis(), at = System.nanoTime();
            System.out.printf("measured: %.0f claims/s, %.0f %% of the time in GC, %d MB used%n", (n - last) * 1e9 / (at - lastAt),
                    (gc - lastGc) * 1e8 / (at - lastAt), (Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory()) >> 20);
            last = n;
            lastGc = gc;
            lastAt = at;
        }
    }
}
