// SPDX-License-Identifier: Apache-2.0
// healthy: each paper that is handed in is loaded by a class loader of its own and dropped after it is graded, so that tens of classes a second are loaded and unloaded; that is what keeps candidates' programs apart, costs a few per cent of one CPU, is bounded, and every paper is graded on time.
// share: 12 to 13 papers/s (the rate at which they are handed in), 3 to 8 ms each; some 38 classes/s are loaded, and as many dropped, by a collection every 4 to 5 s; 0.1 CPUs.
// judge: WRONG: that making class loaders, unloading of classes, metaspace, class loading, collections or the sleeps and waits of graders make this program slow, or that it leaks classes or memory. ACCEPTABLE: neutral remarks that classes are unloaded at such a rate by loaders made in ExamGrader$Room, that the CPU time is the tests' own computation (the papers' score methods, ExamGrader.grade), that the program mostly rests.
// jdk: 25
// set: thirtieth
// jvm: -XX:InitiatingHeapOccupancyPercent=15
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ClassLoadingMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.zip.CRC32;

/** Grades the programs that candidates of an examination hand in, each apart from all others. */
public class ExamGrader {
    /** What candidates have to write: the shortest tour's score for a table of distances. */
    public interface Paper {
        long score(int[] table);
    }

    public static final class PaperA implements Paper {
        @Override
        public long score(int[] table) {
            PaperSteps steps = new PaperSteps(table);
            long best = Long.MAX_VALUE;
            for (int from = 0; from < steps.width(); from++)
                best = Math.min(best, steps.tour(from));
            return best;
        }
    }

    public static final class PaperSteps {
        private final int[] table;
        private final int width;

        public PaperSteps(int[] table) {
            this.table = table;
            width = (int) Math.sqrt(table.length);
        }

        public int width() {
            return width;
        }

        public long tour(int from) {
            boolean[] seen = new boolean[width];
            PaperSum sum = new PaperSum();
            int at = from;
            seen[at] = true;
            for (int n = 1; n < width; n++) {
                int next = -1;
                for (int i = 0; i < width; i++)
                    if (!seen[i] && (next < 0 || table[at * width + i] < table[at * width + next]))
                        next = i;
                sum.add(table[at * width + next]);
                seen[next] = true;
                at = next;
            }
            sum.add(table[at * width + from]);
            return sum.value();
        }
    }

    public static final class PaperSum {
        private long value;

        public void add(long n) {
            value += n;
        }

        public long value() {
            return value;
        }
    }

    /** A room of its own for one candidate's program. */
    static final class Room extends ClassLoader {
        private final Map<String, byte[]> files;

        Room(Map<String, byte[]> files) {
            super(ExamGrader.class.getClassLoader());
            this.files = files;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            byte[] file = files.get(name);
            if (file == null)
                return super.loadClass(name, resolve);
            synchronized (getClassLoadingLock(name)) {
                Class<?> c = findLoadedClass(name);
                return c != null ? c : defineClass(name, file, 0, file.length);
            }
        }
    }

    record HandedIn(int candidate, Map<String, byte[]> files, byte[][] pages, long at) {
    }

    record Report(int candidate, long points, long print, String[] lines, byte[][] scans) {
    }

    static final BlockingQueue<HandedIn> desk = new ArrayBlockingQueue<>(100);
    static final Deque<Report> reports = new ArrayDeque<>();
    static final LongAdder graded = new LongAdder();
    static final LongAdder took = new LongAdder();

    static Map<String, byte[]> files() throws IOException {
        Map<String, byte[]> files = new HashMap<>();
        for (String name : new String[] {"ExamGrader$PaperA", "ExamGrader$PaperSteps", "ExamGrader$PaperSum"})
            try (InputStream in = ExamGrader.class.getResourceAsStream("/" + name + ".class")) {
                files.put(name, in.readAllBytes());
            }
        return files;
    }

    static Report grade(HandedIn in) throws ReflectiveOperationException {
        Paper paper = (Paper) new Room(in.files).loadClass("ExamGrader$PaperA").getDeclaredConstructor().newInstance();
        ThreadLocalRandom r = ThreadLocalRandom.current();
        long points = 0;
        String[] lines = new String[12];
        for (int test = 0; test < lines.length; test++) {
            int width = 12 + test % 12;
            int[] table = new int[width * width];
            Arrays.setAll(table, i -> 1 + r.nextInt(1000));
            long score = paper.score(table);
            points += score < 500L * width ? 1 : 0;
            lines[test] = "test " + test + ": a tour of " + score + " for " + width + " places";
        }
        CRC32 print = new CRC32();
        for (byte[] page : in.pages)
            print.update(page);
        return new Report(in.candidate, points, print.getValue(), lines, Arrays.copyOf(in.pages, 4));
    }

    static void grader() {
        try {
            while (true) {
                HandedIn in = desk.take();
                Report report = grade(in);
                synchronized (reports) {
                    reports.add(report);
                    if (reports.size() > 120)
                        reports.remove();
                }
                took.add(System.nanoTime() - in.at);
                graded.increment();
            }
        } catch (ReflectiveOperationException e) {
            e.printStackTrace();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static void candidates(Map<String, byte[]> files) {
        try {
            long due = System.nanoTime();
            for (int candidate = 1;; candidate++) {
                byte[][] pages = new byte[48][32 << 10];
                for (byte[] page : pages)
                    Arrays.fill(page, 0, 20_000, (byte) (32 + candidate % 90));
                desk.put(new HandedIn(candidate, files, pages, System.nanoTime()));
                due += 80_000_000;
                long rest = due - System.nanoTime();
                if (rest > 0)
                    Thread.sleep(rest / 1_000_000, (int) (rest % 1_000_000));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static void start(String name, Runnable run) {
        Thread t = new Thread(run, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        long span = Long.getLong("span", 170);
        Map<String, byte[]> files = files();
        start("grader-1", ExamGrader::grader);
        start("grader-2", ExamGrader::grader);
        start("candidates", () -> candidates(files));
        ClassLoadingMXBean classes = ManagementFactory.getClassLoadingMXBean();
        System.out.println("READY");
        for (long s = 0; s < span; s++) {
            Thread.sleep(1000);
            long n = Math.max(1, graded.sumThenReset());
            System.out.printf("measured: %d papers/s, mean %.1f ms from the desk to the report; classes: %d now, %d dropped so far%n", n,
                    took.sumThenReset() / 1e6 / n, classes.getLoadedClassCount(), classes.getUnloadedClassCount());
        }
        System.exit(0);
    }
}
