// SPDX-License-Identifier: Apache-2.0
// cause: DockTickets$Ramp.leave calls signalAll on the one Condition on which all waiting trucks await their ticket (Ramp.enter), so that each handover wakes dozens of threads of which one can go on
// share: medians of 1 s on a busy machine of 2 CPUs: 19786 loads/s, 3.69 ms from ticket to leaving; with -Dfixed=true: 114578 loads/s, 0.63 ms from ticket to leaving
// expect: hot-code kind=waking frame=Ramp.enter
// symptom: waiting | hot-code
// judge: NAMED: waking threads that wait again, at Ramp.enter (signalAll in Ramp.leave); SYMPTOM ONLY: waiting for a condition or for the lock in Ramp, many threads, CPU in native code; WRONG: too few CPUs, GC, the work at the ramp
// jdk: 17
// set: twenty-eighth
// jvm: -Xmx64m -XX:+UseSerialGC
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

public class DockTickets {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final long SPAN = Long.getLong("span", 170) * 1000000000L;
    static final LongAdder loads = new LongAdder(), nanos = new LongAdder();
    static volatile int shown;

    /** One truck at a time, in the order of the tickets. */
    static final class Ramp {
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition called = lock.newCondition();
        private final Map<Long, Condition> own = new HashMap<>();
        private long next, serving;

        void enter() throws InterruptedException {
            lock.lock();
            try {
                long ticket = next++;
                Condition c = called;
                if (FIXED && ticket != serving) own.put(ticket, c = lock.newCondition());
                while (ticket != serving) c.await();
                if (FIXED) own.remove(ticket);
            } finally {
                lock.unlock();
            }
        }

        void leave() {
            lock.lock();
            try {
                serving++;
                if (!FIXED) {
                    called.signalAll();
                    return;
                }
                Condition c = own.get(serving);
                if (c != null) c.signal();
            } finally {
                lock.unlock();
            }
        }
    }

    static final class Manifest {
        final int[] weights = new int[200];

        Manifest(Random r) {
            for (int i = 0; i < weights.length; i++) weights[i] = 5 + r.nextInt(900);
        }

        int balance() {
            int left = 0, right = 0;
            for (int turn = 0; turn < 10; turn++) {
                for (int w : weights) {
                    if (left <= right) left += w + turn;
                    else right += w;
                }
            }
            return left - right;
        }
    }

    static final class Terminal {
        final List<Ramp> ramps = new ArrayList<>();

        Terminal(int n) {
            for (int i = 0; i < n; i++) ramps.add(new Ramp());
        }

        void load(int door, Manifest m) throws InterruptedException {
            Ramp ramp = ramps.get(door);
            ramp.enter();
            try {
                shown += m.balance();
            } finally {
                ramp.leave();
            }
        }
    }

    static final class Truck implements Runnable {
        final Terminal terminal;
        final int door;
        final Random random;

        Truck(Terminal terminal, int nr) {
            this.terminal = terminal;
            this.door = nr % terminal.ramps.size();
            this.random = new Random(nr);
        }

        @Override
        public void run() {
            try {
                while (true) {
                    Manifest m = new Manifest(random);
                    long t = System.nanoTime();
                    terminal.load(door, m);
                    nanos.add(System.nanoTime() - t);
                    loads.increment();
                }
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    public static void main(String[] args) throws Exception {
        long until = System.nanoTime() + SPAN;
        Terminal terminal = new Terminal(2);
        for (int i = 0; i < 72; i++) {
            Thread t = new Thread(new Truck(terminal, i), "truck-" + i);
            t.setDaemon(true);
            t.start();
        }
        Thread.sleep(2500);
        System.out.println("READY");
        loads.sumThenReset();
        nanos.sumThenReset();
        while (System.nanoTime() < until) {
            Thread.sleep(1000);
            long n = loads.sumThenReset();
            System.out.printf("measured: %d loads/s, %.2f ms from ticket to leaving%n", n, nanos.sumThenReset() / 1e6 / Math.max(1, n));
        }
    }
}
