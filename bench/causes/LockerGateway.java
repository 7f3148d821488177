// SPDX-License-Identifier: Apache-2.0
// cause: LockerGateway$Policy.audit, called from the selector loop (Loop.read, Policy.decide), joins the CompletableFuture of the locker site on the event loop thread gateway, so the loop waits about 6 ms for each of three in four messages and serves nobody else at that time; the 8 callers could do them at the same time.
// share: faulty: 201 answers/s, mean latency 54.4 ms; fixed: 1162 answers/s, mean latency 5.2 ms (after which customers rest 5 ms).
// expect: blocked-loop frame=Policy.audit
// symptom: waiting
// judge: NAMED: the event loop thread gateway waits for a future at Policy.audit (CompletableFuture.join) in place of serving events. SYMPTOM ONLY: customers wait for answers of a server in this process (Line.open), callers wait for a reply of the site (6 ms), without the loop that blocks. WRONG: too few callers (pool-busy), the site server as the one cause, Thread.sleep in the site, held-back data (Nagle), CPU, locks.
// jdk: 11
// set: twenty-fourth
// jvm:
import java.io.*;
import java.net.*;
import java.nio.ByteBuffer;
import java.nio.channels.*;
import java.util.Queue;
import java.util.concurrent.*;
import java.util.concurrent.atomic.AtomicLong;

public class LockerGateway {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final InetAddress LOCAL = InetAddress.getLoopbackAddress();
    static final AtomicLong answered = new AtomicLong();
    static final AtomicLong spent = new AtomicLong();

    static void daemon(String name, Job job) {
        Thread thread = new Thread(() -> {
            try {
                job.run();
            } catch (Exception e) {
                throw new IllegalStateException(name, e);
            }
        }, name);
        thread.setDaemon(true);
        thread.start();
    }

    interface Job {
        void run() throws Exception;
    }

    static int lockerSite() throws Exception {
        ServerSocket server = new ServerSocket(0, 50, LOCAL);
        daemon("site-accept", () -> {
            for (int n = 0; ; n++) {
                Socket socket = server.accept();
                daemon("site-" + n, () -> {
                    socket.setTcpNoDelay(true);
                    DataInputStream in = new DataInputStream(socket.getInputStream());
                    DataOutputStream out = new DataOutputStream(socket.getOutputStream());
                    while (true) {
                        long code = in.readLong();
                        Thread.sleep(6);
                        out.writeLong(code * 31 + 7);
                    }
                });
            }
        });
        return server.getLocalPort();
    }

    static final class Line {
        private final DataInputStream in;
        private final DataOutputStream out;

        Line(int port) throws Exception {
            Socket socket = new Socket(LOCAL, port);
            socket.setTcpNoDelay(true);
            in = new DataInputStream(socket.getInputStream());
            out = new DataOutputStream(socket.getOutputStream());
        }

        long open(long code) {
            try {
                out.writeLong(code);
                return in.readLong();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }

    static final class Sites {
        private final BlockingQueue<Line> lines = new LinkedBlockingQueue<>();
        private final ExecutorService callers = Executors.newFixedThreadPool(8);

        Sites(int port) throws Exception {
            for (int i = 0; i < 8; i++) lines.add(new Line(port));
        }

        CompletableFuture<Long> open(long code) {
            return CompletableFuture.supplyAsync(() -> {
                Line line = lines.remove();
                try {
                    return line.open(code);
                } finally {
                    lines.add(line);
                }
            }, callers);
        }
    }

    static final class Policy {
        private final Sites sites;

        Policy(Sites sites) {
            this.sites = sites;
        }

        CompletableFuture<Long> decide(long code) {
            if (code % 4 == 0) return CompletableFuture.completedFuture(code + 1);
            CompletableFuture<Long> opened = sites.open(code);
            return FIXED ? opened : CompletableFuture.completedFuture(audit(code, opened));
        }

        private long audit(long code, CompletableFuture<Long> opened) {
            return opened.thenApply(reply -> reply ^ code).join() ^ code;
        }
    }

    static final class Loop {
        private final Selector selector = Selector.open();
        private final Queue<Runnable> replies = new ConcurrentLinkedQueue<>();
        private final ServerSocketChannel server = ServerSocketChannel.open();
        private final Policy policy;

        Loop(Policy policy) throws Exception {
            this.policy = policy;
            server.bind(new InetSocketAddress(LOCAL, 0));
            server.configureBlocking(false).register(selector, SelectionKey.OP_ACCEPT);
        }

        void run() throws Exception {
            while (true) {
                selector.select();
                for (Runnable reply; (reply = replies.poll()) != null; ) reply.run();
                for (SelectionKey key : selector.selectedKeys()) {
                    if (key.isAcceptable()) {
                        SocketChannel channel = server.accept();
                        channel.configureBlocking(false).register(selector, SelectionKey.OP_READ, ByteBuffer.allocate(8));
                    } else {
                        read(key);
                    }
                }
                selector.selectedKeys().clear();
            }
        }

        private void read(SelectionKey key) throws Exception {
            SocketChannel channel = (SocketChannel) key.channel();
            ByteBuffer buffer = (ByteBuffer) key.attachment();
            channel.read(buffer);
            if (buffer.hasRemaining()) return;
            buffer.flip();
            long code = buffer.getLong();
            buffer.clear();
            policy.decide(code).thenAccept(reply -> {
                replies.add(() -> write(channel, reply));
                selector.wakeup();
            });
        }

        private void write(SocketChannel channel, long reply) {
            try {
                channel.write((ByteBuffer) ByteBuffer.allocate(8).putLong(reply).flip());
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }

    static void customer(int port, int number) throws Exception {
        Line line = new Line(port);
        for (long code = number; ; code += 13) {
            long start = System.nanoTime();
            line.open(code);
            spent.addAndGet(System.nanoTime() - start);
            answered.incrementAndGet();
            Thread.sleep(5);
        }
    }

    public static void main(String[] args) throws Exception {
        Loop loop = new Loop(new Policy(new Sites(lockerSite())));
        daemon("gateway", loop::run);
        int port = loop.server.socket().getLocalPort();
        for (int i = 0; i < 12; i++) {
            int number = i;
            daemon("customer-" + i, () -> customer(port, number));
        }
        System.out.println("READY");
        for (int second = 0; second < 170; second++) {
            long n = answered.get();
            long t = spent.get();
            Thread.sleep(1000);
            long count = answered.get() - n;
            System.out.printf("measured: %d answers/s, mean latency %.2f ms%n", count, count == 0 ? 0.0 : (spent.get() - t) / 1e6 / count);
        }
        System.exit(0);
    }
}
