// SPDX-License-Identifier: Apache-2.0
// cause: the event loop of the gateway waits for the customs register's future in BerthGateway$Clearance.check (called by the loop through Router.handle), so that no other connection is served in that time
// share: medians of 1 s on a busy machine of 2 CPUs: 368 answers/s, 25.10 ms each; with -Dfixed=true: 2023 answers/s, 2.78 ms each
// expect: blocked-loop thread=berth-loop
// symptom: waiting
// judge: NAMED: the thread berth-loop runs an event loop and waits for a future within it, at Clearance.check; SYMPTOM ONLY: clients wait for answers (Pilot), workers of register sleep, waiting for a future without saying that it is the loop; WRONG: more threads for the register, CPU, locks, the register itself is too slow as the first thing
// jdk: 21
// set: twenty-eighth
// jvm: -Xmx64m -XX:+UseSerialGC
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.LongAdder;

public class BerthGateway {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final long SPAN = Long.getLong("span", 170) * 1000000000L;
    static final LongAdder done = new LongAdder(), nanos = new LongAdder();

    /** The customs register: a clearance takes some milliseconds there. */
    static final class Register {
        final ExecutorService desks = Executors.newFixedThreadPool(16, r -> {
            Thread t = new Thread(r);
            t.setName("register-" + t.threadId());
            t.setDaemon(true);
            return t;
        });

        CompletableFuture<Integer> clearance(int ship) {
            return CompletableFuture.supplyAsync(() -> {
                try {
                    Thread.sleep(4 + ship % 3);
                } catch (InterruptedException e) {
                    return -1;
                }
                return ship * 31 % 1000;
            }, desks);
        }
    }

    record Reply(SocketChannel to, int value) {
    }

    static final class Clearance {
        final Register register = new Register();
        final Loop loop;

        Clearance(Loop loop) {
            this.loop = loop;
        }

        void check(SocketChannel from, int ship) {
            CompletableFuture<Integer> answer = register.clearance(ship);
            if (FIXED) answer.thenAccept(v -> loop.later(new Reply(from, v)));
            else loop.reply(new Reply(from, answer.join()));
        }
    }

    static final class Router {
        final Clearance clearance;
        final Loop loop;
        final int[] berths = new int[64];

        Router(Loop loop) {
            this.loop = loop;
            clearance = new Clearance(loop);
        }

        void handle(SocketChannel from, int kind, int ship) {
            switch (kind) {
                case 0 -> loop.reply(new Reply(from, berths[ship & 63]++));
                case 1 -> loop.reply(new Reply(from, ship % 14));
                default -> clearance.check(from, ship);
            }
        }
    }

    static final class Loop implements Runnable {
        final Selector selector = Selector.open();
        final ServerSocketChannel door = ServerSocketChannel.open();
        final Queue<Reply> ready = new ConcurrentLinkedQueue<>();
        final ByteBuffer in = ByteBuffer.allocateDirect(64), out = ByteBuffer.allocateDirect(64);
        final Router router = new Router(this);

        Loop() throws IOException {
            door.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
            door.configureBlocking(false);
            door.register(selector, SelectionKey.OP_ACCEPT);
        }

        void later(Reply r) {
            ready.add(r);
            selector.wakeup();
        }

        void reply(Reply r) {
            try {
                out.clear();
                out.putInt(r.value()).flip();
                while (out.hasRemaining()) r.to().write(out);
            } catch (IOException e) {
                close(r.to());
            }
        }

        void close(SocketChannel c) {
            try {
                c.close();
            } catch (IOException e) {
                return;
            }
        }

        void event(SelectionKey k) throws IOException {
            if (k.isAcceptable()) {
                SocketChannel c = door.accept();
                if (c == null) return;
                c.configureBlocking(false);
                c.setOption(java.net.StandardSocketOptions.TCP_NODELAY, true);
                c.register(selector, SelectionKey.OP_READ);
                return;
            }
            SocketChannel c = (SocketChannel) k.channel();
            in.clear();
            int n = c.read(in);
            if (n < 0) {
                close(c);
                return;
            }
            in.flip();
            while (in.remaining() >= 8) router.handle(c, in.getInt(), in.getInt());
        }

        @Override
        public void run() {
            try {
                while (true) {
                    selector.select(this::safely);
                    for (Reply r; (r = ready.poll()) != null;) reply(r);
                }
            } catch (IOException e) {
                e.printStackTrace();
            }
        }

        void safely(SelectionKey k) {
            try {
                event(k);
            } catch (IOException e) {
                k.cancel();
            }
        }
    }

    static final class Pilot implements Runnable {
        final int port, nr;

        Pilot(int port, int nr) {
            this.port = port;
            this.nr = nr;
        }

        @Override
        public void run() {
            Random r = new Random(nr);
            try (Socket s = new Socket(InetAddress.getLoopbackAddress(), port)) {
                s.setTcpNoDelay(true);
                DataInputStream answers = new DataInputStream(s.getInputStream());
                byte[] q = new byte[8];
                while (true) {
                    ByteBuffer.wrap(q).putInt(r.nextInt(4)).putInt(r.nextInt(5000));
                    long t = System.nanoTime();
                    s.getOutputStream().write(q);
                    byte[] a = answers.readNBytes(4);
                    if (a.length < 4) return;
                    nanos.add(System.nanoTime() - t);
                    done.increment();
                    Thread.sleep(2);
                }
            } catch (IOException | InterruptedException e) {
                e.printStackTrace();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        long until = System.nanoTime() + SPAN;
        Loop loop = new Loop();
        Thread l = new Thread(loop, "berth-loop");
        l.setDaemon(true);
        l.start();
        int port = ((InetSocketAddress) loop.door.getLocalAddress()).getPort();
        for (int i = 0; i < 10; i++) {
            Thread t = new Thread(new Pilot(port, i), "pilot-" + i);
            t.setDaemon(true);
            t.start();
        }
        Thread.sleep(2000);
        System.out.println("READY");
        done.sumThenReset();
        nanos.sumThenReset();
        while (System.nanoTime() < until) {
            Thread.sleep(1000);
            long n = done.sumThenReset();
            System.out.printf("measured: %d answers/s, %.2f ms each%n", n, nanos.sumThenReset() / 1e6 / Math.max(1, n));
        }
    }
}
