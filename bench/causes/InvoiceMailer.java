// SPDX-License-Identifier: Apache-2.0
// healthy: a paced service that renders invoices to text and zips them; it allocates a few hundred MB/s of short-lived objects, young collections are frequent but short (a few % of the time), nothing survives for long, and the steady live set (customers, 25 MB) is by design
// judge: RIGHT = no fault found; mentioning the allocation rate or frequent young GCs as a fact without calling it the problem is fine. WRONG = any claimed defect: GC pressure as cause of slowness, memory leak, heap too small, string building, lock contention, Deflater/native leak, pool size, idle waiting.
// jdk: 17
// set: sixteenth
// jvm: -Xmx256m -XX:+UseParallelGC
import java.io.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.zip.GZIPOutputStream;

public class InvoiceMailer {
    record Item(String article, int count, long cents) {}
    record Customer(int id, String name, String street, String city, List<String> notes) {}
    record Invoice(long number, Customer customer, List<Item> items) {}

    static class Customers {
        private final Map<Integer, Customer> byId = new HashMap<>();

        Customers(int n) {
            for (int i = 0; i < n; i++) {
                var notes = new ArrayList<String>();
                for (int k = 0; k < 4; k++) notes.add("note " + k + " of customer " + i + ": pays by " + (k + i) % 30);
                byId.put(i, new Customer(i, "Customer " + i, "Street " + i % 300, "City " + i % 90, notes));
            }
        }

        Customer get(int id) {
            return byId.get(id);
        }

        int size() {
            return byId.size();
        }
    }

    static class Renderer {
        String render(Invoice inv) {
            var b = new StringBuilder(4000);
            b.append("INVOICE ").append(inv.number).append('\n').append(inv.customer.name).append('\n').append(inv.customer.street)
                    .append('\n').append(inv.customer.city).append("\n\n");
            long sum = 0;
            for (Item it : inv.items) {
                long line = it.count * it.cents;
                sum += line;
                b.append(pad(it.article, 30)).append(pad(Integer.toString(it.count), 6)).append(pad(money(it.cents), 12)).append(pad(money(line), 12)).append('\n');
            }
            b.append(pad("total", 48)).append(pad(money(sum), 12)).append('\n');
            b.append(pad("tax", 48)).append(pad(money(sum * 19 / 100), 12)).append('\n');
            for (String n : inv.customer.notes) b.append("  ").append(n).append('\n');
            return b.toString();
        }

        private String money(long cents) {
            return cents / 100 + "." + (cents % 100 < 10 ? "0" : "") + cents % 100;
        }

        private String pad(String s, int width) {
            return s.length() >= width ? s : s + " ".repeat(width - s.length());
        }
    }

    static class Mail {
        private final LongAdder bytes = new LongAdder();

        void send(String text) throws IOException {
            var out = new ByteArrayOutputStream(2048);
            try (var zip = new GZIPOutputStream(out, 1024)) {
                zip.write(text.getBytes(StandardCharsets.UTF_8));
            }
            bytes.add(out.toByteArray().length);
        }
    }

    final Customers customers = new Customers(40_000);
    final Renderer renderer = new Renderer();
    final Mail mail = new Mail();
    final ExecutorService pool = new ThreadPoolExecutor(2, 2, 1, TimeUnit.MINUTES, new ArrayBlockingQueue<>(400), r -> {
        var t = new Thread(r, "render");
        t.setDaemon(true);
        return t;
    }, new ThreadPoolExecutor.CallerRunsPolicy());
    final LongAdder sent = new LongAdder();
    final LongAdder micros = new LongAdder();
    final AtomicLong number = new AtomicLong(100_000);

    Invoice order(Random r) {
        var items = new ArrayList<Item>();
        int n = 20 + r.nextInt(30);
        for (int i = 0; i < n; i++) items.add(new Item("article " + r.nextInt(100_000), 1 + r.nextInt(9), 99 + r.nextInt(20_000)));
        return new Invoice(number.incrementAndGet(), customers.get(r.nextInt(customers.size())), items);
    }

    void handle(Invoice inv, long since) {
        try {
            String text = renderer.render(inv);
            if (inv.number % 8 == 0) mail.send(text);
            sent.increment();
            micros.add((System.nanoTime() - since) / 1000);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void shop(int id) {
        var r = new Random(id);
        try {
            while (true) {
                for (int i = 0; i < 30; i++) {
                    Invoice inv = order(r);
                    long t = System.nanoTime();
                    pool.execute(() -> handle(inv, t));
                }
                Thread.sleep(8 + r.nextInt(8));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws Exception {
        var app = new InvoiceMailer();
        for (int i = 1; i <= 4; i++) {
            int id = i;
            var t = new Thread(() -> app.shop(id), "shop-" + id);
            t.setDaemon(true);
            t.start();
        }
        var beans = java.lang.management.ManagementFactory.getGarbageCollectorMXBeans();
        long before = 0;
        for (int s = 0; s < 150; s++) {
            Thread.sleep(1000);
            long n = app.sent.sumThenReset(), us = app.micros.sumThenReset();
            long gc = beans.stream().mapToLong(b -> b.getCollectionTime()).sum();
            System.out.println("measured: " + n + " invoices/s, " + (n == 0 ? 0 : us / n) + " us each, " + (gc - before) + " ms in GC");
            before = gc;
            if (s == 5) System.out.println("READY");
        }
        System.exit(0);
    }
}
