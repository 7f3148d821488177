// SPDX-License-Identifier: Apache-2.0
// cause: each pricing rule gets a deep copy of the basket by Java serialisation (CateringBaskets$Copies.of, below RuleChain.apply), where copying constructors would do
// share: medians of 1 s on a busy machine of 2 CPUs: 1285 offers/s, 1.22 ms each; with -Dfixed=true: 46954 offers/s, 0.02 ms each
// expect: hot-code kind=class-descriptors frame=Copies.of | hot-code kind=serialisation frame=Copies.of
// symptom: hot-code | gc-pauses
// judge: NAMED: serialisation (or class descriptions serialised again and again) for CateringBaskets$Copies.of; SYMPTOM ONLY: high allocation, GC; WRONG: locks, I/O, too few threads, the rules themselves
// jdk: 8
// set: twenty-eighth
// jvm: -Xmx64m -XX:+UseParallelGC
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.LongAdder;

public class CateringBaskets {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final long SPAN = Long.getLong("span", 170) * 1000000000L;
    static final LongAdder done = new LongAdder(), nanos = new LongAdder();
    static volatile long total;

    static class Dish implements Serializable {
        String name;
        int cents;
        boolean vegan;

        Dish(String name, int cents, boolean vegan) {
            this.name = name;
            this.cents = cents;
            this.vegan = vegan;
        }
    }

    static class Line implements Serializable {
        Dish dish;
        int count;
        Map<String, Integer> extras = new HashMap<>();

        Line(Dish dish, int count) {
            this.dish = dish;
            this.count = count;
        }

        Line(Line other) {
            dish = new Dish(other.dish.name, other.dish.cents, other.dish.vegan);
            count = other.count;
            extras.putAll(other.extras);
        }
    }

    static class Basket implements Serializable {
        long id;
        String venue;
        List<Line> lines = new ArrayList<>();

        Basket(long id, String venue) {
            this.id = id;
            this.venue = venue;
        }

        Basket(Basket other) {
            this(other.id, other.venue);
            for (Line l : other.lines) lines.add(new Line(l));
        }

        long cents() {
            long sum = 0;
            for (Line l : lines) {
                sum += (long) l.dish.cents * l.count;
                for (int x : l.extras.values()) sum += x;
            }
            return sum;
        }
    }

    static final class Copies {
        static Basket of(Basket b) {
            if (FIXED) return new Basket(b);
            try {
                ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
                    out.writeObject(b);
                }
                try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
                    return (Basket) in.readObject();
                }
            } catch (IOException | ClassNotFoundException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    interface Rule {
        void on(Basket b);
    }

    static final class RuleChain {
        final List<Rule> rules = Arrays.asList(
                b -> b.lines.forEach(l -> l.dish.cents -= l.dish.vegan ? l.dish.cents / 20 : 0),
                b -> b.lines.removeIf(l -> l.count == 0),
                b -> b.lines.forEach(l -> l.extras.merge("packing", 30, Integer::sum)),
                b -> b.lines.sort((x, y) -> x.dish.name.compareTo(y.dish.name)),
                b -> b.lines.forEach(l -> l.dish.cents -= l.count > 40 ? 25 : 0));

        Basket apply(Basket start) {
            Basket now = start;
            for (Rule r : rules) {
                Basket next = Copies.of(now);
                r.on(next);
                if (next.cents() < 0) continue;
                now = next;
            }
            return now;
        }
    }

    static final class Kitchen {
        final RuleChain chain = new RuleChain();

        String offer(Basket b) {
            Basket priced = chain.apply(b);
            StringBuilder page = new StringBuilder();
            for (Line l : priced.lines) {
                page.append(l.count).append(" x ").append(l.dish.name).append(' ').append(l.dish.cents).append('\n');
            }
            return page.append("total ").append(priced.cents()).toString();
        }
    }

    static Basket order(long id, Random r) {
        Basket b = new Basket(id, "hall " + r.nextInt(30));
        int n = 15 + r.nextInt(30);
        for (int i = 0; i < n; i++) {
            Line l = new Line(new Dish("dish " + r.nextInt(500), 200 + r.nextInt(3000), r.nextBoolean()), r.nextInt(60));
            if (r.nextInt(3) == 0) l.extras.put("sauce", 40);
            b.lines.add(l);
        }
        return b;
    }

    public static void main(String[] args) throws Exception {
        long t0 = System.nanoTime(), until = t0 + SPAN;
        LinkedBlockingQueue<Basket> orders = new LinkedBlockingQueue<>(64);
        Kitchen kitchen = new Kitchen();
        for (int i = 0; i < 2; i++) {
            Thread t = new Thread(() -> {
                try {
                    while (true) {
                        Basket b = orders.take();
                        long s = System.nanoTime();
                        total += kitchen.offer(b).length();
                        nanos.add(System.nanoTime() - s);
                        done.increment();
                    }
                } catch (InterruptedException e) {
                    return;
                }
            }, "kitchen-" + i);
            t.setDaemon(true);
            t.start();
        }
        Thread intake = new Thread(() -> {
            Random r = new Random(4);
            try {
                for (long id = 0;; id++) orders.put(order(id, r));
            } catch (InterruptedException e) {
                return;
            }
        }, "intake");
        intake.setDaemon(true);
        intake.start();
        Thread.sleep(3000);
        System.out.println("READY");
        done.sumThenReset();
        nanos.sumThenReset();
        while (System.nanoTime() < until) {
            Thread.sleep(1000);
            long n = done.sumThenReset();
            System.out.printf("measured: %d offers/s, %.3f ms each%n", n, nanos.sumThenReset() / 1e6 / Math.max(1, n));
        }
    }
}
