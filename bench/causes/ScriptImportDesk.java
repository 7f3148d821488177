// SPDX-License-Identifier: Apache-2.0
// healthy: a desk that reviews scripts of users looks up the classes which they import by name (Class.forName, with exceptions for those that are not there), but keeps what it found, also what is missing, so that only names that it has never seen are looked up; that is a small part of its CPU time, most of which is reviewing
// share: 7 % of the imports are looked up, each name once, 10 % of the reviewing time; 0.2 CPUs
// judge: RIGHT: nothing stands out, or only neutral remarks of where it computes (Review.similarity, Review.tokens). WRONG: any accusation: looking up classes at ImportBook.lookUp (hot-code class-lookup), exceptions, cache misses at ImportBook.known, class loading, locks of class loaders, building of strings, collections, waiting of reviewers for their queue
// jdk: 17
// set: thirty-fifth
// jvm: -Xmx128m
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;

/** Reviews scripts that users of a planetarium's control system hand in: their imports, and how much they copy from each other. */
public class ScriptImportDesk {
    static final LongAdder SCRIPTS = new LongAdder();
    static final LongAdder REVIEW_TIME = new LongAdder();
    static final LongAdder IMPORTS = new LongAdder();
    static final LongAdder LOOKUPS = new LongAdder();
    static final LongAdder LOOKUP_TIME = new LongAdder();

    record Script(String author, List<String> imports, int[] text) {
        private static final String[] PACKAGES = {"java.util", "java.time", "java.text", "java.io", "java.util.function", "java.net"};
        private static final String[] CLASSES = {"List", "Map", "LocalDate", "Duration", "NumberFormat", "Reader", "Function", "URI", "Optional",
            "ArrayList", "HashMap", "Instant", "Writer", "Supplier", "Locale", "TimeZone", "Base64"};

        static Script handedIn() {
            ThreadLocalRandom random = ThreadLocalRandom.current();
            String author = "user" + random.nextInt(100000);
            List<String> imports = new ArrayList<>();
            for (int i = 0; i < 40; i++)
                imports.add(PACKAGES[random.nextInt(PACKAGES.length)] + "." + CLASSES[random.nextInt(CLASSES.length)]);
            for (int i = 0; i < 3; i++)
                imports.add("planetarium." + author + ".Scene" + random.nextInt(1000000));
            int[] text = new int[1200];
            int word = random.nextInt();
            for (int i = 0; i < text.length; i++) {
                word = word * 1103515245 + 12345;
                text[i] = (word >>> 16) % 60;
            }
            return new Script(author, imports, text);
        }
    }

    /** Which imported classes there are. */
    static final class ImportBook {
        private static final int LIMIT = 20000;
        private final ClassLoader sandbox = ScriptImportDesk.class.getClassLoader();
        private final Map<String, Boolean> known = new LinkedHashMap<>(1024, 0.75f, true) {
            @Override
            protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
                return size() > LIMIT;
            }
        };

        boolean exists(String name) {
            IMPORTS.increment();
            Boolean found;
            synchronized (known) {
                found = known.get(name);
            }
            if (found == null) {
                found = lookUp(name);
                synchronized (known) {
                    known.put(name, found);
                }
            }
            return found;
        }

        private boolean lookUp(String name) {
            long begin = System.nanoTime();
            try {
                Class.forName(name, false, sandbox);
                return true;
            } catch (ClassNotFoundException e) {
                return false;
            } finally {
                LOOKUPS.increment();
                LOOKUP_TIME.add(System.nanoTime() - begin);
            }
        }
    }

    static final class Review {
        private final List<int[]> samples = new ArrayList<>();

        Review() {
            for (int i = 0; i < 5; i++)
                samples.add(Script.handedIn().text());
        }

        int[] tokens(int[] text) {
            int[] tokens = new int[text.length / 2];
            for (int i = 0; i < tokens.length; i++)
                tokens[i] = text[2 * i] * 61 + text[2 * i + 1];
            return tokens;
        }

        double similarity(Script script) {
            int[] mine = tokens(script.text());
            int most = 0;
            for (int[] sample : samples)
                most = Math.max(most, longestCommon(mine, tokens(sample)));
            return (double) most / mine.length;
        }

        private static int longestCommon(int[] a, int[] b) {
            int[] before = new int[b.length + 1], now = new int[b.length + 1];
            for (int x : a) {
                for (int j = 0; j < b.length; j++)
                    now[j + 1] = x == b[j] ? before[j] + 1 : Math.max(before[j + 1], now[j]);
                int[] swap = before;
                before = now;
                now = swap;
            }
            return before[b.length];
        }
    }

    static final class Reviewer implements Runnable {
        private final BlockingQueue<Script> inbox;
        private final ImportBook book;
        private final Review review = new Review();
        private int refused;

        Reviewer(BlockingQueue<Script> inbox, ImportBook book) {
            this.inbox = inbox;
            this.book = book;
        }

        private void review(Script script) {
            long begin = System.nanoTime();
            int missing = 0;
            for (String name : script.imports())
                if (!book.exists(name))
                    missing++;
            if (review.similarity(script) > 0.9 || missing > script.imports().size() - 2)
                refused++;
            REVIEW_TIME.add(System.nanoTime() - begin);
            SCRIPTS.increment();
        }

        @Override
        public void run() {
            try {
                while (true)
                    review(inbox.take());
            } catch (InterruptedException e) {
                System.out.println("refused: " + refused);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        BlockingQueue<Script> inbox = new ArrayBlockingQueue<>(500);
        ImportBook book = new ImportBook();
        for (int i = 0; i < 2; i++)
            new Thread(new Reviewer(inbox, book), "reviewer-" + i).start();
        new Thread(() -> {
            try {
                while (true) {
                    inbox.offer(Script.handedIn());
                    Thread.sleep(ThreadLocalRandom.current().nextInt(2, 14));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }, "mailbox").start();
        for (int second = 0;; second++) {
            long scripts = SCRIPTS.sum(), time = REVIEW_TIME.sum(), imports = IMPORTS.sum(), lookups = LOOKUPS.sum(), lookup = LOOKUP_TIME.sum();
            Thread.sleep(1000);
            scripts = SCRIPTS.sum() - scripts;
            time = REVIEW_TIME.sum() - time;
            System.out.printf("measured: %d scripts, %.1f ms each, %d imports, of which %d were looked up, %.1f %% of the time; %d wait%n", scripts,
                time / 1e6 / Math.max(1, scripts), IMPORTS.sum() - imports, LOOKUPS.sum() - lookups, 100.0 * (LOOKUP_TIME.sum() - lookup) / Math.max(1, time), inbox.size());
            if (second == 3) {
                System.out.println("READY");
                System.out.flush();
            }
        }
    }
}
