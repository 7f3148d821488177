// SPDX-License-Identifier: Apache-2.0
// cause: When the registry rejects a permit (about 3 in 100), the exception leaves PermitDesk.file before the session is given back, so most register sessions are gone until the janitor takes them back 2 s later.
// share: 186 applications/s without, 2398 applications/s with -Dfixed=true (12.9 times; means over 8 and 7 s after READY; e.g. "702 applications/s, mean 28.8 ms" against "2366 applications/s, mean 5.1 ms")
// expect: waiting kind=pool peak=. frame=PermitRegistry$PermitDesk.file
// symptom: waiting
// judge: Must name PermitDesk.file not giving back the RegisterSession on the exception path (give-back not in finally; sessions go missing from SessionPool); "threads wait for a session in SessionPool.borrow / pool exhausted / pool too small" alone is only the symptom.
// set: twenty-first
// jdk: 17
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.LongAdder;

/** Building permits: counters file applications with the land register over a small pool of sessions. */
public class PermitRegistry {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final LongAdder FILED = new LongAdder();
    static final LongAdder NANOS = new LongAdder();

    static final class PermitRefused extends Exception {
        PermitRefused(String why) {
            super(why);
        }
    }

    record Application(int parcel, int storeys, int heightCm) { }

    /** A session with the land register; a statement takes some 4 ms there. */
    static final class RegisterSession {
        final int number;
        volatile long takenAt;
        private long statements;

        RegisterSession(int number) {
            this.number = number;
        }

        long enter(Application a) throws PermitRefused, InterruptedException {
            Thread.sleep(3 + a.parcel() % 3);
            statements++;
            if (a.heightCm() > a.storeys() * 420) {
                throw new PermitRefused("parcel " + a.parcel() + ": height " + a.heightCm());
            }
            return (long) number << 40 | statements;
        }
    }

    /** Sessions are shared; the janitor takes back what a counter has held for too long. */
    static final class SessionPool {
        private final BlockingQueue<RegisterSession> idle = new LinkedBlockingQueue<>();
        private final Set<RegisterSession> taken = ConcurrentHashMap.newKeySet();
        private final long heldAtMostNanos = TimeUnit.SECONDS.toNanos(2);

        SessionPool(int size) {
            for (int i = 0; i < size; i++) {
                idle.add(new RegisterSession(i));
            }
        }

        RegisterSession borrow() throws InterruptedException, TimeoutException {
            RegisterSession s = idle.poll(30, TimeUnit.SECONDS);
            if (s == null) {
                throw new TimeoutException("no register session within 30 s");
            }
            s.takenAt = System.nanoTime();
            taken.add(s);
            return s;
        }

        void giveBack(RegisterSession s) {
            if (taken.remove(s)) {
                idle.add(s);
            }
        }

        void tidy() {
            long now = System.nanoTime();
            for (RegisterSession s : taken) {
                if (now - s.takenAt > heldAtMostNanos) {
                    giveBack(s);
                }
            }
        }
    }

    static final class PermitDesk {
        private final SessionPool pool;

        PermitDesk(SessionPool pool) {
            this.pool = pool;
        }

        long file(Application a) throws PermitRefused, InterruptedException, TimeoutException {
            RegisterSession session = pool.borrow();
            if (FIXED) {
                try {
                    return session.enter(a);
                } finally {
                    pool.giveBack(session);
                }
            }
            long entry = session.enter(a);
            pool.giveBack(session);
            return entry;
        }
    }

    static void attend(PermitDesk desk) {
        ThreadLocalRandom r = ThreadLocalRandom.current();
        long refused = 0;
        try {
            while (!Thread.currentThread().isInterrupted()) {
                int storeys = 1 + r.nextInt(6);
                int height = r.nextInt(100) < 3 ? storeys * 430 : storeys * 300 + r.nextInt(100);
                long t0 = System.nanoTime();
                try {
                    desk.file(new Application(r.nextInt(1_000_000), storeys, height));
                } catch (PermitRefused e) {
                    refused++;
                }
                NANOS.add(System.nanoTime() - t0);
                FILED.increment();
            }
        } catch (InterruptedException | TimeoutException e) {
            throw new IllegalStateException("counter closed, " + refused + " refused so far", e);
        }
    }

    public static void main(String[] args) throws Exception {
        SessionPool pool = new SessionPool(10);
        PermitDesk desk = new PermitDesk(pool);
        ScheduledExecutorService janitor = Executors.newSingleThreadScheduledExecutor(r -> {
            Thread t = new Thread(r, "session-janitor");
            t.setDaemon(true);
            return t;
        });
        janitor.scheduleWithFixedDelay(pool::tidy, 200, 200, TimeUnit.MILLISECONDS);
        for (int i = 0; i < 12; i++) {
            Thread t = new Thread(() -> attend(desk), "counter-" + i);
            t.setDaemon(true);
            t.start();
        }
        Thread.sleep(4000);
        System.out.println("READY");
        FILED.sumThenReset();
        NANOS.sumThenReset();
        for (int s = 0; s < 240; s++) {
            Thread.sleep(1000);
            long n = FILED.sumThenReset();
            long ns = NANOS.sumThenReset();
            System.out.printf("measured: %d applications/s, mean %.1f ms%n", n, n == 0 ? 0.0 : ns / 1e6 / n);
        }
        System.exit(0);
    }
}
