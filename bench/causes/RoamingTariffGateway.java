// SPDX-License-Identifier: Apache-2.0
// cause: RoamingTariffGateway.Rating.handle borrows one of only four store connections before it calls the partner network (about 20 ms) and keeps it during that call, so all other workers wait for a connection.
// share: throughput and latency: 193 requests/s at 126 ms with the fault, 1,155 requests/s at 20.8 ms without it (83 % of the throughput lost).
// judge: right = the worker threads wait in StorePool.borrow because Rating.handle holds the store connection across the remote partner call PartnerClient.ask (hold it only around the store access); half right = "store connection pool too small/exhausted" naming StorePool.borrow and that the connection is held while waiting for the partner; symptom only = waiting in ArrayBlockingQueue.take or in the socket read; wrong = CPU, GC, the store itself being at fault, idle worker threads.
// expect: waiting kind=pool holder=Channel.exchange
// symptom: pool-busy waiting
// set: nineteenth
// jdk: 8
import java.io.*;
import java.net.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class RoamingTariffGateway {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final AtomicLong answered = new AtomicLong();
    static final AtomicLong nanos = new AtomicLong();

    static ServerSocket serve(String name, long pauseMillis) throws IOException {
        ServerSocket server = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
        daemon(name + "-accept", () -> {
            try {
                for (int n = 0; ; n++) {
                    Socket s = server.accept();
                    s.setTcpNoDelay(true);
                    daemon(name + "-" + n, () -> {
                        try {
                            InputStream in = s.getInputStream();
                            OutputStream out = s.getOutputStream();
                            byte[] buf = new byte[8];
                            for (int r; (r = in.read(buf)) > 0; ) {
                                if (pauseMillis > 0) {
                                    Thread.sleep(pauseMillis);
                                }
                                out.write(buf, 0, r);
                            }
                        } catch (Exception e) {
                            return;
                        }
                    });
                }
            } catch (IOException e) {
                return;
            }
        });
        return server;
    }

    static void daemon(String name, Runnable r) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    static class Channel {
        final Socket socket;

        Channel(int port) {
            try {
                socket = new Socket(InetAddress.getLoopbackAddress(), port);
                socket.setTcpNoDelay(true);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        int exchange(int value) {
            try {
                socket.getOutputStream().write(new byte[] {(byte) (value & 63)});
                return socket.getInputStream().read();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    static final class StorePool {
        private final BlockingQueue<Channel> free = new ArrayBlockingQueue<>(4);

        StorePool(int port) {
            for (int i = 0; i < 4; i++) {
                free.add(new Channel(port));
            }
        }

        Channel borrow() throws InterruptedException {
            return free.take();
        }
        void giveBack(Channel c) {
            free.add(c);
        }
    }

    static final class PartnerClient {
        private final ThreadLocal<Channel> channel;

        PartnerClient(int port) {
            channel = ThreadLocal.withInitial(() -> new Channel(port));
        }

        int ask(int subscriber) {
            return channel.get().exchange(subscriber);
        }
    }

    static final class Rating {
        final StorePool store;
        final PartnerClient partner;

        Rating(StorePool store, PartnerClient partner) {
            this.store = store;
            this.partner = partner;
        }

        int handle(int subscriber) throws InterruptedException {
            int early = FIXED ? partner.ask(subscriber) : -1;
            Channel c = store.borrow();
            try {
                int profile = c.exchange(subscriber);
                int rate = FIXED ? early : partner.ask(subscriber);
                return c.exchange(profile + rate);
            } finally {
                store.giveBack(c);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        ServerSocket partner = serve("partner", 20);
        ServerSocket db = serve("store", 0);
        Rating rating = new Rating(new StorePool(db.getLocalPort()), new PartnerClient(partner.getLocalPort()));
        AtomicInteger names = new AtomicInteger();
        ExecutorService workers = Executors.newFixedThreadPool(24, r -> {
            Thread t = new Thread(r, "rating-" + names.getAndIncrement());
            t.setDaemon(true);
            return t;
        });
        for (int i = 0; i < 24; i++) {
            final int first = i;
            daemon("handset-" + i, () -> {
                for (AtomicInteger k = new AtomicInteger(first); ; ) {
                    long t0 = System.nanoTime();
                    try {
                        workers.submit(() -> rating.handle(k.addAndGet(7))).get();
                    } catch (Exception e) {
                        return;
                    }
                    nanos.addAndGet(System.nanoTime() - t0);
                    answered.incrementAndGet();
                }
            });
        }
        Thread.sleep(3000);
        System.out.println("READY");
        for (int s = 0; s < 165; s++) {
            long a = answered.get(), b = nanos.get();
            Thread.sleep(1000);
            long n = answered.get() - a;
            System.out.println("measured: " + n + " requests/s latency=" + (nanos.get() - b) / Math.max(1, n) / 1000 + "us");
        }
        System.exit(0);
    }
}
