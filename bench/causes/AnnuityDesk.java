// SPDX-License-Identifier: Apache-2.0
// cause: AnnuityDesk$OwnWorkspaces keeps the Workspace in a ThreadLocal, but each quote runs in its own new virtual thread, so ThreadLocal.withInitial builds a new Workspace (7,200 survival values with two Math.exp each, 58 KB) for each quote and nothing is ever reused.
// share: faulty 2,500-7,800 quotes/s (16,000-17,600 on a quiet machine), fixed (4 workspaces lent from a queue) 560,000-1,160,000 quotes/s: more than 40 times better
// expect: hot-code kind=thread-locals
// symptom: unstarted-threads hot-method waiting
// judge: NAMED: the ThreadLocal<Workspace> in AnnuityDesk$OwnWorkspaces.price is initialised for each task because tasks run on fresh virtual threads (Workspace.<init> per quote); share or pool the workspaces. 'Workspace.<init> is built again for each quote via the thread local' counts as NAMED. SYMPTOM ONLY: Math.exp or Workspace.<init> is hot, high allocation of double[] without saying that it is made per quote by the thread local. WRONG: virtual thread pinning, too many threads, scheduler overhead, GC or heap size as root cause, memory leak by thread locals, Workspace.premium.
// jdk: 21
// set: twenty-third
// jvm:
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;

public class AnnuityDesk {
    private static final boolean FIXED = Boolean.getBoolean("fixed");
    private static final int AGES = 120;
    private static final int TERMS = 60;
    private static final AtomicLong QUOTED = new AtomicLong();
    private static final AtomicLong NANOS = new AtomicLong();
    private static final AtomicLong PREMIUM = new AtomicLong();

    record Person(int age, int term, double sum, double interest) {
    }

    static final class Workspace {
        private final double[] survival = new double[AGES * TERMS];
        private final double[] scratch = new double[TERMS];

        Workspace() {
            for (int age = 0; age < AGES; age++) {
                double alive = 1;
                for (int t = 0; t < TERMS; t++) {
                    double hazard = 0.0004 + 0.00002 * Math.exp(0.09 * Math.min(110, age + t));
                    alive *= Math.exp(-hazard);
                    survival[age * TERMS + t] = alive;
                }
            }
        }

        double premium(Person p) {
            double discount = 1;
            double annuity = 0;
            for (int t = 0; t < p.term(); t++) {
                scratch[t] = survival[p.age() * TERMS + t] * discount;
                discount /= 1 + p.interest();
            }
            for (int t = 0; t < p.term(); t++) {
                annuity += scratch[t];
            }
            return p.sum() * survival[p.age() * TERMS + p.term() - 1] * discount / annuity;
        }
    }

    interface Workspaces {
        double price(Person p) throws InterruptedException;
    }

    static final class OwnWorkspaces implements Workspaces {
        private final ThreadLocal<Workspace> own = ThreadLocal.withInitial(Workspace::new);

        @Override
        public double price(Person p) {
            return own.get().premium(p);
        }
    }

    static final class LentWorkspaces implements Workspaces {
        private final BlockingQueue<Workspace> idle = new ArrayBlockingQueue<>(4);

        LentWorkspaces() {
            while (idle.remainingCapacity() > 0) {
                idle.add(new Workspace());
            }
        }

        @Override
        public double price(Person p) throws InterruptedException {
            Workspace w = idle.take();
            try {
                return w.premium(p);
            } finally {
                idle.put(w);
            }
        }
    }

    static long quote(Workspaces workspaces, Person p) throws InterruptedException {
        long t = System.nanoTime();
        double value = workspaces.price(p);
        NANOS.addAndGet(System.nanoTime() - t);
        QUOTED.incrementAndGet();
        return Math.round(value * 100);
    }

    static List<Person> enquiry(Random random) {
        List<Person> people = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            people.add(new Person(18 + random.nextInt(60), 5 + random.nextInt(40), 1000 * (10 + random.nextInt(400)),
                    0.01 + random.nextInt(40) / 1000.0));
        }
        return people;
    }

    static void serve(Workspaces workspaces, long end) {
        Random random = new Random(77);
        try (ExecutorService desk = Executors.newVirtualThreadPerTaskExecutor()) {
            while (System.nanoTime() < end) {
                List<Future<Long>> answers = new ArrayList<>();
                for (Person p : enquiry(random)) {
                    answers.add(desk.submit(() -> quote(workspaces, p)));
                }
                for (Future<Long> f : answers) {
                    PREMIUM.addAndGet(f.get());
                }
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws Exception {
        Workspaces workspaces = FIXED ? new LentWorkspaces() : new OwnWorkspaces();
        long end = System.nanoTime() + 170L * 1_000_000_000L;
        Thread front = new Thread(() -> serve(workspaces, end), "enquiries");
        front.start();
        System.out.println("READY");
        long n0 = 0;
        long t0 = 0;
        while (front.isAlive()) {
            front.join(1000);
            long n = QUOTED.get();
            long t = NANOS.get();
            System.out.println("measured: " + (n - n0) + " quotes/s, mean "
                    + (t - t0) / Math.max(1, n - n0) + " ns");
            n0 = n;
            t0 = t;
        }
        System.out.println("premium total " + PREMIUM.get());
    }
}
