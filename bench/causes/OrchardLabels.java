// SPDX-License-Identifier: Apache-2.0
// cause: Press.render waits for the child process to exit before reading its output, so a batch larger than the pipe (64 KB) blocks the child in write and hangs until the time limit ends it
// share: without: 9 batches (8,400 labels) every two seconds; fixed: 120 batches/s, 240,000 labels/s (over 20 times)
// expect: waiting kind=process blocked=seq
// symptom: waiting
// judge: right = names Press.render: Process.waitFor before the child's standard output is read (full pipe blocks the child); only symptom = "threads wait in Process.waitFor", "the external program takes long / is cut off", "process spawning is expensive"
// set: twenty-first
// jdk: 17
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

public class OrchardLabels {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final long RUN_MILLIS = 220_000L;
    static final long LIMIT_MILLIS = 1_500L;

    record Batch(int number, int labels) {
    }

    record Printed(Batch batch, List<String> lines, boolean complete) {
    }

    /** Runs the external label formatter once for each batch. */
    static final class Press {
        private final String format;

        Press(String format) {
            this.format = format;
        }

        Printed render(Batch batch) throws IOException, InterruptedException {
            Process child = new ProcessBuilder("seq", "-f", format, "1", String.valueOf(batch.labels()))
                    .redirectErrorStream(true)
                    .start();
            child.getOutputStream().close();
            try (BufferedReader out = child.inputReader(StandardCharsets.US_ASCII)) {
                if (FIXED) {
                    List<String> lines = out.lines().collect(Collectors.toList());
                    boolean ended = child.waitFor(LIMIT_MILLIS, TimeUnit.MILLISECONDS);
                    return new Printed(batch, lines, ended && child.exitValue() == 0);
                }
                boolean ended = child.waitFor(LIMIT_MILLIS, TimeUnit.MILLISECONDS);
                if (!ended) {
                    return new Printed(batch, List.of(), false);
                }
                return new Printed(batch, out.lines().collect(Collectors.toList()), child.exitValue() == 0);
            } finally {
                if (child.isAlive()) {
                    child.destroyForcibly();
                }
            }
        }
    }

    static final class Counter {
        final AtomicLong complete = new AtomicLong();
        final AtomicLong cut = new AtomicLong();
        final AtomicLong labels = new AtomicLong();

        void add(Printed p) {
            if (p.complete()) {
                complete.incrementAndGet();
                labels.addAndGet(p.lines().size());
            } else {
                cut.incrementAndGet();
            }
        }
    }

    static void work(Press press, Counter counter, int line) {
        try {
            for (int n = 0; ; n++) {
                int labels = switch (n % 4) {
                    case 0 -> 400;
                    case 1 -> 5200;
                    case 2 -> 1500;
                    default -> 900;
                };
                Printed printed = press.render(new Batch(n, labels + line));
                counter.add(printed);
                Thread.sleep(20);
            }
        } catch (IOException e) {
            throw new IllegalStateException("formatter not available", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws Exception {
        Press press = new Press("orchard/row-%06g/bin-17");
        Counter counter = new Counter();
        for (int i = 0; i < 3; i++) {
            int line = i;
            Thread t = new Thread(() -> work(press, counter, line), "press-" + i);
            t.setDaemon(true);
            t.start();
        }
        Thread.sleep(2500);
        System.out.println("READY");
        long end = System.currentTimeMillis() + RUN_MILLIS;
        long last = counter.complete.get();
        long lastLabels = counter.labels.get();
        while (System.currentTimeMillis() < end) {
            Thread.sleep(1000);
            long n = counter.complete.get();
            long l = counter.labels.get();
            System.out.printf("measured: %d batches/s, %d labels/s, %d unfinished so far%n", n - last, l - lastLabels, counter.cut.get());
            last = n;
            lastLabels = l;
        }
    }
}
