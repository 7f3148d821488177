// SPDX-License-Identifier: Apache-2.0
// cause: ChargeDesk.charge looks up its cache by LegKey, a record with an int[] component, whose equals() and hashCode() compare the identity of the array, so no key is ever found again and RateSheet.compile is run for each request.
// share: faulty about 7000 shipments/s on a crowded machine; fixed about 47000 shipments/s (6.7 times)
// expect: cache-misses frame=charge
// symptom: hot-code gc-pauses gc-cpu allocation-stall pool-busy
// judge: NAMED: the cache in ChargeDesk.charge (field sheets) never finds what it stores, because LegKey has an array in equals()/hashCode(); or at least: the lookup in ChargeDesk.charge always misses, so that RateSheet.compile runs each time for keys that do come again. SYMPTOM ONLY: CPU time in RateSheet.compile, splitting strings, BigDecimal arithmetic, allocation, collections. WRONG: the cache is too small (240 distinct keys, room for 2000), lock contention on the cache as the cause, a leak.
// jdk: 21
// set: twenty-fifth
// jvm: -Xmx128m
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class AirwayCharges {
    static final boolean REVISED = Boolean.getBoolean("fixed");

    record LegKey(String carrier, int[] stops) { }

    record StopKey(String carrier, List<Integer> stops) { }

    record Shipment(String carrier, int[] stops, int kilos) { }

    static class RateSheet {
        private final NavigableMap<Integer, BigDecimal> steps = new TreeMap<>();
        static RateSheet compile(String carrier, int[] stops, String source) {
            RateSheet sheet = new RateSheet();
            BigDecimal factor = BigDecimal.ONE;
            for (int s : stops) {
                factor = factor.multiply(new BigDecimal(10_000 + s).divide(new BigDecimal("9973"), 8, RoundingMode.HALF_UP)).setScale(8, RoundingMode.HALF_UP);
            }
            for (String line : source.split(";")) {
                String[] f = line.split(",");
                if (!f[0].equals(carrier)) continue;
                int from = Integer.parseInt(f[1].trim());
                sheet.steps.put(from, new BigDecimal(f[2]).multiply(factor).setScale(4, RoundingMode.HALF_EVEN));
            }
            return sheet;
        }
        BigDecimal forKilos(int kilos) {
            return steps.floorEntry(kilos).getValue().multiply(BigDecimal.valueOf(kilos));
        }
    }

    static class Sources {
        private final String text;
        Sources(String[] carriers) {
            StringBuilder b = new StringBuilder();
            for (int step = 0; step < 60; step++)
                for (String c : carriers)
                    b.append(c).append(',').append(step * 20).append(',').append(9.5 - step * 0.055).append(';');
            text = b.toString();
        }
        String text() {
            return text;
        }
    }

    static class ChargeDesk {
        private final Sources sources;
        private final Map<Object, RateSheet> sheets = new LinkedHashMap<>(4000, 0.75f, true) {
            @Override protected boolean removeEldestEntry(Map.Entry<Object, RateSheet> e) {
                return size() > 2000;
            }
        };
        ChargeDesk(Sources sources) {
            this.sources = sources;
        }
        BigDecimal charge(Shipment s) {
            Object key = keyOf(s);
            RateSheet sheet;
            synchronized (sheets) {
                sheet = sheets.get(key);
            }
            if (sheet == null) {
                sheet = RateSheet.compile(s.carrier(), s.stops(), sources.text());
                synchronized (sheets) {
                    sheets.put(key, sheet);
                }
            }
            return sheet.forKilos(s.kilos());
        }
        private static Object keyOf(Shipment s) {
            if (!REVISED) return new LegKey(s.carrier(), s.stops());
            List<Integer> stops = new ArrayList<>();
            for (int x : s.stops()) stops.add(x);
            return new StopKey(s.carrier(), stops);
        }
    }

    static class Manifest {
        private static final String[] CARRIERS = {"NK", "AV", "QL", "TB"};
        private final Random r;
        Manifest(int seed) {
            r = new Random(seed);
        }
        Shipment parse(String line) {
            String[] f = line.split("\\|");
            String[] stops = f[1].split("-");
            int[] s = new int[stops.length];
            for (int i = 0; i < s.length; i++) s[i] = Integer.parseInt(stops[i]);
            return new Shipment(f[0], s, Integer.parseInt(f[2]));
        }
        String next() {
            int route = r.nextInt(60);
            return CARRIERS[r.nextInt(4)] + '|' + route + '-' + (route * 7 % 90) + '-' + (route * 13 % 90) + '|' + (1 + r.nextInt(1150));
        }
    }

    static class Invoices {
        private final BigDecimal[] totals = new BigDecimal[64];
        private final MessageDigestLine line = new MessageDigestLine();
        synchronized void add(int customer, BigDecimal amount) {
            BigDecimal old = totals[customer % 64];
            totals[customer % 64] = old == null ? amount : old.add(amount).remainder(BigDecimal.valueOf(1_000_000));
            line.take(amount);
        }
    }

    static class MessageDigestLine {
        private long sum = 17;
        void take(BigDecimal amount) {
            for (char c : amount.toPlainString().toCharArray()) sum = sum * 31 + c;
        }
    }

    public static void main(String[] args) throws Exception {
        ChargeDesk desk = new ChargeDesk(new Sources(Manifest.CARRIERS));
        Invoices invoices = new Invoices();
        ThreadPoolExecutor pool = new ThreadPoolExecutor(2, 2, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), r -> daemon(r, "charge"));
        LongAdder done = new LongAdder(), nanos = new LongAdder();
        for (int i = 0; i < 4; i++) {
            int id = i;
            daemon(() -> {
                Manifest m = new Manifest(id);
                try {
                    while (true) {
                        List<String> lines = new ArrayList<>();
                        for (int k = 0; k < 20; k++) lines.add(m.next());
                        long t = System.nanoTime();
                        pool.submit(() -> {
                            for (String l : lines) {
                                Shipment s = m.parse(l);
                                invoices.add(s.kilos() + id, desk.charge(s));
                            }
                        }).get();
                        nanos.add(System.nanoTime() - t);
                        done.add(lines.size());
                        Thread.sleep(1);
                    }
                } catch (Exception e) {
                    e.printStackTrace();
                }
            }, "intake-" + i).start();
        }
        System.out.println("READY");
        for (long end = System.nanoTime() + 170_000_000_000L; System.nanoTime() < end; ) {
            Thread.sleep(1000);
            long d = done.sumThenReset(), t = nanos.sumThenReset();
            System.out.printf("measured: %d shipments/s, mean latency of 20 %.2f ms%n", d, d == 0 ? 0 : t / 1e6 / (d / 20.0));
        }
        System.exit(0);
    }

    static Thread daemon(Runnable r, String name) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        return t;
    }
}
