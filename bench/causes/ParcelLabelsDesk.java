// SPDX-License-Identifier: Apache-2.0
// cause: LabelDesk.normalise() starts a new operating system process ("sed") with ProcessBuilder.start() for every single label and waits for its end, so each label pays for fork/exec, pipe set-up and process exit, while the rewriting itself takes microseconds.
// share: faulty 1089 labels/s, mean 2.77 ms; fixed 72018 labels/s, mean 0.0435 ms; 66.1 times better (10 s each, 2 busy cores)
// expect: waiting kind=process | hot-code kind=processes
// symptom: waiting
// judge: NAMED: one external process (sed) is started per label in LabelDesk.normalise() (ProcessBuilder.start / UNIXProcess.forkAndExec); keep one process open or do the rewriting in Java. SYMPTOM ONLY: workers wait in UNIXProcess.waitFor or in a pipe read; many short "process reaper" threads; system CPU is high; throughput is low. WRONG: the bar code check digit, the result map, the garbage collector, a lock, or a slow disk.
// jdk: 8
// set: twenty-sixth
// jvm:
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

public class ParcelLabelsDesk {
    static final boolean VARIANT = Boolean.getBoolean("fixed");
    static final long END = System.nanoTime() + 170_000_000_000L;
    static final String RULES = "s/ STREET/ ST/;s/ ROAD/ RD/;s/ AVENUE/ AVE/;s/APARTMENT /APT /;s/  */ /g";
    static final AtomicLong printed = new AtomicLong();
    static final AtomicLong spentNanos = new AtomicLong();
    static final Map<Integer, String> lastByDepot = new ConcurrentHashMap<>();

    static final class Address {
        final String name;
        final String line;
        final int depot;

        Address(String name, String line, int depot) {
            this.name = name;
            this.line = line;
            this.depot = depot;
        }
    }

    static final class Channel {
        final Process process;
        final Writer out;
        final BufferedReader in;

        Channel() throws IOException {
            process = new ProcessBuilder("sed", "-u", RULES).redirectErrorStream(true).start();
            out = new OutputStreamWriter(process.getOutputStream(), StandardCharsets.US_ASCII);
            in = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII));
        }

        String convert(String text) throws IOException {
            out.write(text);
            out.write('\n');
            out.flush();
            return in.readLine();
        }

        void close() throws IOException, InterruptedException {
            out.close();
            process.waitFor();
            in.close();
        }
    }

    static final class LabelDesk implements Runnable {
        final Random random;
        Channel open;

        LabelDesk(long seed) {
            random = new Random(seed);
        }

        Address next() {
            String[] kinds = {"STREET", "ROAD", "AVENUE"};
            String line = (1 + random.nextInt(300)) + "  " + "OAK ELM ASH BAY".split(" ")[random.nextInt(4)]
                    + " " + kinds[random.nextInt(3)] + "  APARTMENT " + random.nextInt(40);
            return new Address("CUSTOMER " + random.nextInt(10_000), line, random.nextInt(64));
        }

        String normalise(String line) throws IOException, InterruptedException {
            if (VARIANT) {
                if (open == null) {
                    open = new Channel();
                }
                return open.convert(line);
            }
            Channel channel = new Channel();
            String result = channel.convert(line);
            channel.close();
            return result;
        }

        String barcode(Address a, String line) {
            long code = a.depot;
            for (int i = 0; i < line.length(); i++) {
                code = (code * 31 + line.charAt(i)) % 1_000_000_000_000L;
            }
            int sum = 0;
            long rest = code;
            for (int weight = 3; rest > 0; rest /= 10, weight = 4 - weight) {
                sum += (int) (rest % 10) * weight;
            }
            return String.format("%012d%d", code, (10 - sum % 10) % 10);
        }

        public void run() {
            try {
                while (System.nanoTime() < END) {
                    long start = System.nanoTime();
                    Address address = next();
                    String line = normalise(address.line);
                    String label = address.name + "\n" + line + "\n" + barcode(address, line);
                    lastByDepot.put(address.depot, label);
                    spentNanos.addAndGet(System.nanoTime() - start);
                    printed.incrementAndGet();
                }
                if (open != null) {
                    open.close();
                }
            } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Thread[] desks = new Thread[3];
        for (int i = 0; i < desks.length; i++) {
            desks[i] = new Thread(new LabelDesk(11L + i), "label-desk-" + i);
            desks[i].start();
        }
        System.out.println("READY");
        long lastCount = 0;
        long lastSpent = 0;
        while (System.nanoTime() < END) {
            Thread.sleep(1000);
            long count = printed.get();
            long spent = spentNanos.get();
            long n = count - lastCount;
            System.out.printf("measured: %d labels/s, mean %.3f ms, depots %d%n", n,
                    n == 0 ? 0.0 : (spent - lastSpent) / 1e6 / n, lastByDepot.size());
            lastCount = count;
            lastSpent = spent;
        }
        for (Thread desk : desks) {
            desk.join(5000);
        }
        System.exit(0);
    }
}
