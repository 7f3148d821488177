// SPDX-License-Identifier: Apache-2.0
// healthy: an ordinary bounded cache (least recently used, one load for each key at a time) in front of a store that needs some 10 ms for a record; nearly all requests hit, pages are rendered from what the cache has, and the loads that remain are few and needed
// share: 99.4 to 99.7 % of 4300 pages a second hit; 13 to 27 loads a second of 10.4 ms each (0.2 threads on average wait for the store); a page takes 0.1 ms; 0.26 CPUs
// judge: RIGHT: nothing stands out, no fault shows, or neutral statements of where time goes (rendering in MuseumCatalogue$PageDesk.render, waiting for the store's answer at MuseumCatalogue$StoreLink.load, neutral). WRONG: an accusation: that the cache misses (cache-misses as a fault), that waiting for the store's answer is a fault, lock contention at the cache's monitor, too few threads, a stuck or blocked store, a slow service, collections.
// jdk: 8
// set: thirty-first
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.LongAdder;

public class MuseumCatalogue {
    static final int OBJECTS = 40000, SHOWN = 2500, CACHED = 4000;
    static final LongAdder requests = new LongAdder(), loads = new LongAdder(), requestNanos = new LongAdder(), loadNanos = new LongAdder();

    static final class Item {
        final int number;
        final String text;
        Item(int number, String text) { this.number = number; this.text = text; }
    }

    /** The archive's old record server: one connection for each client, some 10 ms for a record. */
    static final class Archive implements Runnable {
        private final ServerSocket server;
        Archive() throws IOException { server = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1")); }
        int port() { return server.getLocalPort(); }
        private byte[] record(int number) {
            StringBuilder s = new StringBuilder();
            Random random = new Random(number);
            for (int i = 0; i < 400; i++) s.append("word").append(random.nextInt(300)).append(' ');
            byte[] text = s.toString().getBytes(StandardCharsets.US_ASCII);
            return ByteBuffer.allocate(4 + text.length).putInt(text.length).put(text).array();
        }
        private void serve(Socket socket) {
            try (Socket s = socket) {
                s.setTcpNoDelay(true);
                DataInputStream in = new DataInputStream(new BufferedInputStream(s.getInputStream()));
                OutputStream out = s.getOutputStream();
                for (;;) {
                    int number = in.readInt();
                    Thread.sleep(10);
                    out.write(record(number));
                }
            } catch (IOException e) {
                return;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        public void run() {
            try {
                for (int i = 0;; i++) {
                    Socket s = server.accept();
                    Thread t = new Thread(() -> serve(s), "archive-" + i);
                    t.setDaemon(true);
                    t.start();
                }
            } catch (IOException e) {
                System.err.println(e);
            }
        }
    }

    /** A connection to the archive; each desk has its own. */
    static final class StoreLink {
        private final DataInputStream in;
        private final OutputStream out;
        StoreLink(int port) throws IOException {
            Socket s = new Socket("127.0.0.1", port);
            s.setTcpNoDelay(true);
            in = new DataInputStream(new BufferedInputStream(s.getInputStream()));
            out = s.getOutputStream();
        }
        Item load(int number) throws IOException {
            long begin = System.nanoTime();
            out.write(ByteBuffer.allocate(4).putInt(number).array());
            byte[] text = new byte[in.readInt()];
            in.readFully(text);
            loads.increment();
            loadNanos.add(System.nanoTime() - begin);
            return new Item(number, new String(text, StandardCharsets.US_ASCII));
        }
    }

    static final class ItemCache {
        private final Map<Integer, FutureTask<Item>> items = new LinkedHashMap<Integer, FutureTask<Item>>(CACHED * 2, 0.75f, true) {
            @Override protected boolean removeEldestEntry(Map.Entry<Integer, FutureTask<Item>> e) { return size() > CACHED; }
        };
        Item get(int number, StoreLink link) throws InterruptedException {
            FutureTask<Item> mine = null, task;
            synchronized (items) {
                task = items.get(number);
                if (task == null) items.put(number, task = mine = new FutureTask<>(() -> link.load(number)));
            }
            if (mine != null) mine.run();
            try {
                return task.get();
            } catch (ExecutionException e) {
                synchronized (items) { items.remove(number, task); }
                throw new IllegalStateException(e.getCause());
            }
        }
    }

    static final class PageDesk implements Runnable {
        private final ItemCache cache;
        private final StoreLink link;
        private final Random random;
        private long pages;
        PageDesk(ItemCache cache, StoreLink link, long seed) { this.cache = cache; this.link = link; random = new Random(seed); }

        private int wanted() {
            if (random.nextInt(250) == 0) return SHOWN + random.nextInt(OBJECTS - SHOWN);
            return (int) (SHOWN * Math.pow(random.nextDouble(), 2));
        }

        String render(Item item) {
            String[] words = item.text.split(" ");
            Map<String, Integer> terms = new LinkedHashMap<>();
            for (String w : words) terms.merge(w, 1, Integer::sum);
            StringBuilder page = new StringBuilder("<h1>").append(item.number).append("</h1><p>");
            for (String w : words) page.append(terms.get(w) > 1 ? "<b>" : "").append(w).append(terms.get(w) > 1 ? "</b> " : " ");
            return page.append("</p>").toString();
        }

        public void run() {
            try {
                for (;;) {
                    for (int i = 0; i < 10; i++) {
                        long begin = System.nanoTime();
                        pages += render(cache.get(wanted(), link)).length();
                        requestNanos.add(System.nanoTime() - begin);
                        requests.increment();
                    }
                    Thread.sleep(8);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Archive archive = new Archive();
        Thread a = new Thread(archive, "archive-door");
        a.setDaemon(true);
        a.start();
        ItemCache cache = new ItemCache();
        StoreLink[] warm = new StoreLink[20];
        Thread[] warmers = new Thread[warm.length];
        for (int i = 0; i < warm.length; i++) {
            int from = i;
            StoreLink link = warm[i] = new StoreLink(archive.port());
            warmers[i] = new Thread(() -> {
                try {
                    for (int n = from; n < SHOWN; n += warm.length) cache.get(n, link);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }, "preload-" + i);
            warmers[i].start();
        }
        for (Thread t : warmers) t.join();
        for (StoreLink l : warm) {
            l.out.close();
        }
        for (int i = 0; i < 4; i++) new Thread(new PageDesk(cache, new StoreLink(archive.port()), i), "page-desk-" + i).start();
        Thread.sleep(2000);
        System.out.println("READY");
        System.out.flush();
        for (;;) {
            long r = requests.sum(), l = loads.sum(), rn = requestNanos.sum(), ln = loadNanos.sum();
            Thread.sleep(1000);
            long dr = Math.max(1, requests.sum() - r), dl = loads.sum() - l;
            System.out.printf("measured: %d pages, %.3f ms each; %.2f %% hits, %d loads of %.1f ms%n", dr, (requestNanos.sum() - rn) / 1e6 / dr, 100.0 - 100.0 * dl / dr, dl, (loadNanos.sum() - ln) / 1e6 / Math.max(1, dl));
            System.out.flush();
        }
    }
}
