// SPDX-License-Identifier: Apache-2.0
// cause: ClaimDesk.settle does not give the database session back when ClaimDesk.check throws RejectedClaim (no finally), so about 1 % of the calls leak a session until the sweeper reclaims it 4 s later, and all desks wait in SessionPool.borrow.
// share: throughput 274 claims/s (mean over 99 s) vs 2270/s fixed
// judge: Must say that sessions are not returned to the pool on the exception path (leak) in ClaimsIntake.ClaimDesk.settle (or: rejected claims leave sessions lent out). "Threads wait for the pool", "pool too small" or "slow database" alone does not count.
// set: eighteenth
// expect: waiting kind=pool peak=.
// symptom: waiting
// jdk: 17
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class ClaimsIntake {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final LongAdder settled = new LongAdder();
    static final LongAdder rejected = new LongAdder();
    static final LongAdder nanos = new LongAdder();

    record Claim(long id, int policy, int cents, String text) {}

    static final class RejectedClaim extends Exception {
        RejectedClaim(String m) { super(m); }
    }

    static final class Session {
        final int no;
        volatile long lentAt;
        Session(int no) { this.no = no; }
        int query(int policy) throws InterruptedException {
            Thread.sleep(4);
            return policy % 7 * 100_000 + 50_000;
        }
        void store(Claim c) throws InterruptedException { Thread.sleep(1); }
    }

    static final class SessionPool {
        private final Semaphore free;
        private final ConcurrentLinkedQueue<Session> idle = new ConcurrentLinkedQueue<>();
        private final Set<Session> lent = ConcurrentHashMap.newKeySet();

        SessionPool(int size) {
            free = new Semaphore(size);
            for (int i = 0; i < size; i++) idle.add(new Session(i));
        }
        Session borrow() throws InterruptedException {
            free.acquire();
            Session s = idle.poll();
            s.lentAt = System.nanoTime();
            lent.add(s);
            return s;
        }
        void giveBack(Session s) {
            if (lent.remove(s)) {
                idle.add(s);
                free.release();
            }
        }
        void sweep() {
            long limit = System.nanoTime() - TimeUnit.SECONDS.toNanos(4);
            for (Session s : lent) if (s.lentAt < limit) giveBack(s);
        }
    }

    static final class ClaimDesk implements Runnable {
        private final SessionPool pool;
        private final Random random;
        private final Map<Integer, Integer> paid = new HashMap<>();
        private long next;
        ClaimDesk(SessionPool pool, long seed) {
            this.pool = pool;
            this.random = new Random(seed);
        }

        @Override public void run() {
            try {
                while (true) {
                    Claim c = parse(line());
                    long t0 = System.nanoTime();
                    try {
                        settle(c);
                        settled.increment();
                    } catch (RejectedClaim e) {
                        rejected.increment();
                    }
                    nanos.add(System.nanoTime() - t0);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private String line() {
            return next++ + "|" + random.nextInt(5000) + "|" + random.nextInt(50_500) + "|storm damage, roof, case " + random.nextInt(99);
        }

        private Claim parse(String s) {
            String[] f = s.split("\\|");
            return new Claim(Long.parseLong(f[0]), Integer.parseInt(f[1]), Integer.parseInt(f[2]), f[3].trim());
        }

        private void settle(Claim c) throws RejectedClaim, InterruptedException {
            Session s = pool.borrow();
            try {
                int cover = s.query(c.policy());
                check(c, cover);
                s.store(c);
                paid.merge(c.policy(), c.cents(), Integer::sum);
            } catch (RejectedClaim e) {
                if (FIXED) pool.giveBack(s);
                throw e;
            }
            pool.giveBack(s);
        }

        private void check(Claim c, int cover) throws RejectedClaim {
            if (c.cents() > 50_000) throw new RejectedClaim("needs manual review: " + c.id());
            if (c.cents() > cover) throw new RejectedClaim("not covered: " + c.id());
        }
    }

    public static void main(String[] args) throws Exception {
        SessionPool pool = new SessionPool(12);
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(r -> daemon(r, "pool-timer"));
        timer.scheduleAtFixedRate(pool::sweep, 500, 500, TimeUnit.MILLISECONDS);
        for (int i = 0; i < 14; i++) daemon(new ClaimDesk(pool, i), "claim-desk-" + i).start();
        System.out.println("READY");
        for (int s = 0; s < 200; s++) {
            Thread.sleep(1000);
            long c = settled.sumThenReset(), r = rejected.sumThenReset(), n = nanos.sumThenReset();
            System.out.println("measured: claims/s " + (c + r) + " rejected " + r + " mean ms " + (c + r == 0 ? 0 : n / (c + r) / 1000) / 1000.0);
        }
        System.exit(0);
    }

    static Thread daemon(Runnable r, String name) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        return t;
    }
}
