// SPDX-License-Identifier: Apache-2.0
// healthy: a bounded cache (least recently used goes first) in front of an archive that needs 15 ms for an article: some 99 % of the lookups find theirs in the cache, an article that is missing is loaded once however many ask for it, and outside of any lock
// share: 99.2 to 99.8 % of 600 lookups a second from the cache, 0.4 ms a page on average; 0.2 CPUs
// judge: RIGHT: nothing stands out, or only neutral remarks (time goes to computing in SpeciesGuide$Page.render, or to waiting for the archive, no fault shows). WRONG: any accusation: the cache misses too much, keys without equals, a lock (SpeciesGuide$Shelf), futures that wait for a pool, a slow server as a fault, idle.
// jdk: 11
// set: thirty-third
// jvm: -Xmx192m

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** Articles of a field guide to plants; those that people read today are few, the archive has forty thousand. */
public class SpeciesGuide {
    static final int SPECIES = 40_000;
    static final int READERS = 8;

    /** The archive: a server that takes its time. */
    static final class Archive implements Runnable {
        private final ServerSocket port;

        Archive(ServerSocket port) {
            this.port = port;
        }

        @Override
        public void run() {
            while (true) {
                try {
                    Socket s = port.accept();
                    start(() -> serve(s), "archive-line");
                } catch (IOException e) {
                    return;
                }
            }
        }

        private void serve(Socket socket) {
            try (Socket s = socket) {
                s.setTcpNoDelay(true);
                DataInputStream in = new DataInputStream(s.getInputStream());
                DataOutputStream out = new DataOutputStream(new BufferedOutputStream(s.getOutputStream(), 4096));
                while (true) {
                    int species = in.readInt();
                    LockSupport.parkNanos(15_000_000);
                    byte[] article = new byte[1500];
                    new Random(species).nextBytes(article);
                    out.writeInt(article.length);
                    out.write(article);
                    out.flush();
                }
            } catch (IOException e) {
                // the reader has gone
            }
        }
    }

    /** One line to the archive for each thread that reads. */
    static final class ArchiveLine {
        private final DataInputStream in;
        private final DataOutputStream out;

        ArchiveLine(int port) throws IOException {
            Socket s = new Socket(InetAddress.getByName("127.0.0.1"), port);
            s.setTcpNoDelay(true);
            in = new DataInputStream(s.getInputStream());
            out = new DataOutputStream(new BufferedOutputStream(s.getOutputStream()));
        }

        byte[] fetch(int species) {
            try {
                out.writeInt(species);
                out.flush();
                byte[] article = new byte[in.readInt()];
                in.readFully(article);
                return article;
            } catch (IOException e) {
                throw new CompletionException(e);
            }
        }
    }

    static final class Shelf {
        final AtomicLong hits = new AtomicLong(), misses = new AtomicLong();
        private final Map<Integer, CompletableFuture<byte[]>> articles =
                new LinkedHashMap<Integer, CompletableFuture<byte[]>>(4096, 0.75f, true) {
                    @Override
                    protected boolean removeEldestEntry(Map.Entry<Integer, CompletableFuture<byte[]>> eldest) {
                        return size() > 4000;
                    }
                };

        byte[] article(int species, ArchiveLine line) {
            CompletableFuture<byte[]> mine = null, there;
            synchronized (articles) {
                there = articles.get(species);
                if (there == null) {
                    articles.put(species, mine = new CompletableFuture<>());
                }
            }
            if (mine == null) {
                hits.incrementAndGet();
                return there.join();
            }
            misses.incrementAndGet();
            try {
                mine.complete(line.fetch(species));
            } catch (RuntimeException e) {
                synchronized (articles) {
                    articles.remove(species, mine);
                }
                mine.completeExceptionally(e);
            }
            return mine.join();
        }
    }

    static final class Page {
        int render(byte[] article) {
            int width = 0, lines = 0;
            for (int round = 0; round < 300; round++) {
                for (byte b : article) {
                    width += 3 + (b & 15) + (round & 1);
                    if (width > 640) {
                        width = 0;
                        lines++;
                    }
                }
            }
            return lines;
        }
    }

    static void read(int number, Shelf shelf, int port, AtomicLong time, AtomicLong lines) {
        try {
            ArchiveLine line = new ArchiveLine(port);
            Page page = new Page();
            Random random = new Random(number);
            while (true) {
                LockSupport.parkNanos(8_000_000L + random.nextInt(8_000_000));
                double popular = random.nextDouble();
                int species = random.nextInt(200) < 199 ? (int) (3000 * popular * popular) : random.nextInt(SPECIES);
                long begun = System.nanoTime();
                lines.addAndGet(page.render(shelf.article(species, line)));
                time.addAndGet(System.nanoTime() - begun);
            }
        } catch (IOException | CompletionException e) {
            System.out.println("reader " + number + " ended: " + e);
        }
    }

    static void start(Runnable r, String name) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        ServerSocket port = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"));
        start(new Archive(port), "archive");
        Shelf shelf = new Shelf();
        ArchiveLine first = new ArchiveLine(port.getLocalPort());
        AtomicLong time = new AtomicLong(), lines = new AtomicLong();
        for (int i = 0; i < 3000; i++) {
            CompletableFuture<byte[]> f = new CompletableFuture<>();
            byte[] article = new byte[1500];
            new Random(i).nextBytes(article);
            f.complete(article);
            shelf.articles.put(i, f);
        }
        if (first.fetch(1).length == 0) {
            return;
        }
        for (int i = 0; i < READERS; i++) {
            int number = i;
            start(() -> read(number, shelf, port.getLocalPort(), time, lines), "reader-" + i);
        }
        Thread.sleep(4000);
        System.out.println("READY");
        System.out.flush();
        long h = shelf.hits.get(), m = shelf.misses.get(), w = time.get();
        while (true) {
            Thread.sleep(1000);
            long hn = shelf.hits.get(), mn = shelf.misses.get(), wn = time.get();
            long n = Math.max(1, hn - h + mn - m);
            System.out.printf(Locale.ROOT, "measured: %d pages/s, %.1f %% from the cache, %.2f ms each on average%n",
                    hn - h + mn - m, 100.0 * (hn - h) / n, (wn - w) / 1e6 / n);
            System.out.flush();
            h = hn;
            m = mn;
            w = wn;
        }
    }
}
