// SPDX-License-Identifier: Apache-2.0
// cause: each round of invoices waits in BranchInvoicing$Branch.closeRound (ExecutorService.awaitTermination) for a pool that has nothing left to do: its workers (Branch.writeAll) see the end of the round only when BlockingQueue.poll(600 ms) runs out of time
// share: 99 % of each round (600 of 605 ms) passes after its last invoice has been written; all 4 branches' threads are in awaitTermination for that time; CPU use 0.03
// expect: waiting frame=BranchInvoicing$Branch
// symptom: waiting
// judge: NAMED: waiting for a pool to end (awaitTermination, pool-end) at BranchInvoicing$Branch.closeRound, with or without the workers waiting for elements of a queue in BranchInvoicing$Branch.writeAll; or the wait of the workers for a queue (poll with a time-out) at writeAll as what the branches wait for. SYMPTOM ONLY: starting of threads or a pool for each round; the branches' wait named without kind or place. WRONG: computing in Invoice.total/render, too few threads (pool-busy), locks, collections, CPU shortage, or nothing stands out.
// jdk: 17
// set: thirty-first
// jvm: -Xmx256m

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** Invoices of a builders' merchant: each branch bills its delivery notes in rounds. */
public class BranchInvoicing {
    static final int BRANCHES = 4;
    static final int WORKERS = 3;

    static final LongAdder rounds = new LongAdder();
    static final LongAdder invoices = new LongAdder();
    static final LongAdder roundNanos = new LongAdder();
    static final LongAdder idleNanos = new LongAdder();

    record Line(String article, int quantity, long cents) { }

    record DeliveryNote(int number, String customer, List<Line> lines) { }

    /** What is printed and sent for one note. */
    static final class Invoice {
        private final DeliveryNote note;

        Invoice(DeliveryNote note) {
            this.note = note;
        }

        long total() {
            long net = 0;
            for (Line line : note.lines()) {
                long price = line.cents() * line.quantity();
                if (line.quantity() >= 50) price -= price / 20;
                net += price;
            }
            return net + net * 19 / 100;
        }

        String render() {
            StringBuilder page = new StringBuilder(4096);
            page.append("Invoice ").append(note.number()).append(" for ").append(note.customer()).append('\n');
            for (Line line : note.lines()) {
                page.append(line.article()).append('\t').append(line.quantity()).append('\t').append(line.cents()).append('\n');
            }
            return page.append("total ").append(total()).toString();
        }
    }

    static final class Branch implements Runnable {
        private final String town;
        private final Random random;
        private int number;

        Branch(String town, int seed) {
            this.town = town;
            this.random = new Random(seed);
        }

        private List<DeliveryNote> openNotes() {
            List<DeliveryNote> notes = new ArrayList<>();
            for (int i = 150 + random.nextInt(150); i > 0; i--) {
                List<Line> lines = new ArrayList<>();
                for (int k = 20 + random.nextInt(60); k > 0; k--) {
                    lines.add(new Line("A" + random.nextInt(9000), 1 + random.nextInt(80), 50 + random.nextInt(20000)));
                }
                notes.add(new DeliveryNote(++number, town + "-" + random.nextInt(400), lines));
            }
            return notes;
        }

        private void writeAll(BlockingQueue<DeliveryNote> queue, AtomicLong lastDone, LongAdder characters) {
            try {
                DeliveryNote note;
                while ((note = queue.poll(600, TimeUnit.MILLISECONDS)) != null) {
                    characters.add(new Invoice(note).render().length());
                    invoices.increment();
                    lastDone.set(System.nanoTime());
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private void closeRound(ExecutorService pool) throws InterruptedException {
            pool.shutdown();
            if (!pool.awaitTermination(2, TimeUnit.MINUTES)) {
                System.out.println(town + ": round is not complete");
                pool.shutdownNow();
            }
        }

        private void round() throws InterruptedException {
            BlockingQueue<DeliveryNote> queue = new LinkedBlockingQueue<>();
            AtomicLong lastDone = new AtomicLong(System.nanoTime());
            LongAdder characters = new LongAdder();
            ExecutorService pool = Executors.newFixedThreadPool(WORKERS);
            for (int i = 0; i < WORKERS; i++) pool.execute(() -> writeAll(queue, lastDone, characters));
            for (DeliveryNote note : openNotes()) queue.put(note);
            closeRound(pool);
            idleNanos.add(System.nanoTime() - lastDone.get());
        }

        @Override
        public void run() {
            try {
                while (true) {
                    long before = System.nanoTime();
                    round();
                    roundNanos.add(System.nanoTime() - before);
                    rounds.increment();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        String[] towns = {"Lemgo", "Detmold", "Rinteln", "Hameln"};
        for (int i = 0; i < BRANCHES; i++) new Thread(new Branch(towns[i], i), "branch-" + towns[i]).start();
        while (rounds.sum() < 2 * BRANCHES) Thread.sleep(50);
        System.out.println("READY");
        System.out.flush();
        while (true) {
            long r = rounds.sum(), n = invoices.sum(), w = idleNanos.sum(), t = roundNanos.sum(), began = System.nanoTime();
            Thread.sleep(2000);
            double seconds = (System.nanoTime() - began) / 1e9;
            long dr = Math.max(1, rounds.sum() - r);
            System.out.printf("measured: %.1f rounds/s, %.0f ms each, %.0f ms of it after the last invoice was written (%.0f %%), %.0f invoices/s%n",
                dr / seconds, (roundNanos.sum() - t) / 1e6 / dr, (idleNanos.sum() - w) / 1e6 / dr,
                100.0 * (idleNanos.sum() - w) / Math.max(1, roundNanos.sum() - t), (invoices.sum() - n) / seconds);
        }
    }
}
