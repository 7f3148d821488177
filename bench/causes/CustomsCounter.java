// SPDX-License-Identifier: Apache-2.0
// cause: CustomsCounter$Hall.submit unparks the wrong thread: Hall.duty has only the officer that began last, whatever lane a declaration is put into, so the officers of the other lanes find theirs only when their own parkNanos of 60 ms in CustomsCounter$Lane.next runs out, and the agents stay parked in CustomsCounter$Declaration.awaitStamp
// share: 21 ms for each declaration, of which 0.02 ms are work; all 14 agents are parked nearly all of the time, the program uses 0.04 CPUs
// expect: waiting frame=CustomsCounter$Declaration.awaitStamp holder=hardly_any_thread | waiting frame=CustomsCounter$Lane.next
// symptom: waiting
// judge: NAMED: waiting parked (LockSupport.park, or a reply of another thread, kind park) at CustomsCounter$Declaration.awaitStamp, with it said, or at least not denied, that nobody works in the meantime or that they wait for each other; or that these waits end by the time-out (parkNanos, timed-park) of CustomsCounter$Lane.next, i.e. nothing wakes the officers. SYMPTOM ONLY: a neutral "time goes to" park at awaitStamp without more; the agents wait for a reply, or officers rest in a timer, as if somebody wanted it so. WRONG: the officers compute too long (Officer.stamp), too few officers (pool-busy), a lock, CPU, collections.
// jdk: 21
// set: thirty-third
// jvm: -Xmx256m

import java.util.Locale;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** Agents hand in declarations of goods at a customs hall; the officer of a lane stamps them. */
public class CustomsCounter {
    static final int LANES = 5;
    static final int AGENTS = 14;

    static final class Declaration {
        final int tariffCode;
        final int value;
        private final Thread agent = Thread.currentThread();
        private volatile int duty = -1;

        Declaration(int tariffCode, int value) {
            this.tariffCode = tariffCode;
            this.value = value;
        }

        int awaitStamp() {
            while (duty < 0) {
                LockSupport.park();
            }
            return duty;
        }

        void stamp(int cents) {
            duty = cents;
            LockSupport.unpark(agent);
        }
    }

    /** Goods of some chapters of the tariff. */
    static final class Lane {
        private static final long LOOK_UP = 60_000_000;
        private final Queue<Declaration> tray = new ConcurrentLinkedQueue<>();

        void put(Declaration d) {
            tray.add(d);
        }

        Declaration next() {
            Declaration d;
            while ((d = tray.poll()) == null) {
                LockSupport.parkNanos(LOOK_UP);
            }
            return d;
        }
    }

    static final class Hall {
        private final Lane[] lanes = new Lane[LANES];
        private volatile Thread duty;

        Hall() {
            for (int i = 0; i < LANES; i++) {
                lanes[i] = new Lane();
            }
        }

        Lane begin(int lane) {
            duty = Thread.currentThread();
            return lanes[lane];
        }

        Declaration submit(Declaration d) {
            lanes[d.tariffCode / 100 % LANES].put(d);
            LockSupport.unpark(duty);
            return d;
        }
    }

    static final class Officer implements Runnable {
        private final Hall hall;
        private final int lane;
        final AtomicLong working;

        Officer(Hall hall, int lane, AtomicLong working) {
            this.hall = hall;
            this.lane = lane;
            this.working = working;
        }

        @Override
        public void run() {
            Lane mine = hall.begin(lane);
            while (true) {
                Declaration d = mine.next();
                long begun = System.nanoTime();
                int cents = assess(d);
                working.addAndGet(System.nanoTime() - begun);
                d.stamp(cents);
            }
        }

        private int assess(Declaration d) {
            int rate = 40;
            for (int i = 0; i < 4000; i++) {
                rate = (rate * 29 + d.tariffCode + i) % 1000;
            }
            return (int) ((long) d.value * rate / 1000);
        }
    }

    static final class Agent implements Runnable {
        private final Hall hall;
        private final AtomicLong stamped, waited;
        private final Random random;

        Agent(Hall hall, AtomicLong stamped, AtomicLong waited, long seed) {
            this.hall = hall;
            this.stamped = stamped;
            this.waited = waited;
            this.random = new Random(seed);
        }

        @Override
        public void run() {
            long paid = 0;
            while (paid >= 0) {
                long begun = System.nanoTime();
                paid += hall.submit(new Declaration(random.nextInt(9900), 1000 + random.nextInt(90000))).awaitStamp() & 7;
                waited.addAndGet(System.nanoTime() - begun);
                stamped.incrementAndGet();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Hall hall = new Hall();
        AtomicLong working = new AtomicLong(), stamped = new AtomicLong(), waited = new AtomicLong();
        for (int i = 0; i < LANES; i++) {
            start(new Officer(hall, i, working), "officer-" + i);
        }
        Thread.sleep(200);
        for (int i = 0; i < AGENTS; i++) {
            start(new Agent(hall, stamped, waited, i), "agent-" + i);
        }
        Thread.sleep(3000);
        System.out.println("READY");
        System.out.flush();
        long n = stamped.get(), w = waited.get(), work = working.get();
        while (true) {
            Thread.sleep(1000);
            long nn = stamped.get(), wn = waited.get(), k = working.get(), count = Math.max(1, nn - n);
            System.out.printf(Locale.ROOT, "measured: %d declarations/s, %.1f ms each for the agent, %.3f ms of it an officer's work%n",
                    nn - n, (wn - w) / 1e6 / count, (k - work) / 1e6 / count);
            System.out.flush();
            n = nn;
            w = wn;
            work = k;
        }
    }

    private static void start(Runnable r, String name) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }
}
