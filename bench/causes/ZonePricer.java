// SPDX-License-Identifier: Apache-2.0
// cause: ZonePricer.SheetShelf is an LRU (access-order LinkedHashMap) with 1024 places while the pricers walk cyclically over 1150 zones: each sheet is evicted just before it is needed again, the hit rate is about 0 and SheetShelf.compile runs for every zone
// share: 10 s means: faulty 54200 zones priced/s, fixed (1300 places) 176000 zones priced/s, 3.2x
// expect: cache-misses frame=ZonePricer$SheetShelf.sheet
// symptom: hot-code hot-method hot-calls gc-pauses gc-cpu
// judge: NAMED: the cache (SheetShelf / LinkedHashMap LRU in sheet()) is ineffective: too small for the cyclic working set, hit rate near zero / thrashing, entries are evicted before reuse and rebuilt. SYMPTOM ONLY: compile (or Double.parseDouble, StringBuilder, split, Math.pow) is hot; high allocation rate / many young GCs; 'sheets are recompiled all the time' without pointing at the cache missing or evicting. WRONG: contention on the shelf lock, String concatenation style / split as THE fault, heap too small, GC choice, duplicate building by two threads racing
// jdk: 17
// set: twenty-second
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** Prices all postal zones again and again, zone after zone, with the zone sheets kept in memory. */
public class ZonePricer {
    static final int ZONES = 1150;

    record ZoneSheet(int zone, double[] bands) {
        double price(double kilo) {
            double p = 0;
            for (int i = 0; i < bands.length; i++) {
                if (kilo > i) p += bands[i];
            }
            return p;
        }
    }

    static final class SheetShelf {
        private final int places;
        private final Map<Integer, ZoneSheet> shelf;
        final LongAdder built = new LongAdder();

        SheetShelf(int places) {
            this.places = places;
            this.shelf = new LinkedHashMap<>(2 * places, 0.75f, true) {
                private static final long serialVersionUID = 1L;
                @Override protected boolean removeEldestEntry(Map.Entry<Integer, ZoneSheet> e) {
                    return size() > SheetShelf.this.places;
                }
            };
        }

        ZoneSheet sheet(int zone) {
            synchronized (shelf) {
                ZoneSheet s = shelf.get(zone);
                if (s != null) return s;
            }
            ZoneSheet s = compile(zone);
            synchronized (shelf) {
                shelf.put(zone, s);
            }
            return s;
        }

        /** Compiles a zone sheet from the textual tariff. */
        private ZoneSheet compile(int zone) {
            built.increment();
            double[] bands = new double[120];
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < bands.length; i++) {
                text.append((zone * 31 + i * 17) % 900 / 100.0).append(';');
            }
            String[] cells = text.toString().split(";");
            for (int i = 0; i < bands.length; i++) {
                bands[i] = Double.parseDouble(cells[i]) * 0.01 + Math.pow(1.01, i) * 0.1;
            }
            return new ZoneSheet(zone, bands);
        }
    }

    public static void main(String[] args) throws Exception {
        int places = Boolean.getBoolean("fixed") ? 1300 : 1024;
        SheetShelf shelf = new SheetShelf(places);
        AtomicLong cursor = new AtomicLong();
        LongAdder priced = new LongAdder();
        LongAdder revenue = new LongAdder();
        for (int w = 0; w < 2; w++) {
            Thread t = new Thread(() -> {
                while (true) {
                    int zone = (int) (cursor.getAndIncrement() % ZONES);
                    ZoneSheet s = shelf.sheet(zone);
                    double sum = 0;
                    for (int parcel = 0; parcel < 60; parcel++) sum += s.price((parcel * 7 + zone) % 90);
                    revenue.add((long) sum);
                    priced.increment();
                }
            }, "pricer-" + w);
            t.setDaemon(true);
            t.start();
        }
        Thread.sleep(4000);
        System.out.println("READY");
        priced.reset();
        for (int s = 0; s < 165; s++) {
            Thread.sleep(1000);
            System.out.println("measured: " + priced.sumThenReset() + " zones priced/s");
        }
        System.exit(revenue.sum() == 1 ? 1 : 0);
    }
}
