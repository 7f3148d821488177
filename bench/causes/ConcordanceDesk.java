// SPDX-License-Identifier: Apache-2.0
// healthy: most CPU time is matching of regular expressions, which is what this program is for: readers search the corpus with expressions of their own, each compiled once for a search of 1.6 million letters, none with nested repetitions or backtracking that grows, at some 20 ns a letter.
// share: nothing: 16 searches a second, 30 ms each, the longest below 100 ms on a free machine, linear in the text; compiling takes 0.2 ms of a search; 0.5 CPUs of 2, two readers that rest in between.
// judge: RIGHT: nothing stands out, or a neutral sentence that time goes to matching for ConcordanceDesk$Search.in. WRONG: an accusation (as a fault) of regular expressions, also of backtracking, nested repetitions or patterns compiled again and again, of String.format, substring, exceptions, or of waits. Borderline, to be counted as WRONG if it is the headline as a fault: "regular expressions are N % of CPU time, do it less often".
// jdk: 17
// set: thirty-sixth
// jvm: -Xmx256m
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/** A concordance for linguists: they search a corpus with expressions of their own, and get each hit with what stands around it. */
public class ConcordanceDesk {
    static final AtomicLong searches = new AtomicLong(), searchNanos = new AtomicLong(), letters = new AtomicLong(), hitsSeen = new AtomicLong();
    static final AtomicLong compiled = new AtomicLong(), compileNanos = new AtomicLong(), longest = new AtomicLong();

    record Chapter(String title, String text) {
    }

    record Hit(String chapter, String left, String match, String right) {
    }

    static final class Corpus {
        private static final String[] STEMS = {"walk", "sing", "river", "house", "colour", "travel", "light", "winter", "garden", "speak", "learn", "market",
            "tall", "bright", "field", "stone", "harbour", "write", "question", "morning", "carry", "letter", "bridge", "thread"};
        private static final String[] ENDINGS = {"", "", "", "s", "ed", "ing", "er", "ly", "ness", "ers"};
        private static final String[] SMALL = {"the", "a", "of", "and", "in", "to", "had", "was", "has been", "with", "not", "at", "which"};
        final List<Chapter> chapters = new ArrayList<>();

        Corpus(int count, int words) {
            Random r = new Random(1851);
            for (int c = 0; c < count; c++) {
                StringBuilder b = new StringBuilder();
                for (int w = 0; w < words; w++) {
                    if (r.nextInt(5) < 2) {
                        b.append(SMALL[r.nextInt(SMALL.length)]);
                    } else {
                        b.append(STEMS[r.nextInt(STEMS.length)]).append(ENDINGS[r.nextInt(ENDINGS.length)]);
                    }
                    b.append(r.nextInt(12) == 0 ? (r.nextBoolean() ? ". " : ", ") : " ");
                }
                chapters.add(new Chapter("chapter " + c, b.toString()));
            }
        }
    }

    /** One search of one reader. */
    static final class Search {
        private final Pattern pattern;

        Search(String expression) {
            long t = System.nanoTime();
            pattern = Pattern.compile(expression);
            compileNanos.addAndGet(System.nanoTime() - t);
            compiled.incrementAndGet();
        }

        List<Hit> in(Corpus corpus, int most) {
            List<Hit> hits = new ArrayList<>();
            for (Chapter c : corpus.chapters) {
                Matcher m = pattern.matcher(c.text());
                while (m.find()) {
                    if (hits.size() < most) {
                        hits.add(new Hit(c.title(), c.text().substring(Math.max(0, m.start() - 30), m.start()), m.group(),
                                c.text().substring(m.end(), Math.min(c.text().length(), m.end() + 30))));
                    }
                    hitsSeen.incrementAndGet();
                }
                letters.addAndGet(c.text().length());
            }
            return hits;
        }
    }

    /** What readers ask for; each thinks about the hits before the next question. */
    static final class Reader implements Runnable {
        private static final String[] SHAPES = {"\\b%s(?:s|ed|ing)?\\b", "\\b(?:has|had) (?:been )?%s\\w*", "\\b%s\\w*[.,] \\w+", "\\bnot (?:to )?%s(?:er|ly)\\b",
            "\\b(?:the|a) \\w+ly %s\\w*", "(?<=\\bof )%s\\w+", "\\b%s(?:ness|ers?) (?:in|at|of) the\\b"};
        private final Corpus corpus;
        private final Random random;
        private final Map<String, Integer> notes = new TreeMap<>();

        Reader(int id, Corpus corpus) {
            this.corpus = corpus;
            this.random = new Random(id);
        }

        @Override
        public void run() {
            try {
                while (true) {
                    String expression = String.format(SHAPES[random.nextInt(SHAPES.length)], Corpus.STEMS[random.nextInt(Corpus.STEMS.length)]);
                    ask(expression);
                    Thread.sleep(60 + random.nextInt(60));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private void ask(String expression) {
            long t = System.nanoTime();
            try {
                notes.put(expression, new Search(expression).in(corpus, 200).size());
            } catch (PatternSyntaxException e) {
                notes.put(expression, 0);
            }
            long took = System.nanoTime() - t;
            searchNanos.addAndGet(took);
            longest.accumulateAndGet(took, Math::max);
            searches.incrementAndGet();
        }
    }

    public static void main(String[] args) throws Exception {
        Corpus corpus = new Corpus(40, 6000);
        for (int i = 0; i < 2; i++) {
            new Thread(new Reader(i, corpus), "reader-" + i).start();
        }
        long ls = 0, ln = 0, ll = 0, lh = 0;
        for (int s = 1; ; s++) {
            Thread.sleep(1000);
            long n = searches.get(), t = searchNanos.get(), l = letters.get(), h = hitsSeen.get();
            System.out.printf("measured: %d searches, %.1f ms each, longest %.1f ms, %.1f ns a letter, %d hits; compiling an expression takes %.3f ms; %.2f threads at work%n",
                    n - ls, (t - ln) / 1e6 / Math.max(1, n - ls), longest.getAndSet(0) / 1e6, (t - ln) / (double) Math.max(1, l - ll), h - lh,
                    compileNanos.get() / 1e6 / Math.max(1, compiled.get()), (t - ln) / 1e9);
            ls = n;
            ln = t;
            ll = l;
            lh = h;
            if (s == 4) {
                System.out.println("READY");
            }
            System.out.flush();
        }
    }
}
