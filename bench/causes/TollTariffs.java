// SPDX-License-Identifier: Apache-2.0
// cause: TollTariffs$TariffBook.publish wraps the list that readers see in Collections.unmodifiableList once more for every band that is loaded, so that each get of PriceFinder.bandFor goes through 900 wrappers, one in another.
// share: faulty 62,100 passages/s, 7.1 ms for a batch of 100; fixed 335,200 passages/s, 0.27 ms for a batch
// expect: hot-code kind=nested-wrappers
// symptom: hot-method
// judge: NAMED: the many nested wrappers (Collections$UnmodifiableList.get, calling itself) below TollTariffs$PriceFinder.bandFor, made in TariffBook.publish. SYMPTOM ONLY: CPU time in UnmodifiableList.get, or in bandFor, without saying that wrappers are nested; the gates wait for futures or the pricing pool is busy. WRONG: the journal, the checks of plates, the size of the pool, collections, the binary search being linear.
// jdk: 8
// set: twenty-sixth
// jvm:

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

public class TollTariffs {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final int BANDS = 900;
    static final AtomicLong passages = new AtomicLong();
    static final AtomicLong nanos = new AtomicLong();

    static final class Band {
        final int fromMetre;
        final int centsPerKm;

        Band(int fromMetre, int centsPerKm) {
            this.fromMetre = fromMetre;
            this.centsPerKm = centsPerKm;
        }
    }

    static final class Passage {
        final String plate;
        final int metres;
        final int axles;

        Passage(String plate, int metres, int axles) {
            this.plate = plate;
            this.metres = metres;
            this.axles = axles;
        }
    }

    /** The bands of a tariff; who reads gets a view that cannot be changed. */
    static final class TariffBook {
        private final List<Band> rows = new ArrayList<>();
        private volatile List<Band> visible = Collections.unmodifiableList(rows);

        void load(int bands) {
            Random random = new Random(11);
            int metre = 0;
            for (int i = 0; i < bands; i++) {
                publish(new Band(metre, 8 + random.nextInt(30)));
                metre += 100 + random.nextInt(900);
            }
        }

        private void publish(Band band) {
            rows.add(band);
            visible = Collections.unmodifiableList(FIXED ? rows : visible);
        }

        List<Band> bands() {
            return visible;
        }
    }

    static final class PriceFinder {
        private final TariffBook book;

        PriceFinder(TariffBook book) {
            this.book = book;
        }

        Band bandFor(int metres) {
            List<Band> bands = book.bands();
            int low = 0;
            int high = BANDS - 1;
            while (low < high) {
                int middle = (low + high + 1) >>> 1;
                if (bands.get(middle).fromMetre <= metres) {
                    low = middle;
                } else {
                    high = middle - 1;
                }
            }
            return bands.get(low);
        }

        long cents(Passage passage) {
            Band band = bandFor(passage.metres);
            return (long) band.centsPerKm * passage.metres / 1000 * (passage.axles > 2 ? 3 : 1);
        }
    }

    static final class PlateCheck {
        boolean valid(String plate) {
            int sum = 0;
            for (int round = 0; round < 20; round++) {
                for (int i = 0; i < plate.length(); i++) {
                    sum = sum * 31 + Character.toUpperCase(plate.charAt(i)) + round;
                }
            }
            return sum != 0;
        }
    }

    static final class Journal implements Runnable {
        private final BlockingQueue<String> lines = new ArrayBlockingQueue<>(5000);
        private long characters;

        void note(Passage passage, long cents) throws InterruptedException {
            lines.put(passage.plate + ' ' + passage.metres + ' ' + cents);
        }

        @Override
        public void run() {
            try {
                while (true) {
                    characters += lines.take().length();
                }
            } catch (InterruptedException e) {
                System.out.println("journal: " + characters);
            }
        }
    }

    static final class Station {
        private final PriceFinder finder;
        private final PlateCheck check = new PlateCheck();
        private final Journal journal;

        Station(PriceFinder finder, Journal journal) {
            this.finder = finder;
            this.journal = journal;
        }

        long settle(List<Passage> batch) throws InterruptedException {
            long total = 0;
            for (Passage passage : batch) {
                if (check.valid(passage.plate)) {
                    long cents = finder.cents(passage);
                    journal.note(passage, cents);
                    total += cents;
                }
            }
            return total;
        }
    }

    public static void main(String[] args) throws Exception {
        TariffBook book = new TariffBook();
        book.load(BANDS);
        Journal journal = new Journal();
        Thread writer = new Thread(journal, "journal");
        writer.setDaemon(true);
        writer.start();
        Station station = new Station(new PriceFinder(book), journal);
        AtomicInteger number = new AtomicInteger();
        ExecutorService pricing = Executors.newFixedThreadPool(2, r -> new Thread(r, "pricing-" + number.getAndIncrement()));
        for (int g = 0; g < 5; g++) {
            Random random = new Random(g);
            Thread gate = new Thread(() -> {
                try {
                    while (true) {
                        List<Passage> batch = new ArrayList<>();
                        for (int i = 0; i < 100; i++) {
                            batch.add(new Passage("HH-" + random.nextInt(100000), random.nextInt(450000), 2 + random.nextInt(4)));
                        }
                        long begin = System.nanoTime();
                        Future<Long> total = pricing.submit(() -> station.settle(batch));
                        total.get();
                        nanos.addAndGet(System.nanoTime() - begin);
                        passages.addAndGet(batch.size());
                        Thread.sleep(1);
                    }
                } catch (Exception e) {
                    e.printStackTrace();
                }
            }, "gate-" + g);
            gate.setDaemon(true);
            gate.start();
        }
        System.out.println("READY");
        long end = System.nanoTime() + 170_000_000_000L;
        while (System.nanoTime() < end) {
            long p = passages.get();
            long n = nanos.get();
            Thread.sleep(1000);
            long done = passages.get() - p;
            System.out.printf("measured: %d passages/s, %.2f ms for a batch%n", done,
                (nanos.get() - n) / 1e6 / Math.max(1, done / 100));
        }
        System.exit(0);
    }
}
