// SPDX-License-Identifier: Apache-2.0
// cause: RouteTariffDesk.quote looks up its tariff cache with the record TariffKey, whose component stops is a String array; arrays compare by identity, so equals/hashCode never match, the cache never hits and computeTariff runs for every request.
// share: throughput 87000 quotes/s vs 1870000/s fixed (21 times)
// judge: must say that the tariff cache (field cache, used in quote) never hits because the key TariffKey holds an array compared by identity (no value equality), so the same tariffs are computed again; "computeTariff is hot" or "cache too small" alone does not count
// set: eighteenth
// symptom: hot-calls hot-method hot-code cache-misses
// jdk: 17
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.LongAdder;

public class RouteTariffDesk {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final int ROUTES = 400;
    static final LongAdder quotes = new LongAdder();
    static final LongAdder revenue = new LongAdder();

    record TariffKey(String carrier, String[] stops) { }

    record Shipment(String carrier, String[] stops, int kilos) { }

    record Tariff(double perKilo, double base, int zones) { }

    static final class Cache extends LinkedHashMap<Object, Tariff> {
        private static final long serialVersionUID = 1L;

        Cache() {
            super(1024, 0.75f, true);
        }

        @Override
        protected boolean removeEldestEntry(Map.Entry<Object, Tariff> e) {
            return size() > 2000;
        }
    }

    private final Cache cache = new Cache();
    private final String[][] routes = new String[ROUTES][];
    private final String[] carriers = {"Nordlog", "Alpina", "Baltrans"};

    RouteTariffDesk() {
        SplittableRandom rnd = new SplittableRandom(7);
        for (int i = 0; i < ROUTES; i++) {
            String[] stops = new String[4 + i % 3];
            for (int k = 0; k < stops.length; k++) {
                stops[k] = "P" + (10_000 + rnd.nextInt(80_000));
            }
            routes[i] = stops;
        }
    }

    private Object keyOf(Shipment s) {
        if (FIXED) {
            return List.of(s.carrier(), List.of(s.stops()));
        }
        return new TariffKey(s.carrier(), s.stops());
    }

    private double quote(Shipment s) {
        Object key = keyOf(s);
        Tariff t;
        synchronized (cache) {
            t = cache.get(key);
        }
        if (t == null) {
            t = computeTariff(s.carrier(), s.stops());
            synchronized (cache) {
                cache.put(key, t);
            }
        }
        return t.base() + t.perKilo() * s.kilos() * surcharge(s);
    }

    private double surcharge(Shipment s) {
        double f = 1;
        for (int i = 0; i < s.stops().length; i++) {
            f += Math.sqrt(i + s.kilos()) * 0.001;
        }
        return f;
    }

    private Tariff computeTariff(String carrier, String[] stops) {
        double best = Double.MAX_VALUE;
        int zones = 0;
        for (int depot = 0; depot < 120; depot++) {
            double cost = carrier.length();
            double lastX = Math.sin(depot) * 500;
            double lastY = Math.cos(depot) * 500;
            for (String stop : stops) {
                int code = Integer.parseInt(stop, 1, stop.length(), 10);
                double x = code % 300;
                double y = code / 300.0;
                cost += Math.hypot(x - lastX, y - lastY);
                lastX = x;
                lastY = y;
                zones += code % 7 == 0 ? 1 : 0;
            }
            best = Math.min(best, cost);
        }
        return new Tariff(best * 0.0011, 4.5 + zones * 0.01, zones);
    }

    private Shipment receive(SplittableRandom rnd) {
        String[] route = routes[rnd.nextInt(ROUTES)];
        String csv = String.join(",", route) + "," + (5 + rnd.nextInt(900));
        String[] f = csv.split(",");
        String[] stops = new String[f.length - 1];
        System.arraycopy(f, 0, stops, 0, stops.length);
        return new Shipment(carriers[rnd.nextInt(3)], stops, Integer.parseInt(f[f.length - 1]));
    }

    private void desk(int no) {
        SplittableRandom rnd = new SplittableRandom(no);
        while (true) {
            double sum = 0;
            for (int i = 0; i < 50; i++) {
                sum += quote(receive(rnd));
            }
            quotes.add(50);
            revenue.add((long) sum);
        }
    }

    public static void main(String[] args) throws Exception {
        RouteTariffDesk d = new RouteTariffDesk();
        for (int i = 1; i <= 2; i++) {
            int no = i;
            Thread t = new Thread(() -> d.desk(no), "tariff-desk-" + i);
            t.setDaemon(true);
            t.start();
        }
        System.out.println("READY");
        long before = 0;
        for (int s = 0; s < 240; s++) {
            Thread.sleep(1000);
            long now = quotes.sum();
            System.out.println("measured: quotes/s=" + (now - before));
            before = now;
        }
        System.out.println("revenue " + revenue.sum());
    }
}
