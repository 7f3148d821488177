// SPDX-License-Identifier: Apache-2.0
// cause: for each deed SealTool.apply starts a command (sh) of its own and waits for its end (Process.waitFor), some 80 ms, where the clerk's own work takes about 1 ms
// share: 95 % or more of the time of a deed (Counter.handle) is the wait for the command at DeedSealing$SealTool.apply; 4 counters handle some 45 deeds a second together
// expect: waiting kind=process frame=DeedSealing$SealTool.apply
// symptom: waiting hot-code hot-calls
// judge: NAMED: waiting for a process (its end or its output), at SealTool.apply, or starting a process for each deed there; also if called a wait of the counters' threads. SYMPTOM ONLY: says only that CPU time is starting processes (fork, exec, hot-calls in SealTool.apply) without the wait, or that much is computed by child processes. WRONG: all else accused (files, locks, sleeps of the counters between customers, process reaper threads as such), or nothing found.
// jdk: 8
// set: thirty-third
// jvm: -Xmx256m
import java.io.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.atomic.*;

public class DeedSealing {

    static final class Deed {
        final int number;
        final String parcel;
        final List<String> clauses;

        Deed(int number, String parcel, List<String> clauses) {
            this.number = number;
            this.parcel = parcel;
            this.clauses = clauses;
        }

        String text() {
            StringBuilder b = new StringBuilder("Deed ").append(number).append(" on parcel ").append(parcel).append('\n');
            for (String c : clauses)
                b.append("  - ").append(c).append('\n');
            return b.toString();
        }
    }

    /** The land registry's seal, which is only available as a command. */
    static final class SealTool {
        static final String COMMAND = "sleep 0.07; cksum < \"$1\" > \"$2\"";

        String apply(Path deed, Path seal) throws IOException, InterruptedException {
            Process p = new ProcessBuilder("/bin/sh", "-c", COMMAND, "seal", deed.toString(), seal.toString())
                .redirectErrorStream(true).redirectOutput(new File("/dev/null")).start();
            p.getOutputStream().close();
            if (p.waitFor() != 0)
                throw new IOException("seal: exit " + p.exitValue());
            List<String> lines = Files.readAllLines(seal, StandardCharsets.UTF_8);
            return lines.isEmpty() ? "" : lines.get(0);
        }
    }

    static final class Register {
        private final Map<String, Deque<String>> entries = new HashMap<>();

        synchronized void enter(String parcel, String entry) {
            Deque<String> d = entries.computeIfAbsent(parcel, k -> new ArrayDeque<>());
            d.addLast(entry);
            if (d.size() > 20)
                d.removeFirst();
        }
    }

    static final class Counter extends Thread {
        static final AtomicLong deeds = new AtomicLong();
        static final AtomicLong total = new AtomicLong();
        static final AtomicLong sealing = new AtomicLong();

        final Register register;
        final SealTool tool = new SealTool();
        final Random random;
        final Path deedFile, sealFile;

        Counter(int id, Register register) throws IOException {
            super("counter-" + id);
            setDaemon(true);
            this.register = register;
            random = new Random(id);
            deedFile = Files.createTempFile("deed", ".txt");
            sealFile = Files.createTempFile("deed", ".seal");
            deedFile.toFile().deleteOnExit();
            sealFile.toFile().deleteOnExit();
        }

        Deed next(int number) {
            List<String> clauses = new ArrayList<>();
            for (int i = 0, n = 10 + random.nextInt(20); i < n; i++)
                clauses.add("clause " + i + ": right of way " + random.nextInt(100) + " for parcel " + random.nextInt(5000));
            Collections.sort(clauses);
            return new Deed(number, "P" + random.nextInt(5000), clauses);
        }

        void handle(Deed deed) throws IOException, InterruptedException {
            long t0 = System.nanoTime();
            Files.write(deedFile, deed.text().getBytes(StandardCharsets.UTF_8));
            long t1 = System.nanoTime();
            String seal = tool.apply(deedFile, sealFile);
            long t2 = System.nanoTime();
            register.enter(deed.parcel, deed.number + " " + seal);
            deeds.incrementAndGet();
            sealing.addAndGet(t2 - t1);
            total.addAndGet(System.nanoTime() - t0);
        }

        @Override
        public void run() {
            for (int number = 0;; number++) {
                try {
                    handle(next(number));
                    Thread.sleep(random.nextInt(20));
                } catch (IOException e) {
                    System.err.println(getName() + ": " + e);
                } catch (InterruptedException e) {
                    return;
                }
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Register register = new Register();
        for (int i = 1; i <= 4; i++)
            new Counter(i, register).start();
        for (int second = 1;; second++) {
            Thread.sleep(1000);
            long n = Counter.deeds.getAndSet(0), total = Counter.total.getAndSet(0), sealing = Counter.sealing.getAndSet(0);
            System.out.printf("measured: %d deeds, %.1f ms each, of which %.1f %% is the seal%n",
                n, n == 0 ? 0 : total / 1e6 / n, total == 0 ? 0 : 100.0 * sealing / total);
            if (second == 3) {
                System.out.println("READY");
                System.out.flush();
            }
        }
    }
}
