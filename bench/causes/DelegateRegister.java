// SPDX-License-Identifier: Apache-2.0
// cause: DelegateRegister$Congress.roll sorts with Comparator.comparing(Delegate::searchName), so that each comparison calls Normalizer.normalize twice, some 20 times for each delegate and sort, where once would do.
// share: faulty 54 to 72 rolls printed/s (42 to 55 ms to the customer), fixed (key computed once for each delegate and sort) 500 to 1,000 rolls/s (3 to 6 ms): 7 times or more.
// expect: hot-code kind=collation sorter=DelegateRegister$Congress.roll
// symptom: waiting hot-method hot-calls gc-pauses
// judge: NAMED: the sort in DelegateRegister$Congress.roll computes its key anew for each comparison (Delegate.searchName: java.text.Normalizer.normalize). SYMPTOM ONLY: Normalizer (normalising text, StringBuilder) is hot; searchName is hot; sorting is hot; counters wait for futures or for presses. WRONG: Press.print (StringBuilder, CRC32) as the cause; the queue of orders, too few presses, locks; garbage collection or heap size.
// jdk: 11
// set: thirtieth
// jvm:

import java.text.Normalizer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;
import java.util.zip.CRC32;

public class DelegateRegister {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final int SPAN = Integer.getInteger("span", 170);

    static final String[] FAMILY = {"Müller", "Åström", "Łukasiewicz", "Dvořák", "Núñez", "Çelik", "Øvergård",
        "Kovács", "Šimůnek", "Brânză", "Höglund", "Étienne", "Peña", "Žižka", "Ağaoğlu", "Guðmundsson"};
    static final String[] GIVEN = {"Zoë", "René", "Jürgen", "Søren", "José", "Anaïs", "Márta", "Ondřej", "İrem",
        "Chloé", "Björk", "Ştefan"};

    static final class Delegate {
        final String name;
        final String delegation;
        final int seat;

        Delegate(String name, String delegation, int seat) {
            this.name = name;
            this.delegation = delegation;
            this.seat = seat;
        }

        String searchName() {
            return Normalizer.normalize(name, Normalizer.Form.NFD);
        }
    }

    static final class Keyed {
        final String key;
        final Delegate delegate;

        Keyed(Delegate delegate) {
            this.key = delegate.searchName();
            this.delegate = delegate;
        }
    }

    static final class Congress {
        final List<Delegate> delegates = new ArrayList<>();

        Congress(int size, Random random) {
            for (int i = 0; i < size; i++) {
                String name = FAMILY[random.nextInt(FAMILY.length)] + "-" + FAMILY[random.nextInt(FAMILY.length)]
                        + " " + (char) ('A' + random.nextInt(26)) + (char) ('a' + random.nextInt(26))
                        + ", " + GIVEN[random.nextInt(GIVEN.length)];
                delegates.add(new Delegate(name, "D" + random.nextInt(80), i));
            }
        }

        List<Delegate> roll() {
            List<Delegate> roll = new ArrayList<>(delegates);
            if (FIXED) {
                Keyed[] keyed = new Keyed[roll.size()];
                for (int i = 0; i < keyed.length; i++) {
                    keyed[i] = new Keyed(roll.get(i));
                }
                Arrays.sort(keyed, Comparator.comparing((Keyed k) -> k.key));
                for (int i = 0; i < keyed.length; i++) {
                    roll.set(i, keyed[i].delegate);
                }
            } else {
                roll.sort(Comparator.comparing(Delegate::searchName));
            }
            return roll;
        }
    }

    static final class Order {
        final Congress congress;
        final long at = System.nanoTime();
        final CompletableFuture<Long> done = new CompletableFuture<>();

        Order(Congress congress) {
            this.congress = congress;
        }
    }

    static final class Press implements Runnable {
        final BlockingQueue<Order> orders;
        final LongAdder printed;

        Press(BlockingQueue<Order> orders, LongAdder printed) {
            this.orders = orders;
            this.printed = printed;
        }

        @Override
        public void run() {
            try {
                while (true) {
                    Order o = orders.take();
                    o.done.complete(print(o.congress.roll()));
                    printed.increment();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        long print(List<Delegate> roll) {
            CRC32 crc = new CRC32();
            int page = 0;
            StringBuilder sheet = new StringBuilder(8192);
            for (int i = 0; i < roll.size(); i++) {
                Delegate d = roll.get(i);
                sheet.append(d.name).append('\t').append(d.delegation).append('\t').append(d.seat).append('\n');
                if (sheet.length() > 7800) {
                    crc.update(sheet.toString().getBytes(java.nio.charset.StandardCharsets.UTF_8));
                    sheet.setLength(0);
                    page++;
                }
            }
            return crc.getValue() + page;
        }
    }

    static void start(String name, Runnable r) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        Random random = new Random(17);
        Congress[] congresses = new Congress[6];
        for (int i = 0; i < congresses.length; i++) {
            congresses[i] = new Congress(1500 + i * 200, random);
        }
        BlockingQueue<Order> orders = new ArrayBlockingQueue<>(8);
        LongAdder printed = new LongAdder();
        LongAdder nanos = new LongAdder();
        start("press-1", new Press(orders, printed));
        start("press-2", new Press(orders, printed));
        for (int c = 0; c < 3; c++) {
            int first = c;
            start("counter-" + c, () -> {
                try {
                    for (int i = first; ; i++) {
                        Order o = new Order(congresses[i % congresses.length]);
                        orders.put(o);
                        o.done.get();
                        nanos.add(System.nanoTime() - o.at);
                    }
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            });
        }
        System.out.println("READY");
        for (int s = 0; s < SPAN; s++) {
            Thread.sleep(1000);
            long n = printed.sumThenReset();
            long t = nanos.sumThenReset();
            System.out.println("measured: " + n + " rolls printed/s, mean " + (n == 0 ? 0 : t / n / 1000) + " us to the customer");
        }
        System.exit(0);
    }
}
