// SPDX-License-Identifier: Apache-2.0
// cause: FreightQuotes.Desk.collect waits until 64 requests are together or 40 ms have passed, but there are only 24 callers, each waiting for its answer, so a batch can never fill and every request sits out the full 40 ms
// share: with the fault 516 quotes/s (46.7 ms each), with -Dfixed=true 6097 quotes/s (3.9 ms each): 11.8 times (median of short runs at nice 19 on a 2-core machine under heavy foreign load, so absolute figures are low)
// expect: waiting frame=Desk.collect timed=0
// symptom: waiting
// judge: NAMED: the batching in Desk.collect waits out its time limit (batch of 64 never fills with 24 callers; linger delay) on every round; SYMPTOM ONLY: callers wait in CompletableFuture.get/join, or the desk thread is idle in queue.poll, without the batch/time limit; WRONG: tariff computation slow, too few threads, CPU, GC, virtual threads as such
// jdk: 21
// set: twenty-eighth
// jvm: -Xmx64m
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

public class FreightQuotes {
    static final boolean ALT = Boolean.getBoolean("fixed");
    static final int SPAN = Integer.getInteger("span", 170);
    static final int SHIPPERS = 24;
    static volatile boolean open = true;
    static final LongAdder quotes = new LongAdder();
    static final LongAdder nanos = new LongAdder();

    record Request(int from, int to, int kilos, CompletableFuture<Long> answer) { }

    static final class Desk extends Thread {
        final BlockingQueue<Request> inbox = new LinkedBlockingQueue<>(256);
        final int size = 64;
        final long limit = TimeUnit.MILLISECONDS.toNanos(40);
        final int[][] tariff = new int[200][200];

        Desk() {
            super("quote-desk");
            setDaemon(true);
            for (int i = 0; i < 200; i++) {
                for (int j = 0; j < 200; j++) {
                    tariff[i][j] = 20 + Math.abs(i - j) * 3 + (i * j) % 17;
                }
            }
        }

        @Override
        public void run() {
            List<Request> lot = new ArrayList<>(size);
            try {
                while (open) {
                    lot.clear();
                    collect(lot);
                    price(lot);
                }
            } catch (InterruptedException e) {
                interrupt();
            }
        }

        private void collect(List<Request> lot) throws InterruptedException {
            lot.add(inbox.take());
            if (ALT) {
                inbox.drainTo(lot, size - 1);
                return;
            }
            long until = System.nanoTime() + limit;
            while (lot.size() < size) {
                Request r = inbox.poll(until - System.nanoTime(), TimeUnit.NANOSECONDS);
                if (r == null) {
                    return;
                }
                lot.add(r);
            }
        }

        private void price(List<Request> lot) throws InterruptedException {
            Thread.sleep(2);    // one call to the carrier's price host for the whole lot
            for (Request r : lot) {
                long cents = (long) tariff[r.from()][r.to()] * r.kilos() / 10 + 900;
                r.answer().complete(cents);
            }
        }
    }

    static void shipper(int no, Desk desk) {
        long x = no * 7919L + 1;
        try {
            while (open) {
                x = x * 6364136223846793005L + 1442695040888963407L;
                long t = System.nanoTime();
                Request r = new Request((int) (x >>> 33) % 200, (int) (x >>> 41) % 200 & 127,
                        1 + (int) (x >>> 50), new CompletableFuture<>());
                desk.inbox.put(r);
                if (r.answer().get() > 0) {
                    quotes.increment();
                }
                nanos.add(System.nanoTime() - t);
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws Exception {
        long start = System.nanoTime();
        Desk desk = new Desk();
        desk.start();
        for (int i = 1; i <= SHIPPERS; i++) {
            int no = i;
            Thread.ofVirtual().name("shipper-" + no).start(() -> shipper(no, desk));
        }
        Thread.sleep(3000);
        System.out.println("READY");
        long end = start + SPAN * 1_000_000_000L;
        long before = quotes.sum();
        long spent = nanos.sum();
        long at = System.nanoTime();
        while (System.nanoTime() < end) {
            Thread.sleep(1000);
            long now = quotes.sum();
            long s = nanos.sum();
            long t = System.nanoTime();
            System.out.printf("measured: %.0f quotes/s, %.1f ms each%n",
                    (now - before) * 1e9 / (t - at), (s - spent) / 1e6 / Math.max(1, now - before));
            before = now;
            spent = s;
            at = t;
        }
        open = false;
    }
}
