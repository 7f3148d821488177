// SPDX-License-Identifier: Apache-2.0
// cause: PostageDesk$TariffEngine.quote holds the only engine (its lock) while PostageDesk$AnswerReader.next reads the helper process's answer from a pipe, some 15 ms for each, one question at a time: eight counters wait for that pipe, one after another
// share: the counters spend 92 to 95 % of their time in TariffEngine.quote, 120 ms each time, of which 15 ms are its own answer; the pipe is read for 95 to 99 % of the time
// expect: waiting frame=PostageDesk$AnswerReader.next
// symptom: waiting
// judge: NAMED: waiting for data of a pipe, or for the answer of the helper process (file-read, process), at AnswerReader.next (or TariffEngine.quote), also as what the holder of the lock of TariffEngine.quote waits for; more helper processes, several questions at a time, or the tariff in this process. SYMPTOM ONLY: waiting for the lock at TariffEngine.quote without what its holder does. WRONG: anything else (Counter.label, sleeping customers, CPUs, collections, class loading of the helper, writing to the pipe).
// jdk: 25
// set: thirty-third
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;

/** Counters of a post office; the postage comes from the carrier's tariff program, which runs as a process of its own and speaks by lines. */
public class PostageDesk {
    static final int COUNTERS = 8;
    static final LongAdder parcels = new LongAdder();
    static final LongAdder quoteNanos = new LongAdder();
    static final LongAdder answerNanos = new LongAdder();

    record Parcel(int grams, String country, boolean insured) {
        String line() {
            return grams + ";" + country + ";" + (insured ? 'J' : 'N');
        }
    }

    static final class AnswerReader {
        private final BufferedReader in;

        AnswerReader(InputStream in) {
            this.in = new BufferedReader(new InputStreamReader(in, StandardCharsets.US_ASCII));
        }

        String next() throws IOException {
            long begin = System.nanoTime();
            String line = in.readLine();
            answerNanos.add(System.nanoTime() - begin);
            if (line == null) {
                throw new IOException("tariff program has ended");
            }
            return line;
        }
    }

    static final class QuestionWriter {
        private final BufferedWriter out;

        QuestionWriter(OutputStream out) {
            this.out = new BufferedWriter(new OutputStreamWriter(out, StandardCharsets.US_ASCII));
        }

        void send(String line) throws IOException {
            out.write(line);
            out.write('\n');
            out.flush();
        }
    }

    /** The carrier's program and the two ends of its pipes. */
    static final class TariffEngine {
        private final ReentrantLock lock = new ReentrantLock();
        private Process process;
        private QuestionWriter questions;
        private AnswerReader answers;

        void start() {
            String java = System.getProperty("java.home") + File.separator + "bin" + File.separator + "java";
            try {
                process = new ProcessBuilder(java, "-Xmx24m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"), "PostageDesk", "tariff")
                        .redirectError(ProcessBuilder.Redirect.DISCARD).start();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            questions = new QuestionWriter(process.getOutputStream());
            answers = new AnswerReader(process.getInputStream());
        }

        int quote(Parcel parcel) {
            long begin = System.nanoTime();
            lock.lock();
            try {
                questions.send(parcel.line());
                return Integer.parseInt(answers.next());
            } catch (IOException e) {
                process.destroy();
                start();
                return -1;
            } finally {
                lock.unlock();
                quoteNanos.add(System.nanoTime() - begin);
            }
        }
    }

    /** One counter with its queue of customers. */
    static final class Counter implements Runnable {
        private static final String[] COUNTRIES = {"AT", "CH", "DE", "FR", "IT", "NO", "PL", "SE"};
        private static final int LABEL_MODULES = 500;
        private final TariffEngine engine;
        private long takings;

        Counter(TariffEngine engine) {
            this.engine = engine;
        }

        String label(Parcel parcel, int cents) {
            long code = parcel.grams() * 1_000_003L + cents;
            boolean[] modules = new boolean[LABEL_MODULES * LABEL_MODULES];
            int dark = 0;
            for (int i = 0; i < modules.length; i++) {
                code = Long.rotateLeft(code * 0xD1B54A32D192ED03L, 27) + parcel.country().charAt(i & 1);
                modules[i] = (code & 1) != 0 ^ (i / LABEL_MODULES + i % LABEL_MODULES) % 3 == 0;
                dark += modules[i] ? 1 : 0;
            }
            return parcel.country() + '-' + cents + '-' + dark % 97;
        }

        @Override
        public void run() {
            ThreadLocalRandom random = ThreadLocalRandom.current();
            try {
                while (true) {
                    Parcel parcel = new Parcel(50 + random.nextInt(20_000), COUNTRIES[random.nextInt(COUNTRIES.length)], random.nextInt(5) == 0);
                    int cents = engine.quote(parcel);
                    if (cents < 0) {
                        Thread.sleep(500);
                        continue;
                    }
                    takings += cents + label(parcel, cents).length() % 2;
                    parcels.increment();
                    Thread.sleep(random.nextInt(4, 12));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** The carrier's program: reads its table from the licence stick for each question. */
    static void tariff() throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        for (String line; (line = in.readLine()) != null;) {
            String[] parts = line.split(";");
            int grams = Integer.parseInt(parts[0]);
            Thread.sleep(15);
            System.out.println(390 + grams / 100 * (parts[1].equals("DE") ? 6 : 11) + (parts[2].equals("J") ? 250 : 0));
            System.out.flush();
        }
    }

    public static void main(String[] args) throws Exception {
        if (args.length == 1 && args[0].equals("tariff")) {
            tariff();
            return;
        }
        TariffEngine engine = new TariffEngine();
        engine.start();
        for (int i = 1; i <= COUNTERS; i++) {
            Thread thread = new Thread(new Counter(engine), "counter-" + i);
            thread.setDaemon(true);
            thread.start();
        }
        while (parcels.sum() < 100) {
            Thread.sleep(50);
        }
        System.out.println("READY");
        System.out.flush();
        long lastParcels = parcels.sum(), lastQuote = quoteNanos.sum(), lastAnswer = answerNanos.sum(), last = System.nanoTime();
        while (true) {
            Thread.sleep(1000);
            long p = parcels.sum(), q = quoteNanos.sum(), a = answerNanos.sum(), now = System.nanoTime();
            System.out.printf("measured: %d parcels/s, a quote takes %.1f ms; counters spend %.0f %% of their time on quotes; the pipe is read for %.0f %% of the time%n", p - lastParcels,
                    (q - lastQuote) / 1e6 / Math.max(1, p - lastParcels), 100.0 * (q - lastQuote) / COUNTERS / (now - last), 100.0 * (a - lastAnswer) / (now - last));
            System.out.flush();
            lastParcels = p;
            lastQuote = q;
            lastAnswer = a;
            last = now;
        }
    }
}
