// SPDX-License-Identifier: Apache-2.0
// healthy: the feed parser allocates nearly 200 MB of short-lived strings and records a second, with many young collections and a thousand short virtual threads a second, but nothing survives, collections take about 0.2 ms (median, under 1 % of the time in all) and the paced load is met in full.
// share: measures messages parsed per second (100000 of 100000 offered), mean time from creation to end of a block (about 0.1 ms) and trades of one symbol
// judge: WRONG: GC pressure or allocation rate as a problem, memory leak, heap too small, too many virtual threads, virtual thread pinning, the sleep in TradeTicker.exchange as a bottleneck (it paces a fixed rate), Semaphore contention. ACCEPTABLE as neutral: high allocation rate in Message.parse / exchange with cheap young collections (a small share of time); CPU partly idle; no problem found.
// jdk: 21
// set: twenty-third
// jvm: -XX:+UseSerialGC -Xmn32m
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.LongAdder;

public class TradeTicker {
    static final int PER_SECOND = 100_000;
    static final int BLOCK = 100;
    static final String[] SYMBOLS = {"ALV", "BAS", "BMW", "DTE", "EOAN", "FRE", "IFX", "LIN", "MRK", "SAP", "SIE", "VNA"};

    record Message(Map<String, String> fields) {
        static Message parse(String raw) {
            Map<String, String> f = new HashMap<>();
            int at = 0;
            while (at < raw.length()) {
                int eq = raw.indexOf('=', at);
                int end = raw.indexOf('|', eq);
                if (eq < 0 || end < 0) {
                    break;
                }
                f.put(raw.substring(at, eq), raw.substring(eq + 1, end));
                at = end + 1;
            }
            return new Message(f);
        }

        Trade trade() {
            return new Trade(fields.get("55"), Integer.parseInt(fields.get("38")), Long.parseLong(fields.get("44")),
                    "1".equals(fields.get("54")));
        }
    }

    record Trade(String symbol, int quantity, long priceMicros, boolean buy) { }

    static final class Position {
        private long net;
        private long turnover;
        private long trades;

        synchronized void add(Trade t) {
            net += t.buy() ? t.quantity() : -t.quantity();
            turnover += t.quantity() * t.priceMicros() / 1_000_000;
            trades++;
        }

        synchronized long trades() {
            return trades;
        }
    }

    final Map<String, Position> positions = new HashMap<>();
    final LongAdder parsed = new LongAdder();
    final LongAdder delay = new LongAdder();
    final LongAdder blocks = new LongAdder();

    TradeTicker() {
        for (String s : SYMBOLS) {
            positions.put(s, new Position());
        }
    }

    static String raw(long seq, Random rnd) {
        StringBuilder sb = new StringBuilder(120);
        sb.append("8=FIX.4.4|35=8|34=").append(seq).append("|49=XETR|56=DESK|55=").append(SYMBOLS[rnd.nextInt(SYMBOLS.length)]);
        sb.append("|38=").append(1 + rnd.nextInt(900)).append("|44=").append(10_000_000 + rnd.nextInt(200_000_000));
        return sb.append("|54=").append(1 + rnd.nextInt(2)).append("|10=").append(seq % 256).append('|').toString();
    }

    void handle(List<String> block, long created) {
        for (String line : block) {
            Trade t = Message.parse(line).trade();
            positions.get(t.symbol()).add(t);
        }
        parsed.add(block.size());
        delay.add(System.nanoTime() - created);
        blocks.increment();
    }

    void exchange() {
        Random rnd = new Random(1);
        long seq = 0;
        long step = 1_000_000_000L * BLOCK / PER_SECOND;
        long due = System.nanoTime();
        try (ExecutorService handlers = Executors.newVirtualThreadPerTaskExecutor()) {
            while (true) {
                while (System.nanoTime() - due >= 0) {
                    List<String> block = new ArrayList<>(BLOCK);
                    for (int i = 0; i < BLOCK; i++) {
                        block.add(raw(seq++, rnd));
                    }
                    long created = System.nanoTime();
                    handlers.execute(() -> handle(block, created));
                    due += step;
                }
                Thread.sleep(1);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws Exception {
        TradeTicker feed = new TradeTicker();
        Thread t = new Thread(feed::exchange, "exchange");
        t.setDaemon(true);
        t.start();
        System.out.println("READY");
        long lastN = 0, lastD = 0, lastB = 0;
        for (int s = 1; s <= 170; s++) {
            Thread.sleep(1000);
            long n = feed.parsed.sum(), d = feed.delay.sum(), b = feed.blocks.sum();
            System.out.printf("measured: messages/s=%d of %d mean_block_us=%.0f sap_trades=%d%n", n - lastN, PER_SECOND,
                    b == lastB ? 0.0 : (d - lastD) / 1000.0 / (b - lastB), feed.positions.get("SAP").trades());
            lastN = n;
            lastD = d;
            lastB = b;
        }
        System.exit(0);
    }
}
