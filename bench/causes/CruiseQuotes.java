// SPDX-License-Identifier: Apache-2.0
// cause: CruiseQuotes$Quotes.cabins asks the partners by a lazy stream (map(ask) followed by map(join) in one pipeline), so that each partner is asked only when the answer of the one before it has come: the thread waits for eight futures one after the other, in place of once for all.
// share: 10 s each: faulty 100 offers/s of 98 ms, fixed 690 offers/s of 14.5 ms: 6.9 times as many.
// expect: waiting sequence=CruiseQuotes$Quotes.cabins | waiting frame=CruiseQuotes$Quotes.cabins beginner=CruiseQuotes$Line.ask
// symptom: waiting
// judge: NAMED: CruiseQuotes$Quotes.cabins waits (CompletableFuture.join) for each partner's answer before it asks the next one, so eight answers of some 12 ms follow each other though they are independent. SYMPTOM ONLY: waits for a future in CruiseQuotes$Quotes.cabins (or its lambda), without that the calls follow one another; the agents wait most of the time; partners are slow to answer. WRONG: a pool that is too small or busy, a blocked scheduler, lock contention, a saturated thread, CPU or heap.
// jdk: 17
// set: thirtieth
// jvm:
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A travel agency's desk: asks the cruise lines for cabins on a date and offers the cheapest. */
public class CruiseQuotes {
    static final boolean VARIANT = Boolean.getBoolean("fixed");

    static final class Wish {
        final int day;
        final int guests;
        final boolean balcony;

        Wish(int day, int guests, boolean balcony) {
            this.day = day;
            this.guests = guests;
            this.balcony = balcony;
        }
    }

    static final class Cabin {
        final String line;
        final int deck;
        final long cents;

        Cabin(String line, int deck, long cents) {
            this.line = line;
            this.deck = deck;
            this.cents = cents;
        }
    }

    /** A cruise line, as its test system answers: after 9 to 15 ms, to any number of questions at a time. */
    static final class Line {
        private final String name;
        private final ScheduledExecutorService network;

        Line(String name, ScheduledExecutorService network) {
            this.name = name;
            this.network = network;
        }

        CompletableFuture<List<Cabin>> ask(Wish wish) {
            CompletableFuture<List<Cabin>> answer = new CompletableFuture<>();
            long micros = 9_000 + ThreadLocalRandom.current().nextInt(6_000);
            network.schedule(() -> answer.complete(cabins(wish)), micros, TimeUnit.MICROSECONDS);
            return answer;
        }

        private List<Cabin> cabins(Wish wish) {
            List<Cabin> found = new ArrayList<>();
            int seed = name.hashCode() * 31 + wish.day;
            for (int deck = 3; deck < 12; deck++) {
                seed = seed * 1_103_515_245 + 12_345;
                long cents = 40_000L * wish.guests + (seed >>> 12 & 0xffff) + (wish.balcony ? 22_000 : 0) + deck * 900L;
                found.add(new Cabin(name, deck, cents));
            }
            return found;
        }
    }

    /** Collects what the lines have. */
    static final class Quotes {
        private final List<Line> lines;

        Quotes(List<Line> lines) {
            this.lines = lines;
        }

        List<Cabin> cabins(Wish wish) {
            Stream<CompletableFuture<List<Cabin>>> answers = lines.stream().map(line -> line.ask(wish));
            if (VARIANT)
                answers = answers.collect(Collectors.toList()).stream();
            return answers.map(CompletableFuture::join)
                    .flatMap(List::stream)
                    .sorted(Comparator.comparingLong(c -> c.cents))
                    .limit(10)
                    .collect(Collectors.toList());
        }
    }

    static final LongAdder offers = new LongAdder();
    static final LongAdder took = new LongAdder();
    static final LongAdder turnover = new LongAdder();

    static void agent(Quotes quotes) {
        ThreadLocalRandom r = ThreadLocalRandom.current();
        while (true) {
            Wish wish = new Wish(r.nextInt(365), 1 + r.nextInt(4), r.nextBoolean());
            long begin = System.nanoTime();
            List<Cabin> cabins = quotes.cabins(wish);
            took.add(System.nanoTime() - begin);
            offers.increment();
            turnover.add(cabins.get(0).cents);
        }
    }

    public static void main(String[] args) throws Exception {
        long span = Long.getLong("span", 170);
        ScheduledExecutorService network = Executors.newScheduledThreadPool(2, r -> {
            Thread t = new Thread(r, "network");
            t.setDaemon(true);
            return t;
        });
        List<Line> lines = Stream.of("Aurora", "Borealis", "Costa Verde", "Delfin", "Estrella", "Fjordline", "Galene", "Halcyon")
                .map(name -> new Line(name, network)).collect(Collectors.toList());
        Quotes quotes = new Quotes(lines);
        for (int i = 1; i <= 10; i++) {
            Thread t = new Thread(() -> agent(quotes), "agent-" + i);
            t.setDaemon(true);
            t.start();
        }
        System.out.println("READY");
        long before = System.nanoTime();
        for (long s = 0; s < span; s++) {
            Thread.sleep(1000);
            long now = System.nanoTime();
            double seconds = (now - before) / 1e9;
            before = now;
            long n = Math.max(1, offers.sumThenReset());
            System.out.printf("measured: %.1f offers/s, mean latency %.1f ms%n", n / seconds, took.sumThenReset() / 1e6 / n);
        }
        System.exit(0);
    }
}
