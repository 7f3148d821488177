// SPDX-License-Identifier: Apache-2.0
// healthy: it starts three or four processes a second (cat, as the print queue's filter), one for each document that it has set, in a thread of its own that feeds it, reads its output while it runs and waits for its end; the documents take a quarter of a second of computing each (breaking paragraphs into lines), which is what the program is for, and a process costs some milliseconds
// share: 3 to 4 documents a second take 180 to 285 ms each to set; as many processes, 4 to 5 ms each from start to end (16 ms on a crowded machine), 1 to 5 % of the time; 0.65 CPUs
// judge: RIGHT: nothing stands out, no fault shows, or neutral statements of where time goes (computing in PressRoomDesk$Setter.breakLines or PressRoomDesk$Setter.badness: that is its work). WRONG: an accusation of starting processes (code processes) or of waiting for processes (at PressRoomDesk$Spooler.print), of pipes, of a saturated thread or a hot method as a fault, or anything else as a fault.
// jdk: 25
// set: thirty-first
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.LongAdder;

public class PressRoomDesk {
    static final LongAdder documents = new LongAdder(), setNanos = new LongAdder(), printNanos = new LongAdder(), printed = new LongAdder(), failed = new LongAdder();

    record Manuscript(int number, List<String> paragraphs) { }
    record Proof(int number, String text) { }

    static final class Editor {
        private final Random random = new Random(3);
        private int number;
        Manuscript next() {
            List<String> paragraphs = new ArrayList<>();
            for (int p = 0; p < 160; p++) {
                StringBuilder s = new StringBuilder();
                int words = 250 + random.nextInt(200);
                for (int w = 0; w < words; w++) {
                    int letters = 1 + random.nextInt(11);
                    for (int i = 0; i < letters; i++) s.append((char) ('a' + random.nextInt(26)));
                    s.append(' ');
                }
                paragraphs.add(s.toString());
            }
            return new Manuscript(++number, paragraphs);
        }
    }

    /** Breaks paragraphs into lines so that the sum of the lines' badness is least. */
    static final class Setter {
        private static final int WIDTH = 66;

        private double badness(int length, int words, boolean last) {
            if (length > WIDTH) return 1e9;
            if (last) return 0;
            double stretch = (WIDTH - length) / (double) Math.max(1, words - 1);
            return 10 + 100 * stretch * stretch * stretch;
        }

        String breakLines(String paragraph, int looseness) {
            String[] words = paragraph.split(" ");
            int n = words.length;
            double[] best = new double[n + 1];
            int[] from = new int[n + 1];
            for (int end = 1; end <= n; end++) {
                best[end] = Double.MAX_VALUE;
                int length = -1;
                for (int begin = end - 1; begin >= 0; begin--) {
                    length += words[begin].length() + 1;
                    if (length > WIDTH + 4) break;
                    double b = best[begin] + badness(length, end - begin, end == n) + looseness * Math.abs(Math.sin(begin * 0.7 + looseness));
                    if (b < best[end]) {
                        best[end] = b;
                        from[end] = begin;
                    }
                }
            }
            StringBuilder out = new StringBuilder();
            for (int end = n; end > 0; end = from[end]) {
                StringBuilder line = new StringBuilder();
                for (int i = from[end]; i < end; i++) line.append(words[i]).append(' ');
                out.insert(0, line.append('\n'));
            }
            return out.toString();
        }

        Proof set(Manuscript m) {
            StringBuilder text = new StringBuilder();
            for (String p : m.paragraphs()) {
                String chosen = "";
                int lines = Integer.MAX_VALUE;
                for (int looseness = 0; looseness < 18; looseness++) {
                    String s = breakLines(p, looseness);
                    int k = (int) s.chars().filter(c -> c == '\n').count();
                    if (k < lines) {
                        lines = k;
                        chosen = s;
                    }
                }
                text.append(chosen).append('\n');
            }
            return new Proof(m.number(), text.toString());
        }
    }

    /** Hands each proof to the filter of the print queue. */
    static final class Spooler implements Runnable {
        private final BlockingQueue<Proof> proofs;
        private long bytes;
        Spooler(BlockingQueue<Proof> proofs) { this.proofs = proofs; }

        private void print(Proof proof) throws InterruptedException {
            long begin = System.nanoTime();
            try {
                Process filter = new ProcessBuilder("cat").redirectErrorStream(true).start();
                byte[] text = proof.text().substring(0, Math.min(30000, proof.text().length())).getBytes(StandardCharsets.UTF_8);
                try (OutputStream out = filter.getOutputStream()) {
                    out.write(text);
                }
                try (InputStream in = filter.getInputStream()) {
                    bytes += in.readAllBytes().length;
                }
                if (filter.waitFor() == 0) printed.increment();
                else failed.increment();
            } catch (IOException e) {
                failed.increment();
            }
            printNanos.add(System.nanoTime() - begin);
        }

        public void run() {
            try {
                for (;;) print(proofs.take());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static void setDocuments(Editor editor, Setter setter, BlockingQueue<Proof> proofs) {
        try {
            for (;;) {
                Manuscript m = editor.next();
                long begin = System.nanoTime();
                Proof proof = setter.set(m);
                setNanos.add(System.nanoTime() - begin);
                documents.increment();
                proofs.put(proof);
                Thread.sleep(60);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws InterruptedException {
        BlockingQueue<Proof> proofs = new ArrayBlockingQueue<>(8);
        new Thread(new Spooler(proofs), "spooler").start();
        new Thread(() -> setDocuments(new Editor(), new Setter(), proofs), "setter").start();
        Thread.sleep(3000);
        System.out.println("READY");
        System.out.flush();
        for (;;) {
            long d = documents.sum(), s = setNanos.sum(), p = printed.sum(), pn = printNanos.sum();
            Thread.sleep(2000);
            long dd = Math.max(1, documents.sum() - d), dp = Math.max(1, printed.sum() - p);
            System.out.printf("measured: %d documents set, %.0f ms each; %d processes, %.1f ms each from start to end; %d failed, %d in the queue%n", dd, (setNanos.sum() - s) / 1e6 / dd, dp,
                    (printNanos.sum() - pn) / 1e6 / dp, failed.sum(), proofs.size());
            System.out.flush();
        }
    }
}
