// SPDX-License-Identifier: Apache-2.0
// cause: HerbariumIngest$SheetReader.specimen has every field of every line interned (String.intern, HerbariumIngest$SheetReader.shared), hundreds of thousands of different texts, so most of the CPU time is the search of the JVM's table of strings
// share: 85 to 96 % of the loaders' time is in String.intern (see "measured")
// expect: hot-code kind=interning frame=HerbariumIngest$SheetReader
// symptom: hot-calls hot-method
// judge: NAMED: interning strings (String.intern, the JVM's string table, StringTable::intern) at or for HerbariumIngest$SheetReader.shared or SheetReader.specimen. SYMPTOM ONLY: CPU time in SheetReader.shared/specimen or in what it calls (hot-calls, hot-method) without saying interning. WRONG: anything else as the cause (substring or splitting in SheetReader.specimen, collections, the Register's map, locks, CPU starvation).
// jdk: 21
// set: thirty-fourth
// jvm: -Xmx700m
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;

public class HerbariumIngest {
    record Specimen(String species, String collector, String locality, String sheet, String date) { }

    /** Sheets as they come from the scanners: lines of fields with semicolons. */
    static final class Scans {
        private static final String[] GENERA = {"Achillea", "Betula", "Carex", "Dianthus", "Epilobium", "Festuca", "Galium", "Hieracium"};
        private final List<String> pages = new ArrayList<>();

        Scans(int count, int lines) {
            Random r = new Random(11);
            for (int p = 0; p < count; p++) {
                StringBuilder b = new StringBuilder(lines * 150);
                for (int i = 0; i < lines; i++) {
                    b.append(GENERA[r.nextInt(GENERA.length)]).append(" montana subsp. nr. ").append(r.nextInt(4000)).append(';');
                    b.append("leg. M. Sammler no. ").append(r.nextInt(20000)).append(" det. 1987;");
                    b.append("Alps, slope above hut ").append(r.nextInt(90000)).append(", limestone, 47.").append(1000 + r.nextInt(90)).append(" N;");
                    b.append("B 10 0").append(100000 + r.nextInt(400000)).append(" sheet;");
                    b.append(1870 + r.nextInt(130)).append('-').append(1 + r.nextInt(12)).append('-').append(1 + r.nextInt(28)).append('\n');
                }
                pages.add(b.toString());
            }
        }

        int size() {
            return pages.size();
        }

        String page(int i) {
            return pages.get(i % pages.size());
        }
    }

    static final class SheetReader {
        final LongAdder internNs = new LongAdder(), lines = new LongAdder();
        private final String[] fields = new String[5];

        List<Specimen> read(String page) {
            List<Specimen> result = new ArrayList<>(1000);
            for (int from = 0; from < page.length(); ) {
                int end = page.indexOf('\n', from);
                result.add(specimen(page, from, end));
                from = end + 1;
            }
            lines.add(result.size());
            return result;
        }

        private Specimen specimen(String page, int from, int end) {
            int n = 0;
            while (n < 4) {
                int to = page.indexOf(';', from);
                fields[n++] = page.substring(from, to);
                from = to + 1;
            }
            fields[n] = page.substring(from, end);
            long before = System.nanoTime();
            shared(fields);
            internNs.add(System.nanoTime() - before);
            return new Specimen(fields[0], fields[1], fields[2], fields[3], fields[4]);
        }

        private static void shared(String[] fields) {
            for (int i = 0; i < fields.length; i++) {
                fields[i] = fields[i].intern();
            }
        }
    }

    /** The latest specimens of each page, and how many there are of each decade. */
    static final class Register {
        private final List<List<Specimen>> kept = new ArrayList<>();
        private final AtomicLongArray decades = new AtomicLongArray(20);

        Register(int pages) {
            for (int i = 0; i < pages; i++) {
                kept.add(List.of());
            }
        }

        void store(int page, List<Specimen> specimens) {
            for (Specimen s : specimens) {
                decades.incrementAndGet((s.date().charAt(2) - '0') + 10 * (s.date().charAt(1) - '8'));
            }
            synchronized (kept) {
                kept.set(page % kept.size(), specimens);
            }
        }
    }

    static final class Loader extends Thread {
        final SheetReader reader = new SheetReader();
        final LongAdder busyNs = new LongAdder();
        private final Scans scans;
        private final Register register;
        private final int first;

        Loader(int first, Scans scans, Register register) {
            super("loader-" + first);
            this.first = first;
            this.scans = scans;
            this.register = register;
            setDaemon(true);
        }

        @Override public void run() {
            try {
                for (int page = first;; page = (page + 2) % scans.size()) {
                    long from = System.nanoTime();
                    register.store(page, reader.read(scans.page(page)));
                    long took = System.nanoTime() - from;
                    busyNs.add(took);
                    Thread.sleep(1 + Math.min(20, took / 4000000));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Scans scans = new Scans(160, 1000);
        Register register = new Register(scans.size());
        Loader[] loaders = {new Loader(0, scans, register), new Loader(1, scans, register)};
        for (Loader l : loaders) {
            l.start();
        }
        while (loaders[0].reader.lines.sum() + loaders[1].reader.lines.sum() < 2 * 160 * 1000) {
            Thread.sleep(100);
        }
        System.out.println("READY");
        System.out.flush();
        while (true) {
            long[] before = sums(loaders);
            Thread.sleep(1000);
            long[] now = sums(loaders);
            System.out.printf(Locale.ROOT, "measured: %d lines read, %.2f us each, %.0f %% of the loaders' time in intern()%n", now[2] - before[2],
                (now[0] - before[0]) / 1e3 / Math.max(1, now[2] - before[2]), 100.0 * (now[1] - before[1]) / Math.max(1, now[0] - before[0]));
        }
    }

    private static long[] sums(Loader[] loaders) {
        long[] s = new long[3];
        for (Loader l : loaders) {
            s[0] += l.busyNs.sum();
            s[1] += l.reader.internNs.sum();
            s[2] += l.reader.lines.sum();
        }
        return s;
    }
}
