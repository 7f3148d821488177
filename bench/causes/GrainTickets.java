// SPDX-License-Identifier: Apache-2.0
// healthy: there are very many young collections because every ticket line is parsed into short-lived objects, but almost nothing survives, so collections take only a few per cent of the time and the worker is limited by parsing itself
// share: about 5,200,000 tickets/s, about 90 young collections a second taking about 45 ms in all
// judge: right = says no fault (many cheap young collections, small share of time); wrong = blames garbage collection, heap size, memory growth or the allocation as the fault
// set: twenty-first
// jdk: 11
// jvm: -XX:+UseParallelGC
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

public class GrainTickets {
    static final long RUN_MILLIS = 220_000L;
    static final String[] CROPS = {"wheat", "barley", "rye", "oats", "maize", "rape"};

    static final class Ticket {
        final String farm;
        final String crop;
        final long kilograms;
        final double moisture;

        Ticket(String farm, String crop, long kilograms, double moisture) {
            this.farm = farm;
            this.crop = crop;
            this.kilograms = kilograms;
            this.moisture = moisture;
        }

        long payable() {
            return moisture <= 14.5 ? kilograms : Math.round(kilograms * (1 - (moisture - 14.5) * 0.012));
        }
    }

    static final class Totals {
        long tickets;
        long kilograms;

        void add(Ticket t) {
            tickets++;
            kilograms += t.payable();
        }
    }

    static final class Office implements Runnable {
        final AtomicLong booked = new AtomicLong();
        final Map<String, Totals> byCrop = new HashMap<>();

        @Override
        public void run() {
            long batch = 0;
            while (!Thread.currentThread().isInterrupted()) {
                List<String> lines = arrivals(batch++);
                List<Ticket> tickets = new ArrayList<>(lines.size());
                for (String line : lines) {
                    tickets.add(parse(line));
                }
                for (Ticket t : tickets) {
                    byCrop.computeIfAbsent(t.crop, c -> new Totals()).add(t);
                }
                booked.addAndGet(tickets.size());
            }
        }

        static List<String> arrivals(long batch) {
            List<String> lines = new ArrayList<>(200);
            StringBuilder sb = new StringBuilder(64);
            for (int i = 0; i < 200; i++) {
                long k = batch * 200 + i;
                sb.setLength(0);
                sb.append("farm-").append(k % 800).append(';').append(CROPS[(int) (k % CROPS.length)]).append(';')
                        .append(4000 + k % 21_000).append(';').append(10 + k % 9).append('.').append(k % 10);
                lines.add(sb.toString());
            }
            return lines;
        }

        static Ticket parse(String line) {
            int a = line.indexOf(';');
            int b = line.indexOf(';', a + 1);
            int c = line.indexOf(';', b + 1);
            return new Ticket(line.substring(0, a), line.substring(a + 1, b),
                    Long.parseLong(line.substring(b + 1, c)), Double.parseDouble(line.substring(c + 1)));
        }
    }

    static long[] gc() {
        long count = 0;
        long millis = 0;
        for (GarbageCollectorMXBean b : ManagementFactory.getGarbageCollectorMXBeans()) {
            count += b.getCollectionCount();
            millis += b.getCollectionTime();
        }
        return new long[] {count, millis};
    }

    public static void main(String[] args) throws Exception {
        Office office = new Office();
        Thread worker = new Thread(office, "office");
        worker.setDaemon(true);
        worker.start();
        Thread.sleep(3000);
        System.out.println("READY");
        long end = System.currentTimeMillis() + RUN_MILLIS;
        long last = office.booked.get();
        long[] lastGc = gc();
        while (System.currentTimeMillis() < end) {
            Thread.sleep(1000);
            long n = office.booked.get();
            long[] gc = gc();
            System.out.printf("measured: %d tickets/s, %d collections taking %d ms%n", n - last, gc[0] - lastGc[0], gc[1] - lastGc[1]);
            last = n;
            lastGc = gc;
        }
    }
}
