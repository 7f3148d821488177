// SPDX-License-Identifier: Apache-2.0
// cause: The pool made in ParcelRoutingDesk.Desk (ThreadPoolExecutor core 2, maximum 32) has an unbounded LinkedBlockingQueue, so it never grows beyond 2 threads and parcels queue while both wait for the carrier.
// share: throughput and latency: 157 parcels/s at 127 ms with the fault, 1,510 parcels/s at 13.2 ms without it (90 % of the throughput lost).
// judge: right = the "routing" pool of ParcelRoutingDesk$Desk has only 2 threads although up to 32 are meant (core size 2 with an unbounded queue never grows); requests spend their time queued before Desk.route; half right = "routing pool has too few threads, its tasks wait in its queue"; symptom only = waiting in CompletableFuture.get / socket read of Carrier.quote; wrong = CPU, GC, the intake or label threads, contention, the carrier alone.
// expect: pool-busy pool=routing
// symptom: waiting
// set: nineteenth
// jdk: 17
import java.io.*;
import java.net.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class ParcelRoutingDesk {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final AtomicLong routed = new AtomicLong();
    static final AtomicLong nanos = new AtomicLong();

    record Parcel(int number, int zip, CompletableFuture<String> label) { }

    static final class CarrierServer {
        final ServerSocket server;

        CarrierServer() throws IOException {
            server = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
            start("carrier-accept", () -> {
                try {
                    for (int n = 0; ; n++) {
                        Socket s = server.accept();
                        start("carrier-" + n, () -> answer(s));
                    }
                } catch (IOException e) {
                    return;
                }
            });
        }

        void answer(Socket s) {
            try (s) {
                s.setTcpNoDelay(true);
                for (int b; (b = s.getInputStream().read()) >= 0; ) {
                    Thread.sleep(12);
                    s.getOutputStream().write(b % 5);
                }
            } catch (IOException | InterruptedException e) {
                return;
            }
        }
    }

    static final class Carrier {
        final ThreadLocal<Socket> line;

        Carrier(int port) {
            line = ThreadLocal.withInitial(() -> {
                try {
                    Socket s = new Socket(InetAddress.getLoopbackAddress(), port);
                    s.setTcpNoDelay(true);
                    return s;
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }

        int quote(int zip) {
            try {
                Socket s = line.get();
                s.getOutputStream().write(zip & 127);
                return s.getInputStream().read();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    static final class Desk {
        final BlockingQueue<Parcel> intake = new ArrayBlockingQueue<>(64);
        final AtomicInteger names = new AtomicInteger();
        final Carrier carrier;
        final ThreadPoolExecutor routing = new ThreadPoolExecutor(FIXED ? 32 : 2, 32, 60, TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(), r -> daemon("routing-" + names.getAndIncrement(), r));
        final ExecutorService labels = Executors.newSingleThreadExecutor(r -> daemon("label-printer", r));

        Desk(Carrier carrier) {
            this.carrier = carrier;
            start("intake", this::accept);
        }

        void accept() {
            try {
                while (true) {
                    Parcel p = intake.take();
                    routing.execute(() -> route(p));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        void route(Parcel p) {
            int hub = carrier.quote(p.zip());
            labels.execute(() -> p.label().complete("HUB" + hub + "/" + p.zip() + "/" + p.number()));
        }
    }

    static Thread daemon(String name, Runnable r) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        return t;
    }

    static void start(String name, Runnable r) {
        daemon(name, r).start();
    }

    static void ship(Desk desk, int shop) {
        try {
            for (int n = 0; ; n++) {
                long t0 = System.nanoTime();
                Parcel p = new Parcel(n, 10000 + (n * 37 + shop) % 80000, new CompletableFuture<>());
                desk.intake.put(p);
                p.label().get();
                nanos.addAndGet(System.nanoTime() - t0);
                routed.incrementAndGet();
            }
        } catch (InterruptedException | ExecutionException e) {
            return;
        }
    }

    public static void main(String[] args) throws Exception {
        Desk desk = new Desk(new Carrier(new CarrierServer().server.getLocalPort()));
        for (int i = 0; i < 20; i++) {
            final int shop = i;
            start("shop-" + i, () -> ship(desk, shop));
        }
        Thread.sleep(3000);
        System.out.println("READY");
        for (int s = 0; s < 165; s++) {
            long a = routed.get(), b = nanos.get();
            Thread.sleep(1000);
            long n = routed.get() - a;
            System.out.println("measured: " + n + " parcels/s latency=" + (nanos.get() - b) / Math.max(1, n) / 1000 + "us");
        }
        System.exit(0);
    }
}
