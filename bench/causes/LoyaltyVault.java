// SPDX-License-Identifier: Apache-2.0
// cause: LoyaltyVault$Shelf.weigh serialises the whole member with an ObjectOutputStream each time that Shelf.store is called, only to learn how many bytes it has for the bound of the cache, and throws the bytes away.
// share: faulty 51,500 to 63,000 sales/s, fixed (size estimated from the lengths of its fields) 189,000 to 265,000 sales/s: 3 times or more.
// expect: hot-code kind=serialisation frame=LoyaltyVault$Shelf.weigh | hot-code kind=class-descriptors frame=LoyaltyVault$Shelf.weigh
// symptom: gc-pauses gc-cpu hot-calls
// judge: NAMED: Java serialisation (ObjectOutputStream.writeObject) in LoyaltyVault$Shelf.weigh, done for each store. SYMPTOM ONLY: Shelf.store is hot, under its monitor; much allocation (byte[] and handle tables of ObjectOutputStream), young collections. WRONG: contention for the monitors of shelves or members as the cause (64 shelves, three tills), a heap too small, Till.rank (Math.log, Math.exp), purchases.remove(0).
// jdk: 8
// set: thirtieth
// jvm:

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.LongAdder;

public class LoyaltyVault {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final int SPAN = Integer.getInteger("span", 170);

    static final class Purchase implements Serializable {
        private static final long serialVersionUID = 1L;
        final int shop;
        final long cents;
        final String article;

        Purchase(int shop, long cents, String article) {
            this.shop = shop;
            this.cents = cents;
            this.article = article;
        }
    }

    static final class Member implements Serializable {
        private static final long serialVersionUID = 1L;
        final int number;
        final String name;
        final List<Purchase> purchases = new ArrayList<>();
        long points;

        Member(int number) {
            this.number = number;
            this.name = "member " + number;
        }

        void buy(Purchase p) {
            if (purchases.size() == 24) {
                purchases.remove(0);
            }
            purchases.add(p);
            points += p.cents / 50;
        }

        int roughBytes() {
            int n = 260 + name.length();
            for (int i = 0; i < purchases.size(); i++) {
                n += 26 + purchases.get(i).article.length();
            }
            return n;
        }
    }

    static final class Shelf {
        private final long capacity;
        private final LinkedHashMap<Integer, Member> members = new LinkedHashMap<>(512, 0.75f, true);
        private final Map<Integer, Integer> weights = new java.util.HashMap<>();
        private long used;

        Shelf(long capacity) {
            this.capacity = capacity;
        }

        synchronized Member find(int number) {
            return members.get(number);
        }

        synchronized void store(Member m) {
            int weight = weigh(m);
            Integer before = weights.put(m.number, weight);
            used += weight - (before == null ? 0 : before);
            members.put(m.number, m);
            Iterator<Member> eldest = members.values().iterator();
            while (used > capacity && eldest.hasNext()) {
                Member out = eldest.next();
                eldest.remove();
                used -= weights.remove(out.number);
            }
        }

        private int weigh(Member m) {
            if (FIXED) {
                return m.roughBytes();
            }
            try {
                ByteArrayOutputStream bytes = new ByteArrayOutputStream(1024);
                ObjectOutputStream out = new ObjectOutputStream(bytes);
                out.writeObject(m);
                out.close();
                return bytes.size();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    static final class Till implements Runnable {
        final Shelf[] shelves;
        final LongAdder sales;
        final LongAdder points;
        final Random random;

        Till(Shelf[] shelves, LongAdder sales, LongAdder points, int seed) {
            this.shelves = shelves;
            this.sales = sales;
            this.points = points;
            this.random = new Random(seed);
        }

        @Override
        public void run() {
            while (true) {
                int number = (int) Math.abs(random.nextGaussian() * 1500);
                Shelf shelf = shelves[number % shelves.length];
                Member m = shelf.find(number);
                if (m == null) {
                    m = new Member(number);
                }
                synchronized (m) {
                    for (int i = 1 + random.nextInt(4); i > 0; i--) {
                        m.buy(new Purchase(random.nextInt(40), 99 + random.nextInt(9000), "article " + random.nextInt(5000)));
                    }
                    points.add(rank(m));
                    shelf.store(m);
                }
                sales.increment();
            }
        }

        long rank(Member m) {
            double score = m.points;
            for (int i = 0; i < m.purchases.size(); i++) {
                Purchase p = m.purchases.get(i);
                score += Math.log(p.cents) * Math.exp(-i / 10.0);
            }
            return (long) score;
        }
    }

    public static void main(String[] args) throws Exception {
        Shelf[] shelves = new Shelf[64];
        for (int i = 0; i < shelves.length; i++) {
            shelves[i] = new Shelf(160_000);
        }
        LongAdder sales = new LongAdder();
        LongAdder points = new LongAdder();
        for (int i = 0; i < 3; i++) {
            Thread t = new Thread(new Till(shelves, sales, points, i), "till-" + i);
            t.setDaemon(true);
            t.start();
        }
        System.out.println("READY");
        for (int s = 0; s < SPAN; s++) {
            Thread.sleep(1000);
            System.out.println("measured: " + sales.sumThenReset() + " sales/s, score " + points.sumThenReset());
        }
        System.exit(0);
    }
}
