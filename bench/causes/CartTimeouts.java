// SPDX-License-Identifier: Apache-2.0
// cause: cancelled timeouts stay in the java.util.Timer until they are due, and keep the carts that they hold
// share: ~80 MB of 104 MB are cancelled timeouts with their carts; collecting and promoting them is the GC's work
// expect: cancelled-tasks
// symptom: promotion gc-pauses gc-cpu
// judge: right: what fills the heap / survives is held by timer tasks (Expiry, TimerTask, TaskQueue) made in Desk.watch,
// judge: or that cancelled tasks stay in the timer's queue. symptom: GC takes much time, promotion,
// judge: many objects survive, with Cart/byte[] and where they are allocated, without the timer. wrong: CPU in handle,
// judge: locks of the queue as the cause, humongous objects, the pool's size.
// jdk: 21
// jvm: -Xmx104m
// set: thirteenth

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

public class CartTimeouts {
    static final LongAdder carts = new LongAdder(), expired = new LongAdder();

    static class Cart {
        final int customer;
        final byte[] lines;
        final Map<String, Integer> totals = new ConcurrentHashMap<>(4);

        Cart(int customer) {
            this.customer = customer;
            this.lines = new byte[2500];
            ThreadLocalRandom.current().nextBytes(lines);
        }
    }

    static class Expiry extends TimerTask {
        final Cart cart;

        Expiry(Cart cart) {
            this.cart = cart;
        }

        @Override
        public void run() {
            cart.totals.clear();
            expired.increment();
        }
    }

    static class Desk {
        final Timer timer = new Timer("cart-timeouts");
        final ExecutorService workers = new ThreadPoolExecutor(4, 4, 1, TimeUnit.MINUTES, new LinkedBlockingQueue<>(500),
                new ThreadPoolExecutor.CallerRunsPolicy());

        TimerTask watch(Cart cart) {
            TimerTask expiry = new Expiry(cart);
            timer.schedule(expiry, 7000);
            return expiry;
        }

        void price(Cart cart) {
            int sum = 0;
            StringBuilder text = new StringBuilder();
            for (byte b : cart.lines) {
                sum += b * (cart.customer & 7);
                text.append((char) ('a' + (b & 15)));
            }
            sum += text.toString().indexOf("abcd");
            cart.totals.put("net", sum);
            cart.totals.put("tax", sum / 5);
        }

        void handle(int customer) {
            Cart cart = new Cart(customer);
            TimerTask timeout = watch(cart);
            price(cart);
            if (customer % 50 != 0) { // paid; others are left to expire
                timeout.cancel();
            }
            carts.increment();
        }
    }

    static long collections() {
        long spent = 0;
        for (GarbageCollectorMXBean gc : ManagementFactory.getGarbageCollectorMXBeans()) {
            if (!gc.getName().contains("Concurrent")) {
                spent += gc.getCollectionTime();
            }
        }
        return spent;
    }

    static void shoppers(Desk desk) {
        try {
            for (long next = System.nanoTime();; next += 5_000_000) {
                for (int i = 0; i < 9; i++) {
                    int customer = ThreadLocalRandom.current().nextInt(100_000);
                    desk.workers.execute(() -> desk.handle(customer));
                }
                Thread.sleep(Math.max(0, (next - System.nanoTime()) / 1_000_000));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws Exception {
        Desk desk = new Desk();
        for (int i = 0; i < 2; i++) {
            new Thread(() -> shoppers(desk), "shoppers-" + i).start();
        }
        Thread.sleep(8000);
        System.out.println("READY");
        long before = collections();
        while (true) {
            Thread.sleep(1000);
            long now = collections();
            System.out.printf("measured: %d carts/s (%d expired), %d MB used, GC %d ms/s%n",
                    carts.sumThenReset(), expired.sum(),
                    Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory() >> 20, now - before);
            before = now;
        }
    }
}
