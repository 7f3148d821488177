// SPDX-License-Identifier: Apache-2.0
// cause: the wholesaler's desk answers with the order's reference in upper case, so that PharmacyReplies$Pending.deliver finds no future for branches whose code has small letters; their futures are never completed, and PharmacyReplies$Branch.confirm (future.get with 400 ms) waits for its whole time-out each time
// share: 4 of 8 branches wait 400 ms for each order (the others 0.3 ms, or 1 ms on a crowded machine): 96 to 99 % of the time of all waits for futures ends by the time-out, 3.2 to 4 threads on average; 0.06 CPUs
// expect: waiting frame=PharmacyReplies$Branch.confirm
// symptom: waiting
// judge: NAMED: waiting for a future at PharmacyReplies$Branch.confirm (CompletableFuture.get) with the statement that time-outs end these waits (what they wait for does not come, nobody completes them). SYMPTOM ONLY: waiting for a future at Branch.confirm without the time-outs (also as neutral, "time goes to"). WRONG: anything else as the first fault: the desk (desk thread too slow, its sleep, its queue), too few threads, locks, CPU, sockets; or that nothing stands out.
// jdk: 11
// set: thirty-first
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;

public class PharmacyReplies {
    static final class Order {
        final String reference;
        final int[] articles;
        Order(String reference, int[] articles) { this.reference = reference; this.articles = articles; }
    }

    static final class Confirmation {
        final String reference;
        final int available;
        Confirmation(String reference, int available) { this.reference = reference; this.available = available; }
    }

    /** What has been ordered and not been confirmed yet. */
    static final class Pending {
        private final Map<String, CompletableFuture<Confirmation>> open = new ConcurrentHashMap<>();
        CompletableFuture<Confirmation> register(String reference) {
            CompletableFuture<Confirmation> f = new CompletableFuture<>();
            open.put(reference, f);
            return f;
        }
        void deliver(Confirmation c) {
            CompletableFuture<Confirmation> f = open.remove(c.reference);
            if (f != null) f.complete(c);
            else strays.increment();
        }
        void forget(String reference) { open.remove(reference); }
    }

    static final LongAdder confirmed = new LongAdder(), confirmedNanos = new LongAdder(), assumed = new LongAdder(), assumedNanos = new LongAdder(), strays = new LongAdder();

    /** The wholesaler: one thread, which looks articles up and confirms. */
    static final class Desk implements Runnable {
        private final BlockingQueue<Order> inbox = new ArrayBlockingQueue<>(64);
        private final Pending pending;
        private final int[] stock = new int[5000];
        Desk(Pending pending) {
            this.pending = pending;
            for (int i = 0; i < stock.length; i++) stock[i] = 20 + i % 90;
        }
        void post(Order o) throws InterruptedException { inbox.put(o); }
        private Confirmation check(Order o) {
            int n = 0;
            for (int a : o.articles) {
                int s = stock[a];
                for (int other = a; other < stock.length; other += 7) s = Math.max(s, stock[other] % (a + 3));
                if (s > 0) n++;
            }
            String reference = o.reference.trim().toUpperCase(Locale.ROOT);
            return new Confirmation(reference, n);
        }
        public void run() {
            try {
                for (;;) pending.deliver(check(inbox.take()));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static final class Branch implements Runnable {
        private final String code;
        private final Desk desk;
        private final Pending pending;
        private final Random random;
        private final List<Integer> shelf = new ArrayList<>();
        private int sequence;
        private int delivered;
        Branch(String code, Desk desk, Pending pending) {
            this.code = code; this.desk = desk; this.pending = pending;
            random = new Random(code.hashCode());
            for (int i = 0; i < 3000; i++) shelf.add(random.nextInt(40));
        }

        private Order collect() {
            int[] low = new int[60];
            int n = 0;
            for (int round = 0; round < 40; round++)
                for (int i = 0; i < shelf.size(); i++) {
                    int left = shelf.get(i) - (i * 31 + round) % 3;
                    if (left < 2 && n < low.length) low[n++] = i;
                }
            for (int i = n; i < low.length; i++) low[i] = random.nextInt(3000);
            return new Order(code + "/" + ++sequence, low);
        }

        private int confirm(Order order) throws InterruptedException {
            CompletableFuture<Confirmation> answer = pending.register(order.reference);
            long begin = System.nanoTime();
            desk.post(order);
            try {
                int n = answer.get(400, TimeUnit.MILLISECONDS).available;
                confirmed.increment();
                confirmedNanos.add(System.nanoTime() - begin);
                return n;
            } catch (TimeoutException e) {
                assumed.increment();
                assumedNanos.add(System.nanoTime() - begin);
                return order.articles.length;
            } catch (ExecutionException e) {
                throw new IllegalStateException(e.getCause());
            } finally {
                pending.forget(order.reference);
            }
        }

        public void run() {
            try {
                for (;;) {
                    delivered += confirm(collect());
                    shelf.set(random.nextInt(shelf.size()), delivered % 40);
                    Thread.sleep(20 + random.nextInt(20));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Pending pending = new Pending();
        Desk desk = new Desk(pending);
        Thread deskThread = new Thread(desk, "wholesale-desk");
        deskThread.start();
        for (String code : new String[] {"KA-01", "KA-02", "KA-03", "KA-04", "Lahr", "Achern", "Bretten", "Gaggenau"}) new Thread(new Branch(code, desk, pending), "branch " + code).start();
        Thread.sleep(2500);
        System.out.println("READY");
        System.out.flush();
        for (;;) {
            long c = confirmed.sum(), cn = confirmedNanos.sum(), a = assumed.sum(), an = assumedNanos.sum();
            Thread.sleep(2000);
            long dc = confirmed.sum() - c, da = assumed.sum() - a;
            double sc = (confirmedNanos.sum() - cn) / 1e9, sa = (assumedNanos.sum() - an) / 1e9;
            System.out.printf("measured: %d orders confirmed, %.2f ms each; %d without an answer, %.0f ms each: %.1f %% of the time of all waits%n", dc, 1e3 * sc / Math.max(1, dc), da,
                    1e3 * sa / Math.max(1, da), 100 * sa / Math.max(1e-9, sa + sc));
            System.out.flush();
        }
    }
}
