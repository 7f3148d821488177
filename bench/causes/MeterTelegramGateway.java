// SPDX-License-Identifier: Apache-2.0
// cause: MeterTelegramGateway$Desk.hangUp leaves each closed Link in the map Desk.links, whose key has the number of the connection, so that no Deflater (native memory of zlib, some 260 KiB) is ever ended, and the resident set grows by megabytes a second outside of the heap.
// share: 12 s each: faulty, the resident set grows by 4.2 MB/s (6.4 MB/s while the heap fills up as well), fixed by 0 (-0.2) MB/s, at the same 490 telegrams/s of some 75 us; after 170 s some 700 MB more than fixed (reckoned).
// expect: native-leak | memory-growth
// symptom: hot-code
// judge: NAMED: native memory (malloc, zlib) outside of the heap grows steadily by Deflaters that are made for each connection (MeterTelegramGateway$Link, Desk.connect) and never ended, since Desk.links keeps closed links. SYMPTOM ONLY: the resident set grows; malloc or anonymous memory grows without an owner; many Deflater or Link objects in the heap. WRONG: a leak of the Java heap that fills it, class loaders, direct buffers, thread stacks; compression as too much CPU time; a larger heap as the advice.
// jdk: 21
// set: thirtieth
// jvm: -Xms64m -XX:+AlwaysPreTouch
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.zip.Deflater;

/** Takes telegrams of electricity meters, which dial in, send a few and hang up, and passes them on compressed. */
public class MeterTelegramGateway {
    static final boolean VARIANT = Boolean.getBoolean("fixed");
    static final byte[] TERMS = "meter=;register=1.8.0;register=2.8.0;kwh=;quality=valid;quality=estimated;tariff=day;tariff=night;"
            .getBytes(StandardCharsets.UTF_8);

    /** A connection of one meter: its stream of compressed telegrams. */
    static final class Link {
        final String key;
        private final Deflater stream = new Deflater(Deflater.DEFAULT_COMPRESSION, true);
        private final byte[] frame = new byte[512];
        private int sent;

        Link(String key) {
            this.key = key;
            stream.setDictionary(TERMS);
        }

        synchronized int send(byte[] telegram) {
            stream.setInput(telegram);
            int length = 0;
            int n;
            do {
                n = stream.deflate(frame, 0, frame.length, Deflater.SYNC_FLUSH);
                length += n;
            } while (n == frame.length);
            sent++;
            return length;
        }

        synchronized int sent() {
            return sent;
        }

        synchronized void end() {
            stream.end();
        }
    }

    /** Who is connected. */
    static final class Desk {
        private final Map<String, Link> links = new ConcurrentHashMap<>();
        private final AtomicInteger connections = new AtomicInteger();
        private final LongAdder closed = new LongAdder();

        Link connect(int meter) {
            Link link = new Link(meter + "/" + connections.incrementAndGet());
            links.put(link.key, link);
            return link;
        }

        Link find(String key) {
            return links.get(key);
        }

        void hangUp(Link link) {
            closed.add(link.sent());
            if (VARIANT) {
                links.remove(link.key);
                link.end();
            }
        }
    }

    static final Desk desk = new Desk();
    static final LongAdder telegrams = new LongAdder();
    static final LongAdder bytes = new LongAdder();
    static final LongAdder took = new LongAdder();

    /** A group of meters that dial in one after the other. */
    static void round(int group) {
        try {
            ThreadLocalRandom random = ThreadLocalRandom.current();
            for (int turn = 0;; turn++) {
                int meter = group * 1000 + turn % 1000;
                String key = desk.connect(meter).key;
                for (int i = 0; i < 20; i++) {
                    byte[] telegram = telegram(meter, random);
                    long begin = System.nanoTime();
                    bytes.add(desk.find(key).send(telegram));
                    took.add(System.nanoTime() - begin);
                    telegrams.increment();
                    Thread.sleep(9 + random.nextInt(3));
                }
                desk.hangUp(desk.find(key));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static byte[] telegram(int meter, ThreadLocalRandom random) {
        StringBuilder text = new StringBuilder(3000);
        for (int i = 0; i < 24; i++) {
            text.append("meter=").append(meter).append(";register=").append(i % 2 == 0 ? "1.8.0" : "2.8.0");
            text.append(";kwh=").append(random.nextInt(100_000)).append('.').append(random.nextInt(1000));
            text.append(random.nextInt(20) == 0 ? ";quality=estimated" : ";quality=valid");
            text.append(i < 12 ? ";tariff=day;" : ";tariff=night;");
        }
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    static double residentMegabytes() throws Exception {
        String[] pages = Files.readString(Path.of("/proc/self/statm")).split(" ");
        return Long.parseLong(pages[1]) * 4096 / 1e6;
    }

    public static void main(String[] args) throws Exception {
        long span = Long.getLong("span", 170);
        int groups = 5;
        ExecutorService pool = Executors.newFixedThreadPool(groups, r -> {
            Thread t = new Thread(r, "meters");
            t.setDaemon(true);
            return t;
        });
        for (int g = 1; g <= groups; g++) {
            int group = g;
            pool.execute(() -> round(group));
        }
        System.out.println("READY");
        List<Double> sizes = new ArrayList<>();
        for (long s = 0; s < span; s++) {
            Thread.sleep(1000);
            sizes.add(residentMegabytes());
            int last = sizes.size() - 1;
            int first = Math.max(0, last - 8);
            double growth = last > first ? (sizes.get(last) - sizes.get(first)) / (last - first) : 0;
            long n = Math.max(1, telegrams.sumThenReset());
            System.out.printf("measured: resident %.0f MB, growth of the last seconds %.2f MB/s; %d telegrams/s, %.0f us each%n",
                    sizes.get(last), growth, n, took.sumThenReset() / 1e3 / n);
        }
        System.exit(0);
    }
}
