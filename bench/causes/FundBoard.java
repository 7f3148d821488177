// SPDX-License-Identifier: Apache-2.0
// cause: the constructor FundBoard.Board wraps the list it is given with Collections.unmodifiableList, and Board.withRevision passes the already wrapped list of the former board 25 times a second, so wrappers nest ever deeper (25 more each second) and each lines.get(i) walks through all of them.
// share: faulty portfolios/s 90413, mean_us 46; fixed portfolios/s 4703611, mean_us 0.42 (means over seconds 3 to 11); throughput 52.0 times better when fixed; the faulty variant gets slower each second, e.g. mean 46 us at second 3 to 11 and about 850 us (2400 portfolios/s) at second 170
// expect: hot-code kind=nested-wrappers
// symptom: hot-method hot-code
// judge: NAMED: nested Collections$UnmodifiableList (UnmodifiableRandomAccessList) wrappers, one more for each Board revision (Board constructor / withRevision / publisher), so list.get recurses through hundreds or thousands of levels; it gets worse with time. SYMPTOM ONLY: CPU in Collections$UnmodifiableList.get; deep stacks; throughput falls with time; valuation loop is hot. WRONG: GC or memory leak as the cause of the slowness, lock contention, the volatile read of the board, the publisher's own CPU use, boxing.
// jdk: 11
// set: twenty-third
// jvm:
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

public class FundBoard {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final int LINES = 4000;

    static final class Line {
        final String isin;
        final long priceMicros;
        final String currency;

        Line(String isin, long priceMicros, String currency) {
            this.isin = isin;
            this.priceMicros = priceMicros;
            this.currency = currency;
        }
    }

    static final class Board {
        final int revision;
        final Map<String, Double> rates;
        private final List<Line> lines;

        Board(int revision, List<Line> lines, Map<String, Double> rates) {
            this.revision = revision;
            this.lines = FIXED && revision > 1 ? lines : Collections.unmodifiableList(lines);
            this.rates = Map.copyOf(rates);
        }

        List<Line> lines() {
            return lines;
        }

        Board withRevision(Map<String, Double> newRates) {
            return new Board(revision + 1, lines, newRates);
        }
    }

    static final class Portfolio {
        final int[] line = new int[60];
        final int[] units = new int[60];

        Portfolio(Random rnd) {
            for (int i = 0; i < line.length; i++) {
                line[i] = rnd.nextInt(LINES);
                units[i] = 1 + rnd.nextInt(500);
            }
        }
    }

    volatile Board board;
    final List<Portfolio> portfolios = new ArrayList<>();
    final AtomicLong valued = new AtomicLong();
    final AtomicLong nanos = new AtomicLong();
    final AtomicLong checksum = new AtomicLong();

    FundBoard() {
        Random rnd = new Random(17);
        List<Line> lines = new ArrayList<>();
        String[] cur = {"EUR", "USD", "GBP", "CHF"};
        for (int i = 0; i < LINES; i++) {
            lines.add(new Line("XF" + (100000 + i), 1_000_000L + rnd.nextInt(90_000_000), cur[rnd.nextInt(4)]));
        }
        board = new Board(1, lines, rates(rnd));
        for (int i = 0; i < 500; i++) {
            portfolios.add(new Portfolio(rnd));
        }
    }

    static Map<String, Double> rates(Random rnd) {
        Map<String, Double> r = new HashMap<>();
        r.put("EUR", 1.0);
        r.put("USD", 0.90 + rnd.nextInt(100) / 2000.0);
        r.put("GBP", 1.15 + rnd.nextInt(100) / 2000.0);
        r.put("CHF", 1.02 + rnd.nextInt(100) / 2000.0);
        return r;
    }

    double value(Portfolio p, Board b) {
        double sum = 0;
        List<Line> lines = b.lines();
        for (int i = 0; i < p.line.length; i++) {
            Line l = lines.get(p.line[i]);
            sum += l.priceMicros / 1e6 * p.units[i] * b.rates.get(l.currency);
        }
        return sum;
    }

    void valuer(int seed) {
        Random rnd = new Random(seed);
        while (true) {
            Board b = board;
            long t = System.nanoTime();
            double total = 0;
            for (int i = 0; i < 20; i++) {
                total += value(portfolios.get(rnd.nextInt(portfolios.size())), b);
            }
            checksum.addAndGet((long) total);
            nanos.addAndGet(System.nanoTime() - t);
            valued.addAndGet(20);
        }
    }

    void publisher() {
        Random rnd = new Random(3);
        try {
            while (true) {
                Thread.sleep(40);
                board = board.withRevision(rates(rnd));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static void daemon(String name, Runnable r) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        FundBoard f = new FundBoard();
        daemon("publisher", f::publisher);
        daemon("valuer-1", () -> f.valuer(1));
        daemon("valuer-2", () -> f.valuer(2));
        System.out.println("READY");
        long lastValued = 0, lastNanos = 0;
        for (int s = 1; s <= 170; s++) {
            Thread.sleep(1000);
            long v = f.valued.get(), n = f.nanos.get();
            long dv = v - lastValued;
            System.out.printf("measured: portfolios/s=%d mean_us=%.2f revision=%d%n", dv,
                    dv == 0 ? 0.0 : (n - lastNanos) / 1000.0 / dv, f.board.revision);
            lastValued = v;
            lastNanos = n;
        }
        System.exit(0);
    }
}
