// SPDX-License-Identifier: Apache-2.0
// cause: ReefSurvey$Section.roughness is one counted int loop of some 100 ms without a safepoint poll (C2 of JDK 8), so that each young collection of the quoting threads waits for its end
// share: medians of 1 s on a busy machine of 2 CPUs: 1977 quotes/s, mean 0.62 ms, longest 233.20 ms, 6 sections; with -Dfixed=true: 3879 quotes/s, mean 0.04 ms, longest 17.30 ms, 7 sections
// expect: late-safepoints frame=Section.roughness
// symptom: gc-pauses | hot-method
// judge: NAMED: threads slow to reach safepoints (late-safepoints), the surveyor thread in Section.roughness; SYMPTOM ONLY: collections/GC pauses, computing in Section.roughness as the hot method; WRONG: larger heap, too few CPUs, locks
// jdk: 8
// set: twenty-eighth
// jvm: -Xmx64m -XX:+UseSerialGC
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

public class ReefSurvey {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final long SPAN = Long.getLong("span", 170) * 1000000000L;
    static final LongAdder quotes = new LongAdder(), nanos = new LongAdder(), sections = new LongAdder();
    static final AtomicLong longest = new AtomicLong();
    static volatile int shown;

    /** Soundings of one strip of the reef. */
    static final class Section {
        final int[] depth = new int[1 << 16];

        Section(long seed) {
            Random r = new Random(seed);
            for (int i = 0; i < depth.length; i++) depth[i] = r.nextInt(9000);
        }

        int roughness(int from, int to, int start) {
            int sum = start;
            int[] d = depth;
            int mask = d.length - 1;
            for (int i = from; i < to; i++) {
                sum = sum * 31 + (d[(i * 73) & mask] >>> 2 ^ i);
            }
            return sum;
        }
    }

    static final class Grader {
        final int soundings;

        Grader(int soundings) {
            this.soundings = soundings;
        }

        int grade(Section section) {
            if (!FIXED) return section.roughness(0, soundings, 17);
            int sum = 17;
            long at = 0;
            while (at < soundings) {
                long next = Math.min(soundings, at + 20000);
                sum = section.roughness((int) at, (int) next, sum);
                at = next;
            }
            return sum;
        }
    }

    static final class Surveyor implements Runnable {
        final List<Section> reef = new ArrayList<>();
        final Grader grader;
        final long until;

        Surveyor(Grader grader, long until) {
            this.grader = grader;
            this.until = until;
            for (int i = 0; i < 8; i++) reef.add(new Section(i));
        }

        public void run() {
            int n = 0;
            while (System.nanoTime() < until) {
                shown = grader.grade(reef.get(n++ & 7));
                sections.increment();
                LockSupport.parkNanos(5000000);
            }
        }
    }

    /** One charter request: a list of legs with the prices. */
    static final class Quote {
        final List<String> legs = new ArrayList<>();
        int cents;

        void leg(int nr, Random r) {
            int price = 900 + r.nextInt(5000);
            legs.add("leg " + nr + " to buoy " + r.nextInt(400) + " at " + price);
            cents += price;
        }
    }

    static final class Desk implements Runnable {
        final long until;
        final Random random;

        Desk(long until, long seed) {
            this.until = until;
            this.random = new Random(seed);
        }

        public void run() {
            while (System.nanoTime() < until) {
                long t = System.nanoTime();
                Quote q = new Quote();
                for (int i = 0; i < 60; i++) q.leg(i, random);
                byte[] page = new byte[48000];
                page[q.cents % page.length] = 1;
                shown += page[5];
                long took = System.nanoTime() - t;
                quotes.increment();
                nanos.add(took);
                longest.accumulateAndGet(took, Math::max);
                LockSupport.parkNanos(700000);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        long t0 = System.nanoTime(), until = t0 + SPAN;
        Grader small = new Grader(200000);
        Section s = new Section(99);
        for (int i = 0; i < 3000; i++) shown += small.grade(s);
        Thread a = new Thread(new Surveyor(new Grader(80000000), until), "surveyor");
        a.start();
        for (int i = 0; i < 4; i++) new Thread(new Desk(until, i), "desk-" + i).start();
        Thread.sleep(1500);
        System.out.println("READY");
        quotes.sumThenReset();
        nanos.sumThenReset();
        sections.sumThenReset();
        while (System.nanoTime() < until) {
            Thread.sleep(1000);
            long n = quotes.sumThenReset();
            System.out.printf("measured: %d quotes/s, mean %.2f ms, longest %.1f ms, %d sections%n", n,
                    nanos.sumThenReset() / 1e6 / Math.max(1, n), longest.getAndSet(0) / 1e6, sections.sumThenReset());
        }
    }
}
