// SPDX-License-Identifier: Apache-2.0
// healthy: most CPU time is matching regular expressions with a repetition within a repetition (Rule's patterns, compiled once), which is the program's purpose: no pattern can match a text in two ways, so the time is linear in the text (15 to 20 ns a character), and each text is matched once.
// share: 14,400 to 16,100 manifests screened a second (all that arrive), mean 15 to 18 us, 17 to 20 ns a character once warmed up (62 us, 70 ns before)
// judge: WRONG: that the patterns backtrack exponentially or catastrophically, that nested repetitions make Officer.clear slow and must be rewritten, that patterns are compiled again and again, too few officers, the agents' sleep, the queue. ACCEPTABLE: a neutral remark that CPU time goes to matching regular expressions in ManifestScreening$Officer.clear, the program's work; nothing stands out.
// jdk: 17
// set: thirtieth
// jvm:
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.LongAdder;
import java.util.regex.*;

/** Screens cargo manifests: each line is taken apart and checked with the patterns that customs officers have written. */
public class ManifestScreening {
    static final int SPAN = Integer.getInteger("span", 170);
    static volatile boolean open = true;

    enum Rule {
        CONTAINERS("(?:[A-Z]{4}\\d{7}(?:/\\d{2}[A-Z]\\d)?,)+"),
        HARBOURS("(?:[A-Z]{2}[A-Z2-9]{3}(?:@\\d{1,4})?>)+[A-Z]{2}[A-Z2-9]{3}"),
        GOODS("(?:\\d{4}(?:\\.\\d{2}){1,3}:(?:[a-z]+ )+\\d+kg;)+"),
        SEALS("(?:SEAL (?:[0-9A-F]{2}-)+[0-9A-F]{2}\\|)+");

        final Pattern pattern;

        Rule(String text) {
            pattern = Pattern.compile(text);
        }
    }

    static final class Manifest {
        final long number;
        final EnumMap<Rule, String> parts = new EnumMap<>(Rule.class);

        Manifest(long number) {
            this.number = number;
        }
    }

    /** Writes manifests as shipping agents send them. */
    static final class Agent {
        private static final String[] GOODS = {"frozen fish fillets", "steel pipes", "office chairs", "ground coffee", "bicycle parts and tools", "cotton shirts"};
        private final Random random;
        private long number;

        Agent(long seed) {
            random = new Random(seed);
        }

        private char letter() {
            return (char) ('A' + random.nextInt(26));
        }

        private String digits(int count) {
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < count; i++) text.append((char) ('0' + random.nextInt(10)));
            return text.toString();
        }

        private String harbour() {
            return "" + letter() + letter() + letter() + letter() + letter();
        }

        Manifest next() {
            Manifest manifest = new Manifest(number++);
            StringBuilder text = new StringBuilder();
            int containers = 4 + random.nextInt(20);
            for (int i = 0; i < containers; i++) {
                text.append(letter()).append(letter()).append(letter()).append('U').append(digits(7));
                if (random.nextBoolean()) text.append("/45G1");
                text.append(',');
            }
            manifest.parts.put(Rule.CONTAINERS, text.toString());
            text.setLength(0);
            for (int i = 2 + random.nextInt(4); i > 0; i--) text.append(harbour()).append('@').append(1 + random.nextInt(365)).append('>');
            manifest.parts.put(Rule.HARBOURS, text.append(harbour()).toString());
            text.setLength(0);
            for (int i = 0; i < containers; i++)
                text.append(digits(4)).append('.').append(digits(2)).append('.').append(digits(2)).append(':').append(GOODS[random.nextInt(GOODS.length)])
                        .append(' ').append(200 + random.nextInt(20_000)).append("kg;");
            if (random.nextInt(50) == 0) text.append("misc");
            manifest.parts.put(Rule.GOODS, text.toString());
            text.setLength(0);
            for (int i = 0; i < containers; i++)
                text.append(String.format("SEAL %02X-%02X-%02X|", random.nextInt(256), random.nextInt(256), random.nextInt(256)));
            manifest.parts.put(Rule.SEALS, text.toString());
            return manifest;
        }
    }

    static final class Officer implements Runnable {
        private final BlockingQueue<Manifest> inbox;
        private final LongAdder passed;
        private final LongAdder stopped;
        private final LongAdder nanos;
        private final LongAdder characters;

        Officer(BlockingQueue<Manifest> inbox, LongAdder passed, LongAdder stopped, LongAdder nanos, LongAdder characters) {
            this.inbox = inbox;
            this.passed = passed;
            this.stopped = stopped;
            this.nanos = nanos;
            this.characters = characters;
        }

        private boolean clear(Manifest manifest) {
            for (Map.Entry<Rule, String> part : manifest.parts.entrySet()) {
                characters.add(part.getValue().length());
                if (!part.getKey().pattern.matcher(part.getValue()).matches()) return false;
            }
            return true;
        }

        @Override public void run() {
            try {
                while (open) {
                    Manifest manifest = inbox.take();
                    long begin = System.nanoTime();
                    boolean clear = clear(manifest);
                    nanos.add(System.nanoTime() - begin);
                    (clear ? passed : stopped).increment();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Agent agent = new Agent(8);
        List<Manifest> archive = new ArrayList<>();
        for (int i = 0; i < 5000; i++) archive.add(agent.next());
        BlockingQueue<Manifest> inbox = new ArrayBlockingQueue<>(2000);
        LongAdder passed = new LongAdder();
        LongAdder stopped = new LongAdder();
        LongAdder nanos = new LongAdder();
        LongAdder characters = new LongAdder();
        Thread officer = new Thread(new Officer(inbox, passed, stopped, nanos, characters), "officer");
        officer.setDaemon(true);
        officer.start();
        int batch = Integer.getInteger("batch", 300);
        Thread agents = new Thread(() -> {
            int next = 0;
            try {
                while (open) {
                    for (int i = 0; i < batch; i++) inbox.put(archive.get(next++ % archive.size()));
                    Thread.sleep(20);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }, "agents");
        agents.setDaemon(true);
        agents.start();
        System.out.println("READY");
        for (int second = 0; second < SPAN; second++) {
            Thread.sleep(1000);
            long ok = passed.sumThenReset();
            long bad = stopped.sumThenReset();
            long n = ok + bad;
            long chars = characters.sumThenReset();
            long time = nanos.sumThenReset();
            System.out.printf("measured: %d manifests screened, %d stopped, mean %.1f us, %.1f ns a character%n", n, bad, n == 0 ? 0.0 : time / 1e3 / n,
                    chars == 0 ? 0.0 : (double) time / chars);
        }
        open = false;
    }
}
