// SPDX-License-Identifier: Apache-2.0
// healthy: A three-stage pipeline whose bounded queues (32) give working back-pressure: the meter reader waits in put because the pricing stage does the real work on one core; memory is flat, no CPU is wasted, the pricing arithmetic is needed (not repeated for the same input).
// judge: right = no fault (back-pressure; CPU goes into SettlementPipeline.Pricing.price, which is the work itself); wrong = reporting the reader's wait in ArrayBlockingQueue.put, the booking thread's wait in take, allocation/GC, or contention as a fault. Naming Pricing.price as where CPU is used, without calling it a fault, is fine.
// set: nineteenth
// jdk: 17
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class SettlementPipeline {
    static final AtomicLong settled = new AtomicLong();
    static final AtomicLong euros = new AtomicLong();

    record Delivery(int meter, int day, double[] kilowatts) { }

    record Invoice(int meter, int day, double amount, double peak) { }

    static final class Reader implements Runnable {
        final BlockingQueue<Delivery> out;

        Reader(BlockingQueue<Delivery> out) {
            this.out = out;
        }

        public void run() {
            SplittableRandom random = new SplittableRandom(17);
            try {
                for (int n = 0; ; n++) {
                    double[] kw = new double[96];
                    for (int i = 0; i < kw.length; i++) {
                        kw[i] = 2 + random.nextDouble() * 6;
                    }
                    out.put(new Delivery(n % 5000, n / 5000, kw));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static final class Pricing implements Runnable {
        final BlockingQueue<Delivery> in;
        final BlockingQueue<Invoice> out;
        final double[] spot = new double[96];

        Pricing(BlockingQueue<Delivery> in, BlockingQueue<Invoice> out) {
            this.in = in;
            this.out = out;
            for (int i = 0; i < spot.length; i++) {
                spot[i] = 0.08 + 0.05 * Math.sin(i * Math.PI / 48);
            }
        }

        public void run() {
            try {
                while (true) {
                    out.put(price(in.take()));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        Invoice price(Delivery d) {
            double amount = 0;
            double peak = 0;
            for (int i = 0; i < 96; i++) {
                double kw = d.kilowatts()[i];
                double losses = 0.01 * Math.pow(kw, 1.7) + 0.002 * Math.exp(kw / 4);
                double band = 0;
                for (int j = Math.max(0, i - 8); j <= i; j++) {
                    band += Math.log1p(d.kilowatts()[j]) * Math.cos((i - j) * 0.1);
                }
                amount += (kw + losses) * 0.25 * spot[i] + band * 0.0003;
                peak = Math.max(peak, kw);
            }
            return new Invoice(d.meter(), d.day(), amount, peak);
        }
    }

    static final class Booking implements Runnable {
        final BlockingQueue<Invoice> in;
        final double[] balance = new double[5000];

        Booking(BlockingQueue<Invoice> in) {
            this.in = in;
        }

        public void run() {
            try {
                while (true) {
                    Invoice invoice = in.take();
                    balance[invoice.meter()] += invoice.amount() + (invoice.peak() > 7.9 ? 1 : 0);
                    euros.addAndGet((long) invoice.amount());
                    settled.incrementAndGet();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static void start(String name, Runnable r) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        BlockingQueue<Delivery> deliveries = new ArrayBlockingQueue<>(32);
        BlockingQueue<Invoice> invoices = new ArrayBlockingQueue<>(32);
        start("meter-reader", new Reader(deliveries));
        start("pricing", new Pricing(deliveries, invoices));
        start("booking", new Booking(invoices));
        Thread.sleep(4000);
        System.out.println("READY");
        for (int s = 0; s < 165; s++) {
            long a = settled.get();
            Thread.sleep(1000);
            System.out.println("measured: " + (settled.get() - a) + " invoices/s euros=" + euros.get());
        }
        System.exit(0);
    }
}
