// SPDX-License-Identifier: Apache-2.0
// healthy: term lookups by a bounded LRU cache: ~93% hits, short lock, small pauses; load far below capacity
// share: 1470 texts/s, mean 0.02 ms, hit rate 93%, a young GC of 3 ms every 2 s
// judge: right: nothing is wrong; at most: light load, a bounded cache with a good hit rate, short young GCs
// judge: symptom: clients pause between requests (think time); Lru's monitor is taken often but briefly
// judge: wrong: the synchronized cache as contention, the cache as leak, allocation/GC, Dictionary.explain, sleeps
// jdk: 25
// set: fourteenth
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/** Explains the technical terms of a text; explanations are composed of a dictionary and cached. */
public class HealthyGlossaryCache {
    static final int TERMS = 20_000;
    static final int CACHED = 3000;
    static final LongAdder texts = new LongAdder();
    static final LongAdder textNanos = new LongAdder();
    static final LongAdder lookups = new LongAdder();
    static final LongAdder misses = new LongAdder();

    record Explanation(String term, String text, int related) {}

    static final class Lru {
        private final LinkedHashMap<Integer, Explanation> map = new LinkedHashMap<>(CACHED * 2, 0.75f, true) {
            @Override protected boolean removeEldestEntry(Map.Entry<Integer, Explanation> eldest) {
                return size() > CACHED;
            }
        };

        synchronized Explanation get(int term) {
            return map.get(term);
        }

        synchronized void put(int term, Explanation e) {
            map.put(term, e);
        }
    }

    static final class Dictionary {
        private final String[] words = new String[TERMS];
        private final int[][] links = new int[TERMS][];

        Dictionary() {
            Random r = new Random(21);
            for (int i = 0; i < TERMS; i++) {
                StringBuilder b = new StringBuilder();
                for (int k = 4 + r.nextInt(8); k > 0; k--) b.append((char) ('a' + r.nextInt(26)));
                words[i] = b.toString();
                links[i] = r.ints(12, 0, TERMS).toArray();
            }
        }

        /** Composes an explanation: the words two links away, the closest ones first. */
        Explanation explain(int term) {
            StringBuilder text = new StringBuilder(400).append(words[term]).append(": ");
            int related = 0;
            for (int a : links[term]) {
                text.append(words[a]).append(", ");
                for (int b : links[a]) {
                    if (words[b].charAt(0) == words[term].charAt(0)) {
                        text.append(words[b]).append(' ');
                        related++;
                    }
                }
            }
            return new Explanation(words[term], text.toString(), related);
        }
    }

    static final class Glossary {
        private final Lru cache = new Lru();
        private final Dictionary dictionary = new Dictionary();

        Explanation of(int term) {
            lookups.increment();
            Explanation e = cache.get(term);
            if (e == null) {
                misses.increment();
                e = dictionary.explain(term);
                cache.put(term, e);
            }
            return e;
        }

        String annotate(int[] terms) {
            StringBuilder page = new StringBuilder(terms.length * 120);
            for (int t : terms) {
                Explanation e = of(t);
                page.append("<dt>").append(e.term()).append("</dt><dd>").append(e.text()).append("</dd>\n");
            }
            return page.toString();
        }
    }

    static int pick(ThreadLocalRandom r) {
        return (int) (TERMS * Math.pow(r.nextDouble(), 36)) % TERMS;
    }

    static void reader(Glossary glossary) {
        ThreadLocalRandom r = ThreadLocalRandom.current();
        while (true) {
            int[] terms = new int[10 + r.nextInt(20)];
            for (int i = 0; i < terms.length; i++) terms[i] = pick(r);
            long t0 = System.nanoTime();
            String page = glossary.annotate(terms);
            textNanos.add(System.nanoTime() - t0);
            texts.increment();
            if (page.isEmpty()) throw new IllegalStateException("empty page");
            LockSupport.parkNanos(2_000_000 + r.nextInt(4_000_000));
        }
    }

    public static void main(String[] args) throws Exception {
        Glossary glossary = new Glossary();
        for (int i = 0; i < 6; i++) {
            Thread.ofPlatform().daemon().name("reader-" + i).start(() -> reader(glossary));
        }
        System.out.println("READY");
        while (true) {
            Thread.sleep(1000);
            long n = texts.sumThenReset();
            long l = Math.max(1, lookups.sumThenReset());
            System.out.printf("measured: %d texts/s, mean %.3f ms, hit rate %.1f%%%n", n,
                    textNanos.sumThenReset() / 1e6 / Math.max(1, n), 100.0 * (l - misses.sumThenReset()) / l);
        }
    }
}
