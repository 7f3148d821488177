// SPDX-License-Identifier: Apache-2.0
// healthy: A reminder batch that is deliberately paced: it may hand out at most 50 letters per second to the print office (token budget refilled by a scheduler); workers wait for the budget most of the time, the CPU is nearly idle, the contract rate is met.
// judge: right = no fault (rate limiting by design, threads idle legitimately); wrong = reporting the workers' waits in Budget.take, the idle pool threads, the scheduler's sleep, or low CPU use as a bottleneck to be removed. Saying that throughput is set by the deliberate rate limit of 50/s is right.
// set: nineteenth
// jdk: 25
import java.time.LocalDate;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class PermitReminderBatch {
    static final int LETTERS_PER_SECOND = 50;
    static final AtomicLong printed = new AtomicLong();
    static final AtomicLong pages = new AtomicLong();

    record Permit(int number, String holder, LocalDate expires) { }

    record Letter(int permit, String text) { }

    static final class Budget {
        private final Semaphore tokens = new Semaphore(0);

        void refill() {
            int missing = LETTERS_PER_SECOND / 10 * 2 - tokens.availablePermits();
            tokens.release(Math.max(0, Math.min(LETTERS_PER_SECOND / 10, missing)));
        }

        void take() throws InterruptedException {
            tokens.acquire();
        }
    }

    static final class Register {
        private final AtomicInteger next = new AtomicInteger();

        Permit nextDue() {
            int n = next.getAndIncrement() % 250_000;
            return new Permit(n, "holder " + (n * 7919 % 100_003), LocalDate.of(2026, 1, 1).plusDays(n % 365));
        }
    }

    static final class Composer {
        Letter compose(Permit p) {
            StringBuilder text = new StringBuilder(600);
            text.append("Permit ").append(p.number()).append(" of ").append(p.holder()).append('\n');
            for (int i = 0; i < 6; i++) {
                text.append("Step ").append(i + 1).append(": please renew before ").append(p.expires().minusDays(30 - i)).append('\n');
            }
            return new Letter(p.number(), text.toString());
        }
    }

    static final class PrintOffice implements Runnable {
        final BlockingQueue<Letter> tray = new ArrayBlockingQueue<>(100);

        public void run() {
            try {
                while (true) {
                    Letter letter = tray.take();
                    pages.addAndGet(1 + letter.text().length() / 3000);
                    printed.incrementAndGet();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static final class Clerk implements Runnable {
        final Register register;
        final Budget budget;
        final PrintOffice office;
        final Composer composer = new Composer();

        Clerk(Register register, Budget budget, PrintOffice office) {
            this.register = register;
            this.budget = budget;
            this.office = office;
        }

        public void run() {
            try {
                while (true) {
                    budget.take();
                    office.tray.put(composer.compose(register.nextDue()));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static Thread daemon(String name, Runnable r) {
        return Thread.ofPlatform().daemon().name(name).unstarted(r);
    }

    public static void main(String[] args) throws Exception {
        Budget budget = new Budget();
        Register register = new Register();
        PrintOffice office = new PrintOffice();
        daemon("print-office", office).start();
        for (int i = 0; i < 8; i++) {
            daemon("clerk-" + i, new Clerk(register, budget, office)).start();
        }
        ScheduledExecutorService timer = Executors.newScheduledThreadPool(1, r -> daemon("budget-timer", r));
        timer.scheduleAtFixedRate(budget::refill, 0, 100, TimeUnit.MILLISECONDS);
        Thread.sleep(2000);
        System.out.println("READY");
        for (int s = 0; s < 165; s++) {
            long a = printed.get();
            Thread.sleep(1000);
            System.out.println("measured: " + (printed.get() - a) + " letters/s pages=" + pages.get());
        }
        System.exit(0);
    }
}
