// SPDX-License-Identifier: Apache-2.0
// cause: ParcelLabelIndex.canonical calls String.intern for every scanned hub code while the JVM string table has only 1009 buckets (-XX:StringTableSize=1009) and holds about 100000 hub codes, so every call walks a native chain of about 100 entries.
// share: throughput 390000 labels/s vs 1080000/s fixed (2.8 times)
// judge: must name String.intern called in canonical (or from decode) as the dominant cost AND say that the JVM string table is too small for / overfull with the interned hub codes (StringTableSize=1009, long bucket chains), or that interning per scanned label should be replaced by a map; "parsing is slow" or "string allocation" alone does not count
// set: eighteenth
// expect: hot-code kind=interning frame=canonical
// symptom: hot-calls
// jdk: 8
// jvm: -XX:StringTableSize=1009
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

public class ParcelLabelIndex {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final int HUBS = 100_000;
    static final AtomicLong scanned = new AtomicLong();
    static volatile int busiest;

    static final class Parcel {
        final String hub;
        final long id;
        final int grams;

        Parcel(String hub, long id, int grams) {
            this.hub = hub;
            this.id = id;
            this.grams = grams;
        }
    }

    static final class Load {
        int parcels;
        long grams;
    }

    private final Map<String, String> names = new HashMap<>(HUBS * 2);
    private final Map<String, Load> loads = new HashMap<>();
    private final ArrayDeque<Parcel> recent = new ArrayDeque<>();
    private final String[] known = new String[HUBS];
    private final StringBuilder label = new StringBuilder(64);
    private long seed = 4711;

    private int next(int bound) {
        seed = seed * 6364136223846793005L + 1442695040888963407L;
        return (int) ((seed >>> 33) % bound);
    }

    private static void hubCode(StringBuilder sb, int n) {
        sb.append("HUB-");
        for (int div = 100_000; div > 0; div /= 10) {
            sb.append((char) ('0' + n / div % 10));
        }
    }

    private void loadHubs() {
        for (int i = 0; i < HUBS; i++) {
            StringBuilder sb = new StringBuilder();
            hubCode(sb, i);
            known[i] = canonical(sb.toString());
        }
    }

    private String canonical(String code) {
        if (FIXED) {
            String old = names.putIfAbsent(code, code);
            return old == null ? code : old;
        }
        return code.intern();
    }

    private String nextLabel(long id) {
        label.setLength(0);
        label.append(id).append(';');
        hubCode(label, next(HUBS));
        label.append(';').append(100 + next(9000)).append(";EUR;");
        return label.append(checkDigit(label)).toString();
    }

    private static int checkDigit(CharSequence s) {
        int sum = 0;
        for (int i = 0; i < s.length(); i++) {
            sum += s.charAt(i) * ((i & 1) == 0 ? 3 : 1);
        }
        return sum % 10;
    }

    private Parcel decode(String line) {
        int a = line.indexOf(';');
        int b = line.indexOf(';', a + 1);
        int c = line.indexOf(';', b + 1);
        int last = line.lastIndexOf(';');
        int digit = checkDigit(line.substring(0, last + 1));
        if (digit != line.charAt(last + 1) - '0') {
            throw new IllegalStateException("bad label " + line);
        }
        long id = Long.parseLong(line.substring(0, a));
        String hub = canonical(line.substring(a + 1, b));
        return new Parcel(hub, id, Integer.parseInt(line.substring(b + 1, c)));
    }

    private void account(Parcel p) {
        recent.addLast(p);
        String area = p.hub.substring(0, 7);
        Load l = loads.get(area);
        if (l == null) {
            loads.put(area, l = new Load());
        }
        l.parcels++;
        l.grams += p.grams;
        if (recent.size() > 20_000) {
            Parcel old = recent.removeFirst();
            Load o = loads.get(old.hub.substring(0, 7));
            o.parcels--;
            o.grams -= old.grams;
        }
    }

    private void rank() {
        int best = 0;
        for (Load l : loads.values()) {
            best = Math.max(best, l.parcels);
        }
        busiest = best;
    }

    private void scanLoop() {
        for (long id = 1; ; id++) {
            account(decode(nextLabel(id)));
            if ((id & 255) == 0) {
                scanned.addAndGet(256);
            }
            if ((id & 4095) == 0) {
                rank();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        ParcelLabelIndex index = new ParcelLabelIndex();
        index.loadHubs();
        Thread t = new Thread(index::scanLoop, "scan-belt");
        t.setDaemon(true);
        t.start();
        System.out.println("READY");
        long before = 0;
        for (int s = 0; s < 240; s++) {
            Thread.sleep(1000);
            long now = scanned.get();
            System.out.println("measured: labels/s=" + (now - before) + " busiest=" + busiest);
            before = now;
        }
        System.out.println("hubs " + index.known.length);
    }
}
