// SPDX-License-Identifier: Apache-2.0
// cause: the shard executor made in QueryFanout.shardExecutor never grows: ThreadPoolExecutor(2 core, 32 max, unbounded LinkedBlockingQueue) stays at 2 threads, as it would only grow when the queue is full; shard requests wait in the queue while 30 permitted threads are never started
// share: a shard request waits about 150 ms in the executor's queue, of about 180 ms per query (fixed 0-2 ms of 18-20 ms); about 28 queries/s, fixed 250-380/s (10x)
// judge: names the cause: "executor stays at its 2 core threads with an unbounded queue (max 32 has no effect), tasks wait in the queue before they run; its threads are always waiting in ShardClient.search". True, only symptoms: "the front threads wait for futures in QueryFanout.answer", "pool threads wait for the network", "CPU is idle". Wrong: "lock contention", "the shard (simulator) sleeps/ is slow" as the cause, "GC", "a CPU hot spot", "reduce the number of threads".
// expect: pool-busy pool=shard-call
// symptom: waiting
// jdk: 17
// set: fifteenth
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** Search broker: sends each query to all shards of the index at once and merges their best hits. */
public final class QueryFanout {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final int SHARDS = 6, FRONT = 5, TOP = 10;
    static final LongAdder QUERIES = new LongAdder();
    static final LongAdder REQUESTS = new LongAdder();
    static final LongAdder QUEUED_NANOS = new LongAdder();
    static final LongAdder QUERY_NANOS = new LongAdder();

    record Hit(int document, float score) { }

    /** A pool thread's connections, one per shard. */
    static final class ShardClient {
        private final DataInputStream[] in = new DataInputStream[SHARDS];
        private final DataOutputStream[] out = new DataOutputStream[SHARDS];

        ShardClient(int port) {
            try {
                for (int i = 0; i < SHARDS; i++) {
                    Socket s = new Socket(InetAddress.getLoopbackAddress(), port);
                    s.setTcpNoDelay(true);
                    in[i] = new DataInputStream(s.getInputStream());
                    out[i] = new DataOutputStream(s.getOutputStream());
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        List<Hit> search(int shard, int query) throws IOException {
            out[shard].writeInt(query);
            byte[] reply = new byte[8 * TOP];
            in[shard].readFully(reply);
            java.nio.ByteBuffer b = java.nio.ByteBuffer.wrap(reply);
            List<Hit> hits = new ArrayList<>(TOP);
            for (int i = 0; i < TOP; i++) {
                hits.add(new Hit(b.getInt(), b.getFloat()));
            }
            return hits;
        }
    }

    private final ThreadLocal<ShardClient> client;
    private final ExecutorService shards = shardExecutor();

    QueryFanout(int port) {
        client = ThreadLocal.withInitial(() -> new ShardClient(port));
    }

    static ExecutorService shardExecutor() {
        AtomicInteger n = new AtomicInteger();
        ThreadPoolExecutor e = new ThreadPoolExecutor(FIXED ? 32 : 2, 32, 60, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), r -> {
            Thread t = new Thread(r, "shard-call-" + n.incrementAndGet());
            t.setDaemon(true);
            return t;
        });
        e.allowCoreThreadTimeOut(true);
        return e;
    }

    List<Hit> answer(int query) throws Exception {
        List<Future<List<Hit>>> parts = new ArrayList<>(SHARDS);
        for (int i = 0; i < SHARDS; i++) {
            int shard = i;
            long submitted = System.nanoTime();
            parts.add(shards.submit(() -> {
                QUEUED_NANOS.add(System.nanoTime() - submitted);
                REQUESTS.increment();
                return client.get().search(shard, query);
            }));
        }
        List<Hit> all = new ArrayList<>(SHARDS * TOP);
        for (Future<List<Hit>> p : parts) {
            all.addAll(p.get());
        }
        all.sort((a, b) -> Float.compare(b.score(), a.score()));
        return all.subList(0, TOP);
    }

    /** Stands for the shards, which run on other machines: 10 ms per search. */
    static void shardServer(ServerSocket server) {
        try {
            for (int n = 0;; n++) {
                Socket s = server.accept();
                start("shard-peer-" + n, () -> shardPeer(s));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static void shardPeer(Socket s) {
        try {
            s.setTcpNoDelay(true);
            DataInputStream in = new DataInputStream(s.getInputStream());
            java.nio.ByteBuffer b = java.nio.ByteBuffer.allocate(8 * TOP);
            while (true) {
                Random random = new Random(in.readInt());
                Thread.sleep(10);
                b.clear();
                for (int i = 0; i < TOP; i++) {
                    b.putInt(random.nextInt(1_000_000)).putFloat(random.nextFloat());
                }
                s.getOutputStream().write(b.array());
            }
        } catch (IOException | InterruptedException e) {
            // broker has gone
        }
    }

    public static void main(String[] args) throws Exception {
        ServerSocket server = new ServerSocket(0, 256, InetAddress.getLoopbackAddress());
        start("shard-accept", () -> shardServer(server));
        QueryFanout broker = new QueryFanout(server.getLocalPort());
        for (int i = 0; i < FRONT; i++) {
            Random random = new Random(i);
            start("front-" + i, () -> {
                try {
                    while (true) {
                        long t0 = System.nanoTime();
                        broker.answer(random.nextInt());
                        QUERY_NANOS.add(System.nanoTime() - t0);
                        QUERIES.increment();
                    }
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            });
        }
        System.out.println("READY");
        long last = 0, lastNanos = 0, lastQueued = 0, lastRequests = 0;
        while (true) {
            Thread.sleep(1000);
            long n = QUERIES.sum(), q = QUERY_NANOS.sum(), w = QUEUED_NANOS.sum(), r = REQUESTS.sum();
            System.out.printf("measured: %d queries/s, %.0f ms each; a shard request waits %.0f ms in the executor's queue%n",
                    n - last, (q - lastNanos) / 1e6 / Math.max(1, n - last), (w - lastQueued) / 1e6 / Math.max(1, r - lastRequests));
            last = n;
            lastNanos = q;
            lastQueued = w;
            lastRequests = r;
        }
    }

    static void start(String name, Runnable r) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }
}
