// SPDX-License-Identifier: Apache-2.0
// cause: the generated method Rules.score is larger than 8000 bytes of bytecode, so HotSpot never compiles it
// share: 85 % of the scorers' time is in Rules.score, interpreted
// expect: hot-method frame=Rules.score mode=interpreted
// symptom: hot-method
// judge: right: Rules.score runs in the interpreter / is not compiled (huge method). symptom: Rules.score is the hot
// judge: method (CPU) without that it is interpreted; much time in the interpreter without the method.
// judge: wrong: GC, locks, compiler threads' CPU as the cause, class loading, Applicants.next.
// jdk: 21
// set: thirteenth

import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.ToIntFunction;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

public class ScoringRules {
    static final LongAdder scored = new LongAdder(), scoring = new LongAdder(), other = new LongAdder();

    /** The analysts' table of rules, made into Java, as the scoring of a bank does. */
    static String source() {
        StringBuilder java = new StringBuilder("""
                import java.util.function.ToIntFunction;
                public class Rules implements ToIntFunction<int[]> {
                    @Override public int applyAsInt(int[] a) { return score(a); }
                    static int score(int[] a) {
                        int points = 500;
                """);
        java.util.Random r = new java.util.Random(7);
        for (int rule = 0; rule < 420; rule++) {
            int x = r.nextInt(24), y = r.nextInt(24);
            java.append(String.format("        if (a[%d] > %d && a[%d] - a[%d] < %d) points += a[%d] %% %d - %d;%n", x,
                    r.nextInt(1000), y, x, r.nextInt(500), y, 3 + r.nextInt(9), r.nextInt(6)));
        }
        return java.append("        return points;\n    }\n}\n").toString();
    }

    @SuppressWarnings("unchecked")
    static ToIntFunction<int[]> compile() throws Exception {
        Path folder = Files.createTempDirectory("rules");
        Path file = folder.resolve("Rules.java");
        Files.writeString(file, source());
        JavaCompiler javac = ToolProvider.getSystemJavaCompiler();
        if (javac.run(null, null, null, "-d", folder.toString(), file.toString()) != 0) {
            throw new IllegalStateException("rules do not compile");
        }
        URLClassLoader loader = new URLClassLoader(new URL[] {folder.toUri().toURL()});
        Object rules = loader.loadClass("Rules").getDeclaredConstructor().newInstance();
        file.toFile().deleteOnExit();
        return (ToIntFunction<int[]>) rules;
    }

    static class Applicants {
        int[] next() {
            ThreadLocalRandom r = ThreadLocalRandom.current();
            int[] a = new int[24];
            for (int i = 0; i < a.length; i++) {
                a[i] = r.nextInt(1200);
            }
            return a;
        }
    }

    static int reasons(int[] a, int points) {
        int hash = points;
        for (int pass = 0; pass < 20; pass++) {
            for (int v : a) {
                hash = hash * 31 + (v ^ pass);
            }
        }
        return hash & 0x3ff;
    }

    public static void main(String[] args) throws Exception {
        ToIntFunction<int[]> rules = compile();
        BlockingQueue<int[][]> queue = new ArrayBlockingQueue<>(8);
        ConcurrentHashMap<Integer, Integer> reasons = new ConcurrentHashMap<>();
        for (int i = 0; i < 2; i++) {
            new Thread(() -> {
                try {
                    while (true) {
                        for (int[] a : queue.take()) {
                            long from = System.nanoTime();
                            int points = rules.applyAsInt(a);
                            long middle = System.nanoTime();
                            reasons.merge(reasons(a, points), 1, Integer::sum);
                            scoring.add(middle - from);
                            other.add(System.nanoTime() - middle);
                            scored.increment();
                        }
                    }
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }, "scorer-" + i).start();
        }
        Applicants applicants = new Applicants();
        Thread intake = new Thread(() -> {
            try {
                while (true) {
                    int[][] batch = new int[500][];
                    for (int i = 0; i < batch.length; i++) {
                        batch[i] = applicants.next();
                    }
                    queue.put(batch);
                    Thread.sleep(8);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }, "intake");
        intake.start();
        System.out.println("READY");
        while (true) {
            Thread.sleep(1000);
            System.out.printf("measured: %d scored/s, rules %d ms/s, else %d ms/s%n", scored.sumThenReset(),
                    scoring.sumThenReset() / 1_000_000, other.sumThenReset() / 1_000_000);
        }
    }
}
