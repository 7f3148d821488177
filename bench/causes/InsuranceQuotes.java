// SPDX-License-Identifier: Apache-2.0
// cause: InsuranceQuotes.Archive.store submits its blocking socket calls (40 ms each, in batches of 16) with CompletableFuture.runAsync to the common ForkJoinPool, whose 4 threads are then occupied by archive waits, so the short pricing tasks that InsuranceQuotes.quote sends to the same pool with supplyAsync wait in its queue.
// share: faulty quotes/s 183, mean_ms 38; fixed quotes/s 1535, mean_ms 0.08 (means over seconds 3 to 12); throughput 8.4 times better when fixed
// expect: pool-busy pool=ForkJoinPool.commonPool
// symptom: waiting
// judge: NAMED: the common ForkJoinPool is shared by blocking archive calls (InsuranceQuotes.Archive.send, socket read) and short pricing tasks; the blocking calls occupy all its workers, so pricing waits in the pool's queue; the archive needs its own executor. SYMPTOM ONLY: request threads wait in CompletableFuture.join; pool threads wait in socket reads; high latency with idle CPU; the archive answers in 40 ms. WRONG: GC, CPU shortage, lock contention, pricing computation slow, deadlock, the request threads' pause.
// jdk: 17
// set: twenty-third
// jvm: -Djava.util.concurrent.ForkJoinPool.common.parallelism=4
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.atomic.AtomicLong;

public class InsuranceQuotes {
    static final boolean FIXED = Boolean.getBoolean("fixed");

    record Risk(int age, int sumInsured, int region, boolean smoker) { }

    record Quote(Risk risk, long premiumCents) { }

    static final class Archive {
        final BlockingQueue<Socket> links = new ArrayBlockingQueue<>(16);
        final AtomicLong stored = new AtomicLong();
        final Executor executor = FIXED ? Executors.newFixedThreadPool(4, r -> {
            Thread t = new Thread(r, "archive-worker");
            t.setDaemon(true);
            return t;
        }) : ForkJoinPool.commonPool();

        Archive(int port) throws IOException {
            for (int i = 0; i < 16; i++) {
                links.add(new Socket(InetAddress.getLoopbackAddress(), port));
            }
        }

        void send(Quote q) {
            try {
                Socket s = links.take();
                try {
                    DataOutputStream out = new DataOutputStream(s.getOutputStream());
                    out.writeLong(q.premiumCents());
                    if (new DataInputStream(s.getInputStream()).readLong() == q.premiumCents()) {
                        stored.incrementAndGet();
                    }
                } finally {
                    links.add(s);
                }
            } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        CompletableFuture<Void> store(List<Quote> batch) {
            List<CompletableFuture<Void>> all = new ArrayList<>();
            for (Quote q : batch) {
                all.add(CompletableFuture.runAsync(() -> send(q), executor));
            }
            return CompletableFuture.allOf(all.toArray(new CompletableFuture[0]));
        }
    }

    static void vault(ServerSocket server) {
        try {
            while (true) {
                Socket s = server.accept();
                s.setTcpNoDelay(true);
                daemon("vault", () -> {
                    try {
                        DataInputStream in = new DataInputStream(s.getInputStream());
                        DataOutputStream out = new DataOutputStream(s.getOutputStream());
                        while (true) {
                            long v = in.readLong();
                            Thread.sleep(40);
                            out.writeLong(v);
                        }
                    } catch (IOException | InterruptedException e) {
                        System.out.println("vault link closed");
                    }
                });
            }
        } catch (IOException e) {
            System.out.println("vault closed");
        }
    }

    final Archive archive;
    final BlockingQueue<Quote> toStore = new ArrayBlockingQueue<>(64);
    final AtomicLong quotes = new AtomicLong();
    final AtomicLong nanos = new AtomicLong();

    InsuranceQuotes(Archive archive) {
        this.archive = archive;
    }

    static long premium(Risk r) {
        double survival = 1.0, sum = 0;
        for (int year = r.age(); year < 100; year++) {
            double q = Math.min(1.0, 0.0004 * Math.exp(0.085 * (year - 30)) * (r.smoker() ? 1.8 : 1.0));
            sum += survival * q * Math.pow(1.015, r.age() - year);
            survival *= 1 - q;
        }
        return Math.round(sum * r.sumInsured() * (1 + r.region() / 100.0) / 30);
    }

    Quote quote(Risk r) {
        CompletableFuture<Long> base = CompletableFuture.supplyAsync(() -> premium(r));
        CompletableFuture<Long> rider = CompletableFuture.supplyAsync(
                () -> premium(new Risk(r.age(), r.sumInsured() / 4, r.region(), false)));
        return new Quote(r, base.thenCombine(rider, Long::sum).join());
    }

    void requests(int seed) {
        Random rnd = new Random(seed);
        try {
            while (true) {
                Risk r = new Risk(20 + rnd.nextInt(50), 5_000_000 + rnd.nextInt(30_000_000), rnd.nextInt(16), rnd.nextInt(4) == 0);
                long t = System.nanoTime();
                Quote q = quote(r);
                nanos.addAndGet(System.nanoTime() - t);
                quotes.incrementAndGet();
                toStore.offer(q);
                Thread.sleep(5);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    void archiver() {
        List<Quote> batch = new ArrayList<>();
        try {
            while (true) {
                batch.clear();
                while (batch.size() < 16) {
                    batch.add(toStore.take());
                }
                archive.store(batch).join();
                Thread.sleep(20);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static void daemon(String name, Runnable r) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        daemon("vault-acceptor", () -> vault(server));
        InsuranceQuotes iq = new InsuranceQuotes(new Archive(server.getLocalPort()));
        daemon("archiver", iq::archiver);
        for (int i = 0; i < 8; i++) {
            int seed = i;
            daemon("request-" + i, () -> iq.requests(seed));
        }
        System.out.println("READY");
        long lastN = 0, lastT = 0;
        for (int s = 1; s <= 170; s++) {
            Thread.sleep(1000);
            long n = iq.quotes.get(), t = iq.nanos.get();
            long dn = n - lastN;
            System.out.printf("measured: quotes/s=%d mean_ms=%.2f archived=%d%n", dn,
                    dn == 0 ? 0.0 : (t - lastT) / 1e6 / dn, iq.archive.stored.get());
            lastN = n;
            lastT = t;
        }
        System.exit(0);
    }
}
