// SPDX-License-Identifier: Apache-2.0
// cause: ClearingGateway$ReplyDesk.deliver calls signalAll for each reply, so that all of the 150 terminals or nearly so that wait in ClearingGateway$ReplyDesk.await wake, find that the reply is not theirs and wait again: nearly all CPU time is this waking
// share: 0.75 to 0.9 of 2 CPUs; 50 to 65 wake-ups and 0.40 ms of CPU time for each payment, where one wake-up and 0.06 ms are needed (measured with one condition for each payment), so some 85 % of CPU time
// expect: hot-code what=waking frame=ClearingGateway$ReplyDesk
// symptom: hot-code waiting too-many-threads
// judge: NAMED: waking threads that wait again (signalAll, Condition.await, park and unpark), at or for ClearingGateway$ReplyDesk.await or deliver. SYMPTOM ONLY: waiting for the lock or a reply or a condition at ReplyDesk.await or deliver without saying that too many are woken; CPU time in the system, in futex or park, for ReplyDesk.await without more; threads lack CPUs, too many threads. WRONG: the clearing lines are too few or too slow (ClearingGateway$Line, its queue), the queue of orders, collections, the machine alone.
// jdk: 25
// set: thirty-third
// jvm: -Xmx256m

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Card terminals of a chain of shops hand in payments; replies of the clearing house come back in any order. */
public class ClearingGateway {
    static final int TERMINALS = 150;
    static final int LINES = 2;
    static final int ROUND_TRIP = 80_000_000;

    /** On its way to the clearing house and back. */
    static final class Payment implements Delayed {
        final long id;
        final int cents;
        final int shop;
        private final long back = System.nanoTime() + ROUND_TRIP / 2 + ThreadLocalRandom.current().nextInt(ROUND_TRIP);

        Payment(long id, int cents, int shop) {
            this.id = id;
            this.cents = cents;
            this.shop = shop;
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(back - System.nanoTime(), TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(back, ((Payment) other).back);
        }
    }

    static final class Reply {
        final long id;
        final int code;

        Reply(long id, int code) {
            this.id = id;
            this.code = code;
        }
    }

    /** Where replies lie until the terminal with that number comes for them. */
    static final class ReplyDesk {
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition arrived = lock.newCondition();
        private final Map<Long, Reply> replies = new HashMap<>();
        final AtomicLong looks = new AtomicLong();

        Reply await(long id) throws InterruptedException {
            lock.lock();
            try {
                Reply reply;
                while ((reply = replies.remove(id)) == null) {
                    arrived.await();
                    looks.incrementAndGet();
                }
                return reply;
            } finally {
                lock.unlock();
            }
        }

        void deliver(Reply reply) {
            lock.lock();
            try {
                replies.put(reply.id, reply);
                arrived.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    /** One line of the clearing house: what has been there and back is answered. */
    static final class Line implements Runnable {
        private final BlockingQueue<Payment> orders;
        private final ReplyDesk desk;

        Line(BlockingQueue<Payment> orders, ReplyDesk desk) {
            this.orders = orders;
            this.desk = desk;
        }

        @Override
        public void run() {
            try {
                while (true) {
                    Payment p = orders.take();
                    desk.deliver(new Reply(p.id, check(p)));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private int check(Payment p) {
            int h = p.shop;
            for (int i = 0; i < 200; i++) {
                h = h * 31 + (p.cents ^ i);
            }
            return (h & 127) == 0 ? 51 : 0;
        }
    }

    static final class Terminal implements Runnable {
        private final int shop;
        private final AtomicLong numbers;
        private final BlockingQueue<Payment> orders;
        private final ReplyDesk desk;
        private final AtomicLong paid;

        Terminal(int shop, AtomicLong numbers, BlockingQueue<Payment> orders, ReplyDesk desk, AtomicLong paid) {
            this.shop = shop;
            this.numbers = numbers;
            this.orders = orders;
            this.desk = desk;
            this.paid = paid;
        }

        @Override
        public void run() {
            try {
                for (int i = 0; ; i++) {
                    Payment p = new Payment(numbers.incrementAndGet(), 199 + i % 5000, shop);
                    orders.put(p);
                    if (desk.await(p.id).code >= 0) {
                        paid.incrementAndGet();
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        BlockingQueue<Payment> orders = new DelayQueue<>();
        ReplyDesk desk = new ReplyDesk();
        AtomicLong numbers = new AtomicLong(), paid = new AtomicLong();
        for (int i = 0; i < LINES; i++) {
            start(new Line(orders, desk), "clearing-line-" + i);
        }
        for (int i = 0; i < TERMINALS; i++) {
            start(new Terminal(i, numbers, orders, desk, paid), "terminal-" + i);
        }
        Thread.sleep(3000);
        System.out.println("READY");
        System.out.flush();
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        long before = paid.get(), looked = desk.looks.get(), used = system.getProcessCpuTime();
        while (true) {
            Thread.sleep(1000);
            long now = paid.get(), looks = desk.looks.get(), cpu = system.getProcessCpuTime();
            System.out.printf(Locale.ROOT, "measured: %d payments/s, %.1f ms each (the clearing house needs 80 on average), %.1f reads of the desk and %.3f ms of CPU time for each%n",
                    now - before, TERMINALS * 1000.0 / Math.max(1, now - before), (looks - looked) / (double) Math.max(1, now - before),
                    (cpu - used) / 1e6 / Math.max(1, now - before));
            System.out.flush();
            before = now;
            looked = looks;
            used = cpu;
        }
    }

    private static void start(Runnable r, String name) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }
}
