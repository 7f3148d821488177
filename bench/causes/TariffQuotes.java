// SPDX-License-Identifier: Apache-2.0
// cause: -XX:SoftRefLRUPolicyMSPerMB=0 lets each GC clear the soft cache: tariffs are loaded again and again
// expect: jvm-option option=SoftRefLRUPolicyMSPerMB
// symptom: hot-code hot-method hot-calls gc-pauses gc-cpu
// share: 4700 quotes/s, 0.43 ms against 37000/s, 0.055 ms fixed (or 33000/s with the option left out)
// judge: right: the option SoftRefLRUPolicyMSPerMB=0, or: TariffQuotes$Tariffs' SoftReferences are cleared at each GC
// judge: symptom: CPU/allocation/file reads in Tariff.load called by Tariffs.get again and again; cache misses
// judge: wrong: Tariff.load merely needs tuning, GC pauses as such, heap too small, lock contention, slow disk
// jvm: -Xmx64m -XX:SoftRefLRUPolicyMSPerMB=0
// jdk: 17
// set: fourteenth
import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.StringReader;
import java.lang.ref.SoftReference;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;

/** Quotes for parcels: tariffs by carrier and region are in one file; those in use are kept in a soft cache. */
public class TariffQuotes {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final int TARIFFS = 240;
    static final int ROWS = 2500;
    static final LongAdder quotes = new LongAdder();
    static final LongAdder quoteNanos = new LongAdder();
    static final LongAdder loads = new LongAdder();
    static final LongAdder loadNanos = new LongAdder();

    /** A tariff: upper weight, base price and price per kilometre of each step. */
    static final class Tariff {
        final float[] weight = new float[ROWS];
        final float[] base = new float[ROWS];
        final float[] perKm = new float[ROWS];

        static Tariff load(FileChannel file, long position, int length) {
            long t0 = System.nanoTime();
            Tariff t = new Tariff();
            try {
                ByteBuffer text = ByteBuffer.allocate(length);
                while (text.hasRemaining() && file.read(text, position + text.position()) >= 0) continue;
                BufferedReader in = new BufferedReader(new StringReader(new String(text.array(), ISO_8859_1)));
                int n = 0;
                for (String line; (line = in.readLine()) != null; n++) {
                    String[] f = line.split(";");
                    t.weight[n] = Float.parseFloat(f[1]);
                    t.base[n] = Float.parseFloat(f[2]);
                    t.perKm[n] = Float.parseFloat(f[3]);
                }
                if (n != ROWS) throw new IOException("tariff at " + position + " has " + n + " rows");
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
            loads.increment();
            loadNanos.add(System.nanoTime() - t0);
            return t;
        }

        double price(float kilograms, float km) {
            int i = Arrays.binarySearch(weight, kilograms);
            if (i < 0) i = Math.min(ROWS - 1, -i - 1);
            return base[i] + perKm[i] * km;
        }
    }

    static final class Tariffs {
        private final FileChannel file;
        private final long[] from = new long[TARIFFS + 1];
        private final Map<Integer, SoftReference<Tariff>> cache = new ConcurrentHashMap<>();
        private final Map<Integer, Tariff> pinned = new ConcurrentHashMap<>();

        Tariffs() throws IOException {
            Path path = Files.createTempFile("tariffs", ".dat");
            file = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE,
                    StandardOpenOption.DELETE_ON_CLOSE);
            Random r = new Random(9);
            for (int i = 0; i < TARIFFS; i++) {
                StringBuilder out = new StringBuilder();
                for (int k = 0; k < ROWS; k++) {
                    out.append("step").append(k).append(';').append(k / 10).append('.').append(k % 10).append(';')
                            .append(3 + k / 8).append('.').append(10 + r.nextInt(90))
                            .append(";0.0").append(100 + r.nextInt(900)).append('\n');
                }
                ByteBuffer text = ByteBuffer.wrap(out.toString().getBytes(ISO_8859_1));
                while (text.hasRemaining()) file.write(text);
                from[i + 1] = file.position();
            }
        }

        private Tariff load(int n) {
            return Tariff.load(file, from[n], (int) (from[n + 1] - from[n]));
        }

        Tariff get(int number) {
            if (FIXED) return pinned.computeIfAbsent(number, this::load);
            SoftReference<Tariff> ref = cache.get(number);
            Tariff t = ref == null ? null : ref.get();
            if (t == null) {
                t = load(number);
                cache.put(number, new SoftReference<>(t));
            }
            return t;
        }
    }

    /** Quotes for a shipment of parcels in one tariff, as the text of the offer. */
    static String quote(Tariff tariff, int parcels, ThreadLocalRandom r) {
        StringBuilder offer = new StringBuilder();
        double sum = 0;
        for (int p = 1; p <= parcels; p++) {
            float kilograms = r.nextFloat() * 260;
            float km = 5 + r.nextInt(900);
            double price = tariff.price(kilograms, km);
            sum += price;
            offer.append(p).append(": ").append(Math.round(kilograms * 10)).append(" hg, ").append((int) km)
                    .append(" km = ").append(Math.round(price * 100)).append(" ct\n");
        }
        return offer.append("total ").append(Math.round(sum * 100)).append(" ct\n").toString();
    }

    static void desk(Tariffs tariffs) {
        ThreadLocalRandom r = ThreadLocalRandom.current();
        while (true) {
            int parcels = 200 + r.nextInt(400);
            long t0 = System.nanoTime();
            String offer = quote(tariffs.get(r.nextInt(TARIFFS)), parcels, r);
            quoteNanos.add(System.nanoTime() - t0);
            quotes.increment();
            if (offer.isEmpty()) throw new IllegalStateException();
        }
    }

    public static void main(String[] args) throws Exception {
        Tariffs tariffs = new Tariffs();
        for (int i = 0; i < 2; i++) {
            Thread t = new Thread(() -> desk(tariffs), "desk-" + i);
            t.setDaemon(true);
            t.start();
        }
        System.out.println("READY");
        while (true) {
            Thread.sleep(1000);
            long n = quotes.sumThenReset();
            long d = quoteNanos.sumThenReset();
            System.out.printf("measured: %d quotes/s, mean %.3f ms, %d tariffs loaded, loading %.0f%% of the time%n",
                    n, d / 1e6 / Math.max(1, n), loads.sumThenReset(),
                    100.0 * loadNanos.sumThenReset() / Math.max(1, d));
        }
    }
}
