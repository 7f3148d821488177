// SPDX-License-Identifier: Apache-2.0
// cause: QuoteClient.quote attaches the enrichment with CompletableFuture.thenApply, so QuoteClient.enrich with its blocking customer store read of about 3 ms runs on the single connection thread "wire-reader" that completes the futures, and all other replies on the connection wait behind it.
// share: faulty: 294 quotes/s, mean latency 54.53 ms; fixed: 4624 quotes/s, mean latency 3.47 ms; ratio 15.7 (means over the seconds after warm-up of a run of 9 to 13 s, shared 2-core machine)
// expect: waiting completer=wire-reader
// symptom: waiting
// judge: NAMED: the blocking QuoteClient.enrich / CustomerStore.read runs in the completion of the future on the single "wire-reader" thread (thenApply in place of thenApplyAsync on a pool), which serialises all replies. SYMPTOM ONLY: wire-reader sleeps or waits most of its time; callers wait in CompletableFuture.get/join; low CPU use. WRONG: slow server or network; too few caller threads; lock contention on the output stream; the store as such being too slow as the only cause.
// jdk: 17
// set: twenty-fourth
// jvm:
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** Insurance quotes: many callers share one multiplexed connection to the tariff server. */
public class QuoteClient {
    static final boolean ALT = Boolean.getBoolean("fixed");
    static final int CALLERS = 16;

    record Reply(int id, int premium) { }

    record Quote(int premium, int discount) { }

    static final class CustomerStore {
        int read(int customer) {
            try {
                Thread.sleep(3);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return customer % 17;
        }
    }

    private final Map<Integer, CompletableFuture<Reply>> pending = new ConcurrentHashMap<>();
    private final AtomicInteger ids = new AtomicInteger();
    private final CustomerStore store = new CustomerStore();
    private final ExecutorService pool = Executors.newFixedThreadPool(CALLERS, r -> daemon("enrich", r));
    private final DataOutputStream out;
    private final DataInputStream in;

    QuoteClient(Socket socket) throws IOException {
        socket.setTcpNoDelay(true);
        out = new DataOutputStream(socket.getOutputStream());
        in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
        daemon("wire-reader", this::readReplies).start();
    }

    private void readReplies() {
        try {
            while (true) {
                long frame = in.readLong();
                Reply reply = new Reply((int) (frame >>> 32), (int) frame);
                CompletableFuture<Reply> waiting = pending.remove(reply.id());
                if (waiting != null) {
                    waiting.complete(reply);
                }
            }
        } catch (IOException e) {
            pending.values().forEach(f -> f.completeExceptionally(e));
        }
    }

    private CompletableFuture<Reply> send(int age) throws IOException {
        int id = ids.incrementAndGet();
        CompletableFuture<Reply> future = new CompletableFuture<>();
        pending.put(id, future);
        synchronized (out) {
            out.writeLong((long) id << 32 | age);
        }
        return future;
    }

    private Quote enrich(Reply reply) {
        int discount = store.read(reply.id());
        return new Quote(reply.premium() * (100 - discount) / 100, discount);
    }

    CompletableFuture<Quote> quote(int age) throws IOException {
        CompletableFuture<Reply> reply = send(age);
        return ALT ? reply.thenApplyAsync(this::enrich, pool) : reply.thenApply(this::enrich);
    }

    static Thread daemon(String name, Runnable body) {
        Thread t = new Thread(body, name);
        t.setDaemon(true);
        return t;
    }

    static void serve(ServerSocket server) {
        try (Socket s = server.accept()) {
            s.setTcpNoDelay(true);
            DataInputStream in = new DataInputStream(new BufferedInputStream(s.getInputStream()));
            DataOutputStream out = new DataOutputStream(s.getOutputStream());
            while (true) {
                long frame = in.readLong();
                int age = (int) frame;
                int premium = 20_000 + Math.abs(age - 40) * 150;
                out.writeLong((frame >>> 32) << 32 | premium);
            }
        } catch (IOException e) {
            System.out.println("server closed: " + e.getMessage());
        }
    }

    public static void main(String[] args) throws Exception {
        ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        daemon("tariff-server", () -> serve(server)).start();
        QuoteClient client = new QuoteClient(new Socket(InetAddress.getLoopbackAddress(), server.getLocalPort()));
        LongAdder quotes = new LongAdder();
        LongAdder nanos = new LongAdder();
        LongAdder premiums = new LongAdder();
        for (int i = 0; i < CALLERS; i++) {
            int base = 18 + i;
            daemon("caller-" + i, () -> {
                try {
                    for (int n = 0; ; n++) {
                        long t0 = System.nanoTime();
                        Quote q = client.quote(base + n % 50).get();
                        nanos.add(System.nanoTime() - t0);
                        premiums.add(q.premium());
                        quotes.increment();
                    }
                } catch (Exception e) {
                    System.out.println("caller ended: " + e);
                }
            }).start();
        }
        System.out.println("READY");
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(170);
        while (System.nanoTime() < end) {
            Thread.sleep(1000);
            long n = quotes.sumThenReset();
            long ns = nanos.sumThenReset();
            System.out.printf("measured: %d quotes/s, mean latency %.2f ms%n", n, n == 0 ? 0.0 : ns / 1e6 / n);
        }
        System.exit(0);
    }
}
