// SPDX-License-Identifier: Apache-2.0
// cause: ShippingDuty$Tariffs.scheduleFor looks up Shelf by a Subject record whose origin component is a byte[] made anew for each line: the record's equals and hashCode compare arrays by identity, so the cache never hits and each declaration makes a Schedule (12,800 steps) again and stores it.
// share: faulty: 20,200 declarations/s; fixed: 174,600 declarations/s (there the rest of 2 ms per ship counts most).
// expect: cache-misses
// symptom: hot-method hot-calls
// judge: NAMED: the cache never hits: lookups in Shelf.get at Tariffs.scheduleFor always find nothing, because the key (Subject, with an array) is never equal to a stored one; or at least that the lookups all miss and Schedule is made anew each time. SYMPTOM ONLY: Schedule.<init> is the hot method, officers are busy. WRONG: the cache is too small, BigDecimal or parsing is the cause, the bounded queue or Port is the cause (port waits for room), collections, too few officers.
// jdk: 25
// set: twenty-fourth
// jvm:
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicLong;

public class ShippingDuty {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final AtomicLong cleared = new AtomicLong();

    record Subject(Object origin, int chapter) {
    }

    record Declaration(byte[] origin, int chapter, int quantity, long cents) {
        Subject subject() {
            return new Subject(FIXED ? new String(origin, StandardCharsets.US_ASCII) : origin, chapter);
        }
    }

    static final class Schedule {
        private final int[] steps = new int[64];

        Schedule(String origin, int chapter) {
            int state = origin.hashCode() * 31 + chapter;
            for (int round = 0; round < 200; round++) {
                for (int i = 0; i < steps.length; i++) {
                    state = state * 1664525 + 1013904223;
                    int other = state >>> 26;
                    steps[i] = Math.floorMod(steps[i] * 3 + steps[other] + (state >>> 20), 2500);
                }
            }
        }

        BigDecimal duty(int quantity, long cents) {
            int rate = steps[quantity & 63];
            return BigDecimal.valueOf(cents).multiply(BigDecimal.valueOf(rate)).divide(BigDecimal.valueOf(10_000), 2, RoundingMode.HALF_UP);
        }
    }

    static final class Shelf {
        private final Map<Subject, Schedule> kept = new LinkedHashMap<>(512, 0.75f, true) {
            @Override
            protected boolean removeEldestEntry(Map.Entry<Subject, Schedule> eldest) {
                return size() > 2000;
            }
        };

        Schedule get(Subject subject) {
            return kept.get(subject);
        }

        void put(Subject subject, Schedule schedule) {
            kept.put(subject, schedule);
        }
    }

    static final class Tariffs {
        private final Shelf shelf = new Shelf();

        Schedule scheduleFor(Declaration declaration) {
            Subject subject = declaration.subject();
            Schedule schedule = shelf.get(subject);
            if (schedule == null) {
                schedule = new Schedule(new String(declaration.origin(), StandardCharsets.US_ASCII), declaration.chapter());
                shelf.put(subject, schedule);
            }
            return schedule;
        }
    }

    static final class Parser {
        Declaration parse(String line) {
            String[] parts = line.split(",");
            return new Declaration(parts[0].getBytes(StandardCharsets.US_ASCII), Integer.parseInt(parts[1]),
                    Integer.parseInt(parts[2]), Long.parseLong(parts[3]));
        }
    }

    static final class Officer implements Runnable {
        private final BlockingQueue<List<String>> inbox;
        private final Tariffs tariffs = new Tariffs();
        private final Parser parser = new Parser();
        private BigDecimal total = BigDecimal.ZERO;

        Officer(BlockingQueue<List<String>> inbox) {
            this.inbox = inbox;
        }

        @Override
        public void run() {
            try {
                while (true) {
                    for (String line : inbox.take()) {
                        Declaration declaration = parser.parse(line);
                        Schedule schedule = tariffs.scheduleFor(declaration);
                        total = total.add(schedule.duty(declaration.quantity(), declaration.cents()));
                        cleared.incrementAndGet();
                    }
                    if (total.signum() < 0) throw new IllegalStateException();
                    Thread.sleep(2);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static final class Port implements Runnable {
        private static final String[] ORIGINS = {"DE", "FR", "NO", "CL", "JP", "BR", "KE", "CA", "VN", "PT"};
        private final BlockingQueue<List<String>> outbox;
        private final Random random = new Random(8);

        Port(BlockingQueue<List<String>> outbox) {
            this.outbox = outbox;
        }

        private List<String> ship() {
            List<String> lines = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                lines.add(ORIGINS[random.nextInt(ORIGINS.length)] + ',' + random.nextInt(80) + ','
                        + (1 + random.nextInt(900)) + ',' + random.nextInt(5_000_000));
            }
            return lines;
        }

        @Override
        public void run() {
            try {
                while (true) outbox.put(ship());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        BlockingQueue<List<String>> ships = new ArrayBlockingQueue<>(8);
        Thread.ofPlatform().daemon().name("port").start(new Port(ships));
        for (int i = 0; i < 2; i++) Thread.ofPlatform().daemon().name("officer-" + i).start(new Officer(ships));
        System.out.println("READY");
        for (int second = 0; second < 170; second++) {
            long n = cleared.get();
            Thread.sleep(1000);
            System.out.printf("measured: %d declarations/s%n", cleared.get() - n);
        }
        System.exit(0);
    }
}
