// SPDX-License-Identifier: Apache-2.0
// cause: NumberRange.next guards a tiny counter with a fair ReentrantLock (new ReentrantLock(true)); with 8 counters competing, fairness forces a park/unpark hand-over and context switch for nearly every ticket instead of letting the running thread take the lock again.
// share: throughput 95,000-140,000 tickets/s vs 13,800,000/s fixed
// judge: Must name the contended ReentrantLock of TicketIssuer.NumberRange (next) and say that its fairness (FairSync / fair=true hand-over, thread switch per acquisition) is what costs. Only "lock contention in NumberRange.next" without fairness or forced hand-over/context switches counts as half at most; "high system CPU" alone does not count.
// set: eighteenth
// expect: waiting frame=NumberRange.next handed=0
// symptom: waiting lock-contention
// jdk: 25
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.concurrent.locks.ReentrantLock;

public class TicketIssuer {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final LongAdder issued = new LongAdder();
    static final LongAdder nanos = new LongAdder();

    record Ticket(long number, int event, int seat, String code) {}

    static final class NumberRange {
        private final ReentrantLock lock = new ReentrantLock(!FIXED);
        private final long[] perEvent = new long[64];
        private long next = 1_000_000;

        long next(int event) {
            lock.lock();
            try {
                perEvent[event]++;
                next += 1 + (next & 1);
                return next;
            } finally {
                lock.unlock();
            }
        }

        long sold(int event) {
            lock.lock();
            try {
                return perEvent[event];
            } finally {
                lock.unlock();
            }
        }
    }

    static final class CodeWriter {
        private static final char[] ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789".toCharArray();
        private final char[] buffer = new char[16];
        String write(long number, int event, int seat) {
            long v = number * 0x9E3779B97F4A7C15L ^ (long) event << 40 ^ seat;
            int check = 0;
            for (int i = 0; i < 15; i++) {
                int d = (int) (v >>> (i * 4) & 31);
                buffer[i] = ALPHABET[d];
                check += d * (i + 1);
            }
            buffer[15] = ALPHABET[check & 31];
            return new String(buffer);
        }
    }

    static final class Counter implements Runnable {
        private final NumberRange range;
        private final CodeWriter writer = new CodeWriter();
        private final Ticket[] recent = new Ticket[256];
        private int at;
        Counter(NumberRange range) { this.range = range; }

        @Override public void run() {
            ThreadLocalRandom r = ThreadLocalRandom.current();
            while (true) {
                long t0 = System.nanoTime();
                for (int i = 0; i < 50; i++) sell(r.nextInt(64), r.nextInt(20_000));
                nanos.add(System.nanoTime() - t0);
                issued.add(50);
            }
        }

        private void sell(int event, int seat) {
            long number = range.next(event);
            Ticket t = new Ticket(number, event, seat, writer.write(number, event, seat));
            recent[at++ & 255] = t;
            verify(t);
        }

        private void verify(Ticket t) {
            int sum = 0;
            for (int i = 0; i < t.code().length(); i++) sum = sum * 17 + t.code().charAt(i);
            if (sum == 0x7FFFFFFF) System.out.println("odd code " + t);
        }
    }

    public static void main(String[] args) throws Exception {
        NumberRange range = new NumberRange();
        for (int i = 0; i < 8; i++) {
            Thread t = new Thread(new Counter(range), "counter-" + i);
            t.setDaemon(true);
            t.start();
        }
        System.out.println("READY");
        for (int s = 0; s < 200; s++) {
            Thread.sleep(1000);
            long c = issued.sumThenReset(), n = nanos.sumThenReset();
            System.out.println("measured: tickets/s " + c + " mean us " + (c == 0 ? 0 : n / c) / 1000.0 + " event0 " + range.sold(0));
        }
        System.exit(0);
    }
}
