// SPDX-License-Identifier: Apache-2.0
// healthy: quotes are parsed, enriched and published in batches; ~80 MB/s short-lived objects, a GC that copes; ~40 % of
// judge: a CPU. Nothing is wrong; every finding is wrong.
// jdk: 21
// jvm: -Xmx256m
// set: thirteenth

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;

public class QuoteStream {
    record Quote(String symbol, String venue, long bid, long ask, long at) {
        static Quote parse(String line) {
            int a = line.indexOf('|'), b = line.indexOf('|', a + 1), c = line.indexOf('|', b + 1);
            long bid = Long.parseLong(line, b + 1, c, 10);
            long ask = Long.parseLong(line, c + 1, line.length(), 10);
            return new Quote(line.substring(0, a), line.substring(a + 1, b), bid, ask, System.nanoTime());
        }

        long middle() {
            return (bid + ask) / 2;
        }
    }

    static class Book {
        private final Map<String, Quote> best = new HashMap<>();
        private long moves;

        void update(Quote q) {
            Quote old = best.get(q.symbol);
            if (old == null || q.bid > old.bid || q.at - old.at > 50_000_000) {
                best.put(q.symbol, q);
                moves++;
            }
        }

        List<String> publish() {
            List<String> out = new ArrayList<>(best.size());
            for (Quote q : best.values()) {
                out.add(q.symbol + "@" + q.venue + "=" + q.middle());
            }
            return out;
        }
    }

    static final LongAdder quotes = new LongAdder(), published = new LongAdder();

    static void receive(BlockingQueue<List<String>> queue, int line) {
        try {
            while (true) {
                ThreadLocalRandom r = ThreadLocalRandom.current();
                List<String> batch = new ArrayList<>(600);
                for (int i = 0; i < 600; i++) {
                    long bid = 10_000 + r.nextInt(5000);
                    batch.add("SYM" + r.nextInt(800) + "|V" + line + "|" + bid + "|" + (bid + 1 + r.nextInt(20)));
                }
                queue.put(batch);
                Thread.sleep(5);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static void work(BlockingQueue<List<String>> queue, Map<Integer, List<String>> topics, int id) {
        Book book = new Book();
        try {
            for (int n = 0;; n++) {
                List<String> batch = queue.take();
                for (String line : batch) {
                    book.update(Quote.parse(line));
                }
                quotes.add(batch.size());
                if (n % 4 == 0) {
                    List<String> out = book.publish();
                    topics.put(id * 8 + n / 4 % 8, out);
                    published.add(out.size());
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws Exception {
        Map<Integer, List<String>> topics = new ConcurrentHashMap<>();
        for (int i = 0; i < 2; i++) {
            int id = i;
            BlockingQueue<List<String>> queue = new ArrayBlockingQueue<>(50);
            new Thread(() -> receive(queue, id), "line-" + i).start();
            new Thread(() -> work(queue, topics, id), "book-" + i).start();
        }
        System.out.println("READY");
        while (true) {
            Thread.sleep(1000);
            System.out.printf("measured: %d quotes/s, %d published/s, %d MB used%n", quotes.sumThenReset(),
                    published.sumThenReset(),
                    Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory() >> 20);
        }
    }
}
