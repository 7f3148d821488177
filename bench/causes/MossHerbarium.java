// SPDX-License-Identifier: Apache-2.0
// healthy: six desks ask a bounded LRU cache with one fetch for each key (MossHerbarium$SheetCache) in front of an archive that takes 10 ms a sheet; 99.8 % of the sheets are in it, the lock around the map is held for one lookup only, and desks rest between questions.
// share: nothing: about 1000 questions a second, 0.03 ms each on average until the sheet is there, 0.16 ms of comparing; 0.2 CPUs; no collections worth mention.
// judge: RIGHT: nothing stands out, or a neutral mention that time goes to comparing (MossHerbarium$Desk.likeness, Math.sin), or of the rare waits for the archive as such. WRONG: any accusation: of waits for the archive (socket-read in ArchiveLink.fetch, futures in Desk.run, Thread.sleep in Archive.serve or Desk.run), of the cache (misses, too small), its lock, pool fetcher, thread locals, memory growth, hot code.
// jdk: 25
// set: thirty-sixth
// jvm: -Xmx256m
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;

/** Answers questions about pressed plants; their sheets are in an archive which takes its time, so those asked for often are kept. */
public class MossHerbarium {
    static final AtomicLong asked = new AtomicLong(), fetched = new AtomicLong(), waitNanos = new AtomicLong(), workNanos = new AtomicLong();

    record Sheet(int number, String taxon, double[] leaf) {
    }

    /** The archive's service: ten milliseconds for each sheet. */
    static final class Archive {
        private final ServerSocket door;

        Archive() throws IOException {
            door = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"));
            Thread.ofPlatform().daemon().name("archive-door").start(() -> {
                try {
                    while (true) {
                        Socket s = door.accept();
                        Thread.ofPlatform().daemon().name("archive-room").start(() -> serve(s));
                    }
                } catch (IOException e) {
                    System.err.println(e);
                }
            });
        }

        int port() {
            return door.getLocalPort();
        }

        private void serve(Socket s) {
            try (s; DataInputStream in = new DataInputStream(new BufferedInputStream(s.getInputStream()));
                    DataOutputStream out = new DataOutputStream(new BufferedOutputStream(s.getOutputStream()))) {
                s.setTcpNoDelay(true);
                while (true) {
                    int number = in.readInt();
                    Thread.sleep(10);
                    Random r = new Random(number);
                    out.writeUTF("taxon-" + number % 977);
                    for (int i = 0; i < 64; i++) {
                        out.writeDouble(5 + r.nextDouble() * 20);
                    }
                    out.flush();
                }
            } catch (IOException | InterruptedException e) {
                System.err.println("archive: " + e);
            }
        }
    }

    /** A connection for each thread that fetches. */
    static final class ArchiveLink {
        private final Socket socket;
        private final DataInputStream in;
        private final DataOutputStream out;

        ArchiveLink(int port) {
            try {
                socket = new Socket(InetAddress.getByName("127.0.0.1"), port);
                socket.setTcpNoDelay(true);
                in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
                out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
            } catch (IOException e) {
                throw new CompletionException(e);
            }
        }

        Sheet fetch(int number) {
            try {
                out.writeInt(number);
                out.flush();
                String taxon = in.readUTF();
                double[] leaf = new double[64];
                for (int i = 0; i < leaf.length; i++) {
                    leaf[i] = in.readDouble();
                }
                return new Sheet(number, taxon, leaf);
            } catch (IOException e) {
                throw new CompletionException(e);
            }
        }
    }

    /** The sheets asked for last, each fetched once, however many ask for it at the same time. */
    static final class SheetCache {
        private static final int MOST = 6000;
        private final Map<Integer, CompletableFuture<Sheet>> sheets = new LinkedHashMap<>(16384, 0.75f, true) {
            @Override
            protected boolean removeEldestEntry(Map.Entry<Integer, CompletableFuture<Sheet>> eldest) {
                return size() > MOST;
            }
        };
        private final ExecutorService fetchers = Executors.newFixedThreadPool(4, Thread.ofPlatform().daemon().name("fetcher-", 0).factory());
        private final ThreadLocal<ArchiveLink> links;

        SheetCache(int port) {
            links = ThreadLocal.withInitial(() -> new ArchiveLink(port));
        }

        CompletableFuture<Sheet> sheet(int number) {
            synchronized (sheets) {
                CompletableFuture<Sheet> f = sheets.get(number);
                if (f == null || f.isCompletedExceptionally()) {
                    f = CompletableFuture.supplyAsync(() -> links.get().fetch(number), fetchers);
                    sheets.put(number, f);
                    fetched.incrementAndGet();
                }
                return f;
            }
        }
    }

    /** Compares the leaf in a visitor's hand with the sheets that may match. */
    static final class Desk implements Runnable {
        private final SheetCache cache;
        private final Random random;
        private final Map<String, Integer> named = new HashMap<>();

        Desk(int id, SheetCache cache) {
            this.cache = cache;
            this.random = new Random(500 + id);
        }

        @Override
        public void run() {
            try {
                while (true) {
                    long t = System.nanoTime();
                    Sheet sheet = cache.sheet(popular()).join();
                    long u = System.nanoTime();
                    named.merge(sheet.taxon(), likeness(sheet.leaf()), Math::max);
                    workNanos.addAndGet(System.nanoTime() - u);
                    waitNanos.addAndGet(u - t);
                    asked.incrementAndGet();
                    Thread.sleep(3 + random.nextInt(6));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private int popular() {
            return (int) Math.min(20000, Math.abs(random.nextGaussian() * 640));
        }

        private int likeness(double[] leaf) {
            double best = 0;
            for (int turn = 0; turn < 180; turn++) {
                double sum = 0;
                for (int i = 0; i < leaf.length; i++) {
                    double mine = 12 + 6 * Math.sin(i * 0.098 + turn * 0.035);
                    sum += 1 / (1 + (mine - leaf[i]) * (mine - leaf[i]));
                }
                best = Math.max(best, sum / leaf.length);
            }
            return (int) (best * 100);
        }
    }

    public static void main(String[] args) throws Exception {
        SheetCache cache = new SheetCache(new Archive().port());
        for (int i = 0; i < 1900; i += 50) {
            CompletableFuture<?>[] some = new CompletableFuture<?>[50];
            for (int k = 0; k < 50; k++) {
                some[k] = cache.sheet(i + k);
            }
            CompletableFuture.allOf(some).join();
        }
        for (int i = 0; i < 6; i++) {
            Thread.ofPlatform().name("desk-" + i).start(new Desk(i, cache));
        }
        long la = 0, lf = 0, lw = 0, lc = 0;
        for (int s = 1; ; s++) {
            Thread.sleep(1000);
            long a = asked.get(), f = fetched.get(), w = waitNanos.get(), c = workNanos.get();
            System.out.printf("measured: %d questions, %.2f %% from the cache; %.3f ms each until the sheet is there, %.2f ms to compare; %.2f threads at work%n",
                    a - la, 100.0 - 100.0 * (f - lf) / Math.max(1, a - la), (w - lw) / 1e6 / Math.max(1, a - la), (c - lc) / 1e6 / Math.max(1, a - la), (c - lc) / 1e9);
            la = a;
            lf = f;
            lw = w;
            lc = c;
            if (s == 3) {
                System.out.println("READY");
            }
            System.out.flush();
        }
    }
}
