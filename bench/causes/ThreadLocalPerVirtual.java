// SPDX-License-Identifier: Apache-2.0
// cause: a table kept in a ThreadLocal, made for pooled threads, is made anew for the virtual thread of each request
// expect: hot-code kind=thread-locals frame=ThreadLocalPerVirtual | hot-method caller=Transliterator | hot-method frame=Transliterator | hot-calls frame=Transliterator | hot-code frame=Transliterator
// symptom: hot-method hot-code hot-calls gc-pauses gc-cpu
// jvm: -Xmx256m -XX:+UseG1GC
// jdk: 25
// set: sixth
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Two hundred requests a second get a virtual thread each, which computes the address of an article's page from its
 * title and then waits for a database. The table of letters takes 1 to 2 ms to compute and 128 KB; a title needs it for
 * a few microseconds. With a pool of threads, tables were made once and kept. Now the process spends a third of a CPU,
 * and nearly all of what it allocates, on tables that are used once.
 */
public final class ThreadLocalPerVirtual {
    private static final ThreadLocal<Transliterator> LOCAL = ThreadLocal.withInitial(Transliterator::new);
    private static volatile int length;

    /** Which letter of an address stands for each character. */
    private static final class Transliterator {
        private final char[] letters = new char[Character.MAX_VALUE + 1];

        private Transliterator() {
            for (int c = 0; c < letters.length; c++) {
                letters[c] = letter(c);
            }
        }

        private static char letter(int c) {
            if (Character.isDigit(c)) {
                return (char) ('0' + Character.digit(c, 10));
            }
            if (Character.isLetter(c)) {
                int lower = Character.toLowerCase(c);
                return Character.UnicodeBlock.of(lower) == Character.UnicodeBlock.BASIC_LATIN ? (char) lower : 'x';
            }
            return '-';
        }

        private String apply(String title) {
            StringBuilder out = new StringBuilder();
            for (int i = 0; i < title.length(); i++) {
                out.append(letters[title.charAt(i)]);
            }
            return out.toString();
        }
    }

    private static void serve(int article) {
        try {
            length = LOCAL.get().apply("What is new in article " + article).length();
            Thread.sleep(20); // the answer of the database
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        System.out.println("READY");
        try (ExecutorService requests = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int n = 0;; n++) {
                int article = n;
                requests.execute(() -> serve(article));
                Thread.sleep(5); // the next request
            }
        }
    }
}
