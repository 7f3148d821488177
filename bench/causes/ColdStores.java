// SPDX-License-Identifier: Apache-2.0
// healthy: nearly all collections are asked for by System.gc() (Census.take, once in 8 s, which states what the stock list really takes), but each takes some 10 ms, 0.1 to 0.2 % of the time, and there is hardly anything else to collect
// share: about 270 forecasts/s, 0.6 ms each, 0.18 CPUs; one collection in 8 s, 7 MiB live
// judge: any finding of trouble is WRONG, except a neutral sentence that CPU time goes to Forecast.warmth. WRONG: explicit collections, GC pauses, a blocked scheduler, saturated thread.
// jdk: 11
// set: twenty-seventh
// jvm: -Xmx64m -XX:+UseSerialGC
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

public class ColdStores {
    static final LongAdder forecasts = new LongAdder();
    static final LongAdder nanos = new LongAdder();

    static final class Pallet {
        final int goods;
        final float[] warmth = new float[24];

        Pallet(int goods) {
            this.goods = goods;
        }
    }

    static final class Stock {
        final TreeMap<Integer, Pallet> pallets = new TreeMap<>();

        Stock(int n) {
            Random r = new Random(1);
            for (int i = 0; i < n; i++) {
                Pallet p = new Pallet(r.nextInt(40));
                for (int k = 0; k < 24; k++)
                    p.warmth[k] = -18 + r.nextFloat() * 3;
                pallets.put(i * 3, p);
            }
        }
    }

    static final class Forecast {
        final Stock stock;

        Forecast(Stock stock) {
            this.stock = stock;
        }

        double warmth(int number) {
            Pallet p = stock.pallets.get(number);
            double t = -18;
            for (int round = 0; round < 60; round++)
                for (int k = 0; k < 24; k++)
                    t += (p.warmth[k] - t) * 0.03 + Math.exp(-k * 0.1) * 0.001;
            return t;
        }
    }

    static final class Census implements Runnable {
        volatile long used;

        @Override
        public void run() {
            take();
        }

        void take() {
            System.gc();
            Runtime rt = Runtime.getRuntime();
            used = rt.totalMemory() - rt.freeMemory();
        }
    }

    public static void main(String[] args) throws Exception {
        long start = System.nanoTime();
        long end = start + Integer.getInteger("seconds", 170) * 1_000_000_000L;
        Stock stock = new Stock(30_000);
        Forecast forecast = new Forecast(stock);
        Census census = new Census();
        ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(r -> {
            Thread t = new Thread(r, "census");
            t.setDaemon(true);
            return t;
        });
        clock.scheduleAtFixedRate(census, 1, 8, TimeUnit.SECONDS);
        for (int k = 0; k < 3; k++) {
            int seed = k;
            Thread t = new Thread(() -> {
                Random r = new Random(seed);
                try {
                    double sum = 0;
                    while (sum < 1) {
                        long t0 = System.nanoTime();
                        for (int i = 0; i < 40; i++)
                            sum += forecast.warmth(r.nextInt(30_000) * 3);
                        nanos.add(System.nanoTime() - t0);
                        forecasts.increment();
                        Thread.sleep(10);
                    }
                } catch (InterruptedException e) {
                    System.out.println(e);
                }
            }, "hall-" + k);
            t.setDaemon(true);
            t.start();
        }
        Thread.sleep(3000);
        System.out.println("READY");
        long last = forecasts.sum();
        long lastNs = nanos.sum();
        while (System.nanoTime() < end) {
            Thread.sleep(1000);
            long s = forecasts.sum();
            long ns = nanos.sum();
            System.out.printf("measured: %d forecasts/s, %.2f ms each, %.1f MiB of stock%n", s - last, (ns - lastNs) / 1e6 / Math.max(1, s - last),
                census.used / 1048576.0);
            last = s;
            lastNs = ns;
        }
        System.exit(0);
    }
}
