// SPDX-License-Identifier: Apache-2.0
// healthy: parses and renders product records at a paced rate, allocates a lot (short-lived records, ~100 MB/s or more) which the young generation of a well-sized heap clears in pauses of a few ms; GC is a few percent of the time and the target rate is met
// judge: Right = healthy (GC is frequent, but cheap: short young pauses, no full GCs; CPU not exhausted, target rate reached). Mentioning the allocation rate as information is fine. Wrong = accusing GC, allocation, heap size, memory leak, locks, the pacing sleep.
// jdk: 17
// set: sixteenth
// jvm: -Xmx220m
import java.lang.management.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class CatalogFeed {
    static final LongAdder rendered = new LongAdder(), bytes = new LongAdder(), behind = new LongAdder();

    record Product(String sku, String title, long cents, List<String> tags, Map<String, String> attributes) {}

    static class Parser {
        Product parse(String line) {
            String[] f = line.split("\\|");
            Map<String, String> attributes = new LinkedHashMap<>();
            for (int i = 4; i < f.length; i++) {
                int eq = f[i].indexOf('=');
                attributes.put(f[i].substring(0, eq), f[i].substring(eq + 1));
            }
            return new Product(f[0], f[1], Long.parseLong(f[2]), List.of(f[3].split(",")), attributes);
        }
    }

    static class Renderer {
        String render(Product p) {
            StringBuilder b = new StringBuilder(700);
            b.append("{\"sku\":\"").append(p.sku()).append("\",\"title\":\"").append(p.title()).append("\",\"price\":").append(p.cents() / 100).append('.').append(p.cents() % 100);
            b.append(",\"tags\":[");
            for (String t : p.tags()) b.append('"').append(t).append("\",");
            b.setLength(b.length() - 1);
            b.append("],\"attributes\":{");
            p.attributes().forEach((k, v) -> b.append('"').append(k).append("\":\"").append(v).append("\","));
            b.setLength(b.length() - 1);
            return b.append("}}").toString();
        }
    }

    /** The newest rendering of each product, 40,000 products at most. */
    static class Shelf {
        private final ConcurrentHashMap<String, String> latest = new ConcurrentHashMap<>(65536);
        void put(String sku, String json) { latest.put(sku, json); }
        int size() { return latest.size(); }
    }

    static class Supplier implements Runnable {
        final BlockingQueue<List<String>> out; final Random rnd;
        Supplier(BlockingQueue<List<String>> out, int no) { this.out = out; rnd = new Random(no); }
        String line() {
            StringBuilder b = new StringBuilder(300);
            int sku = rnd.nextInt(40_000);
            b.append("S").append(sku).append("|Article ").append(sku % 977).append(" in colour ").append(rnd.nextInt(30)).append('|').append(rnd.nextInt(99999)).append("|new,sale,t").append(rnd.nextInt(99));
            for (int i = 0; i < 10; i++) b.append("|attr").append(i).append('=').append(rnd.nextInt(1_000_000));
            return b.toString();
        }
        public void run() {
            long next = System.nanoTime();
            try {
                while (true) {
                    List<String> block = new ArrayList<>();
                    for (int i = 0; i < 150; i++) block.add(line());
                    out.put(block);
                    next += 20_000_000;
                    long wait = next - System.nanoTime();
                    if (wait > 0) TimeUnit.NANOSECONDS.sleep(wait);
                    else if (wait < -1_000_000_000L) { behind.increment(); next = System.nanoTime(); }
                }
            } catch (InterruptedException e) { /* stop */ }
        }
    }

    static class Worker implements Runnable {
        final BlockingQueue<List<String>> in; final Shelf shelf; final Parser parser = new Parser(); final Renderer renderer = new Renderer();
        Worker(BlockingQueue<List<String>> in, Shelf shelf) { this.in = in; this.shelf = shelf; }
        public void run() {
            try {
                while (true) for (String line : in.take()) {
                    Product p = parser.parse(line);
                    String json = renderer.render(p);
                    shelf.put(p.sku(), json);
                    bytes.add(json.length());
                    rendered.increment();
                }
            } catch (InterruptedException e) { /* stop */ }
        }
    }

    static void start(String name, Runnable r) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        BlockingQueue<List<String>> queue = new LinkedBlockingQueue<>(100);
        Shelf shelf = new Shelf();
        for (int i = 0; i < 3; i++) start("render-" + i, new Worker(queue, shelf));
        for (int i = 0; i < 3; i++) start("supplier-" + i, new Supplier(queue, i));
        List<GarbageCollectorMXBean> gcs = ManagementFactory.getGarbageCollectorMXBeans();
        for (int s = 0; s < 150; s++) {
            long d = rendered.sum(), g = gcs.stream().mapToLong(GarbageCollectorMXBean::getCollectionTime).sum();
            Thread.sleep(1000);
            System.out.println("measured: products/s=" + (rendered.sum() - d) + " gcMs=" + (gcs.stream().mapToLong(GarbageCollectorMXBean::getCollectionTime).sum() - g)
                + " shelf=" + shelf.size() + " queued=" + queue.size() + " behind=" + behind.sum());
            if (s == 7) System.out.println("READY");
        }
        System.exit(0);
    }
}
