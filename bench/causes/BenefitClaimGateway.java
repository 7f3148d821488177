// SPDX-License-Identifier: Apache-2.0
// cause: BenefitClaimGateway.Household.assess is a synchronized section in which virtual threads wait for the registry (about 15 ms), which on JDK 21 pins their carrier threads, so only as many claims run at once as there are carriers (2).
// share: throughput and latency: 130 claims/s at 492 ms with the fault, 4,060 claims/s at 15.7 ms without it (97 % of the throughput lost).
// judge: right = virtual threads are pinned to their carriers because BenefitClaimGateway$Household.assess waits for Registry.lookup inside synchronized (use ReentrantLock, or do not wait inside); symptom only = "few claims run at once", carriers ForkJoinPool-1-worker waiting in Registry.lookup; wrong = contention for a Household monitor (each claim has nearly always its own), CPU, GC, intake back-pressure (Semaphore in Intake.run), the registry itself.
// expect: waiting block=Household.assess | unstarted-threads block=Household.assess | waiting holder=Household.assess
// symptom: unstarted-threads waiting
// set: nineteenth
// jdk: 21
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.concurrent.locks.*;

public class BenefitClaimGateway {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final AtomicLong decided = new AtomicLong();
    static final AtomicLong nanos = new AtomicLong();

    record Claim(int id, int household, long received) { }

    record Decision(Claim claim, int cents) { }

    static final class Registry {
        private final int[] incomes = new int[20_000];

        Registry() {
            for (int i = 0; i < incomes.length; i++) {
                incomes[i] = 80_000 + i * 37 % 120_000;
            }
        }

        int lookup(int household) throws InterruptedException {
            Thread.sleep(15); // round trip to the registry's host
            return incomes[household];
        }
    }

    static final class Household {
        private final ReentrantLock guard = new ReentrantLock();
        final int id;
        int paid;

        Household(int id) {
            this.id = id;
        }

        int assess(Registry registry) throws InterruptedException {
            if (FIXED) {
                guard.lock();
                try {
                    return decide(registry);
                } finally {
                    guard.unlock();
                }
            }
            synchronized (this) {
                return decide(registry);
            }
        }

        private int decide(Registry registry) throws InterruptedException {
            int income = registry.lookup(id);
            int cents = Math.max(0, 150_000 - income) / 2;
            paid += cents;
            return cents;
        }
    }

    static final class Gateway {
        final Household[] households = new Household[20_000];
        final Registry registry = new Registry();
        final BlockingQueue<Decision> decisions = new LinkedBlockingQueue<>(1000);
        final Semaphore open = new Semaphore(64);
        final ExecutorService claims = Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("claim-", 0).factory());

        Gateway() {
            for (int i = 0; i < households.length; i++) {
                households[i] = new Household(i);
            }
        }

        void handle(Claim claim) {
            try {
                int cents = households[claim.household()].assess(registry);
                decisions.put(new Decision(claim, cents));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                open.release();
            }
        }
    }

    record Intake(Gateway gateway) implements Runnable {
        public void run() {
            Random random = new Random(9);
            try {
                for (int id = 0; ; id++) {
                    gateway.open.acquire();
                    Claim claim = new Claim(id, random.nextInt(gateway.households.length), System.nanoTime());
                    gateway.claims.execute(() -> gateway.handle(claim));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    record Dispatch(Gateway gateway) implements Runnable {
        public void run() {
            try {
                while (true) {
                    Decision d = gateway.decisions.take();
                    nanos.addAndGet(System.nanoTime() - d.claim().received());
                    decided.incrementAndGet();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Gateway gateway = new Gateway();
        Thread.ofPlatform().daemon().name("intake").start(new Intake(gateway));
        Thread.ofPlatform().daemon().name("dispatch").start(new Dispatch(gateway));
        Thread.sleep(3000);
        System.out.println("READY");
        for (int s = 0; s < 165; s++) {
            long a = decided.get(), b = nanos.get();
            Thread.sleep(1000);
            long n = decided.get() - a;
            System.out.println("measured: " + n + " claims/s latency=" + (nanos.get() - b) / Math.max(1, n) / 1000 + "us");
        }
        System.exit(0);
    }
}
