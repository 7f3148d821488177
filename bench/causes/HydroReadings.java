// SPDX-License-Identifier: Apache-2.0
// healthy: a billing batch that parses meter telegrams into short-lived strings and records by design; allocation is a few hundred MB/s, but everything dies young, so collections are short and cost about 3 % of the time; CPU goes to parsing and pricing, which is the job.
// judge: any claim of a fault is wrong: e.g. "allocation rate too high / GC pressure is the bottleneck", "memory leak", "heap too small", "String.split is a bottleneck to be repaired".
// set: twentieth
// jdk: 25
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;

public class HydroReadings {
    record Telegram(int meter, String district, long litres, int day) { }

    static final String[] DISTRICTS = {"north", "harbour", "hill", "mill", "market", "meadow", "abbey"};

    final AtomicLong telegrams = new AtomicLong();
    final AtomicLong bills = new AtomicLong();
    volatile long turnover;

    static String line(ThreadLocalRandom r) {
        return "M" + r.nextInt(40_000) + ";" + DISTRICTS[r.nextInt(DISTRICTS.length)] + ";"
                + r.nextInt(900_000) + ";" + r.nextInt(365);
    }

    static Telegram parse(String line) {
        String[] f = line.split(";");
        return new Telegram(Integer.parseInt(f[0].substring(1)), f[1], Long.parseLong(f[2]), Integer.parseInt(f[3]));
    }

    static long price(Telegram t) {
        long cents = 0;
        long left = t.litres();
        long step = 1000;
        int tariff = 19;
        int season = t.day() > 120 && t.day() < 270 ? 12 : 10;
        for (int block = 0; block < 40 && left > 0; block++) {
            long part = Math.min(left, step);
            cents += part * tariff * season / 1000;
            left -= part;
            step += step / 9;
            tariff += 1 + (block * t.meter()) % 3;
        }
        return cents;
    }

    void batch() {
        ThreadLocalRandom r = ThreadLocalRandom.current();
        Map<String, Long> totals = new HashMap<>();
        for (int i = 0; i < 20_000; i++) {
            Telegram t = parse(line(r));
            totals.merge(t.district(), price(t), Long::sum);
            telegrams.incrementAndGet();
        }
        turnover = totals.values().stream().mapToLong(Long::longValue).sum();
        bills.incrementAndGet();
    }

    public static void main(String[] args) throws Exception {
        HydroReadings office = new HydroReadings();
        Thread t = new Thread(() -> {
            while (true) {
                office.batch();
            }
        }, "billing");
        t.setDaemon(true);
        t.start();
        System.out.println("READY");
        long last = 0;
        for (int s = 0; s < 240; s++) {
            Thread.sleep(1000);
            long now = office.telegrams.get();
            System.out.println("measured: " + (now - last) + " telegrams/s, " + office.bills.get() + " batches");
            last = now;
        }
    }
}
