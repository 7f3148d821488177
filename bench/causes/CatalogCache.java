// SPDX-License-Identifier: Apache-2.0
// cause: computeIfAbsent loads slowly (~45 ms) inside the ConcurrentHashMap, so its bin is locked for other keys too
// expect: waiting map=computeIfAbsent
// symptom: waiting lock-contention
// share: threads are in computeIfAbsent 94 % of the time, and two thirds of that wait for others' loads
// judge: right: threads block on a ConcurrentHashMap bin (Node / ReservationNode monitor) in computeIfAbsent or remove,
// judge: called in Prices.of / Prices.expire, held while another loads (Prices.load / socket) in computeIfAbsent.
// judge: symptom: Prices.load waits for the warehouse (socket); blocked threads without the map. wrong: CPU, GC, the
// judge: warehouse's threads, pool size.
// jdk: 21
// set: thirteenth

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;

public class CatalogCache {
    static final LongAdder pages = new LongAdder(), reading = new LongAdder(), loading = new LongAdder();

    static class Prices {
        final Map<String, int[]> cache = new ConcurrentHashMap<>(16);
        final int port;

        Prices(int port) {
            this.port = port;
        }

        int[] of(String shop) {
            return cache.computeIfAbsent(shop, this::load);
        }

        int[] load(String shop) {
            long from = System.nanoTime();
            try (Socket s = new Socket(InetAddress.getLoopbackAddress(), port)) {
                s.setTcpNoDelay(true);
                new DataOutputStream(s.getOutputStream()).writeInt(shop.hashCode());
                DataInputStream in = new DataInputStream(s.getInputStream());
                int[] prices = new int[in.readInt()];
                for (int i = 0; i < prices.length; i++) {
                    prices[i] = (i * 37 + shop.length()) % 9973;
                }
                return prices;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } finally {
                loading.add(System.nanoTime() - from);
            }
        }

        void expire(String shop) {
            cache.remove(shop);
        }
    }

    static void warehouse(ServerSocket listener) {
        while (true) {
            try {
                Socket s = listener.accept();
                Thread.ofVirtual().start(() -> {
                    try (s) {
                        int shop = new DataInputStream(s.getInputStream()).readInt();
                        Thread.sleep(45);
                        new DataOutputStream(s.getOutputStream()).writeInt(200 + (shop & 63));
                    } catch (IOException | InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                });
            } catch (IOException e) {
                return;
            }
        }
    }

    static long page(Prices prices) {
        ThreadLocalRandom r = ThreadLocalRandom.current();
        long total = 0;
        for (int i = 0; i < 6; i++) {
            long from = System.nanoTime();
            int[] p = prices.of("shop-" + r.nextInt(20));
            reading.add(System.nanoTime() - from);
            for (int x : p) {
                total += x;
            }
        }
        return total;
    }

    public static void main(String[] args) throws Exception {
        ServerSocket listener = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
        Thread server = new Thread(() -> warehouse(listener), "warehouse");
        server.start();
        Prices prices = new Prices(listener.getLocalPort());
        for (int i = 0; i < 12; i++) {
            new Thread(() -> {
                long sum = 0;
                try {
                    while (true) {
                        sum += page(prices);
                        pages.increment();
                        Thread.sleep(4);
                    }
                } catch (InterruptedException e) {
                    System.err.println(sum);
                }
            }, "page-" + i).start();
        }
        new Thread(() -> {
            try {
                for (int n = 0;; n++) {
                    prices.expire("shop-" + n % 20);
                    Thread.sleep(12);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }, "price-change-feed").start();
        System.out.println("READY");
        while (true) {
            Thread.sleep(1000);
            System.out.printf("measured: %d pages/s, 12 threads in computeIfAbsent %d ms/s, of which loads %d ms/s%n",
                    pages.sumThenReset(), reading.sumThenReset() / 1_000_000, loading.sumThenReset() / 1_000_000);
        }
    }
}
