// SPDX-License-Identifier: Apache-2.0
// cause: GaugeReadings.Reader.accept calls String.intern() for every incoming telegram while the JVM string table was started with only 1009 buckets (-XX:StringTableSize=1009), so each call walks a native chain of about 140 entries
// share: with the fault 23672 telegrams/s, with -Dfixed=true 250405 telegrams/s: 10.6 times (median of short runs at nice 19 on a 2-core machine under heavy foreign load, so absolute figures are low)
// expect: hot-code kind=interning
// symptom: hot-method | hot-code
// judge: NAMED: String.intern() in the telegram path (too small string table / StringTableSize=1009, or the interning itself) is the cost; SYMPTOM ONLY: high CPU in accept/run, or a native method is hot, without intern; WRONG: GC, allocation by substring, double parsing, locks, the station map
// jdk: 8
// set: twenty-eighth
// jvm: -Xmx64m -XX:+UseSerialGC -XX:StringTableSize=1009
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

public class GaugeReadings {
    static final int STATIONS = 140_000;
    static final boolean ALT = Boolean.getBoolean("fixed");
    static final int SPAN = Integer.getInteger("span", 170);

    static final Map<String, String> names = new HashMap<>();
    static final Map<String, Integer> slots = new IdentityHashMap<>();
    static volatile boolean open = true;

    static String canonical(String s) {
        return ALT ? names.get(s) : s.intern();
    }

    static String code(int i) {
        return "RV" + (char) ('A' + i % 23) + "-" + (1000 + i / 23) + "-" + (i * 7919L % 997);
    }

    /** Telegram source: code;level;battery in a byte frame as the radio gateway delivers it. */
    static final class Gateway {
        private long state;

        Gateway(long seed) {
            state = seed;
        }

        int next(char[] frame) {
            state = state * 6364136223846793005L + 1442695040888963407L;
            int r = (int) ((state >>> 33) % STATIONS);
            String c = code(r);
            c.getChars(0, c.length(), frame, 0);
            int n = c.length();
            frame[n++] = ';';
            int level = (int) ((state >>> 20) & 0x3fff);
            n = digits(frame, n, level);
            frame[n++] = ';';
            return digits(frame, n, (int) ((state >>> 45) & 0x7f));
        }

        private static int digits(char[] f, int n, int v) {
            int div = 1;
            while (v / div >= 10) {
                div *= 10;
            }
            for (; div > 0; div /= 10) {
                f[n++] = (char) ('0' + v / div % 10);
            }
            return n;
        }
    }

    static final class Reader extends Thread {
        final AtomicLong telegrams = new AtomicLong();
        final long[] levels = new long[STATIONS];
        final int[] counts = new int[STATIONS];
        final Gateway gateway;
        long weakBattery;

        Reader(int no) {
            super("reader-" + no);
            setDaemon(true);
            gateway = new Gateway(17L * no + 5);
        }

        @Override
        public void run() {
            char[] frame = new char[64];
            while (open) {
                int n = gateway.next(frame);
                accept(frame, n);
                telegrams.lazySet(telegrams.get() + 1);
            }
        }

        private void accept(char[] frame, int n) {
            int a = 0;
            while (frame[a] != ';') {
                a++;
            }
            String station = canonical(new String(frame, 0, a));
            int level = 0;
            int i = a + 1;
            for (; frame[i] != ';'; i++) {
                level = level * 10 + frame[i] - '0';
            }
            int battery = 0;
            for (i++; i < n; i++) {
                battery = battery * 10 + frame[i] - '0';
            }
            int slot = slots.get(station);
            levels[slot] += level;
            counts[slot]++;
            if (battery < 5) {
                weakBattery++;
            }
        }
    }

    public static void main(String[] args) throws Exception {
        long start = System.nanoTime();
        for (int i = 0; i < STATIONS; i++) {
            String c = code(i);
            if (ALT) {
                names.put(c, c);
            } else {
                c = c.intern();
            }
            slots.put(c, i);
        }
        Reader[] readers = {new Reader(1), new Reader(2)};
        for (Reader r : readers) {
            r.start();
        }
        Thread.sleep(3000);
        System.out.println("READY");
        long end = start + SPAN * 1_000_000_000L;
        long before = Arrays.stream(readers).mapToLong(r -> r.telegrams.get()).sum();
        long at = System.nanoTime();
        while (System.nanoTime() < end) {
            Thread.sleep(1000);
            long now = Arrays.stream(readers).mapToLong(r -> r.telegrams.get()).sum();
            long t = System.nanoTime();
            System.out.printf("measured: %.0f telegrams/s%n", (now - before) * 1e9 / (t - at));
            before = now;
            at = t;
        }
        open = false;
        for (Reader r : readers) {
            r.join();
        }
    }
}
