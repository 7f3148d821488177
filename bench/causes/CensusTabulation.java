// SPDX-License-Identifier: Apache-2.0
// healthy: a batch that makes many short-lived objects: several young collections a second, but each takes a few milliseconds and nearly all it finds is dead; the collector costs a few percent
// share: collections (4 to 10 a second) stop the program for 1 to 2 % of the time, more only while other programs take the CPUs, and leave about a tenth of the heap in use (see "measured")
// judge: NAMED: that nothing stands out, or only neutral remarks about where CPU time goes (parsing and counting in CensusTabulation$Form.parse, CensusTabulation$Tables.count, what these call, copying strings). WRONG: any accusation of the collector, the heap, promotion, allocation, or of the program (locks, waiting, hot code as a fault). (On a crowded machine a finding of the machine that threads wait for CPUs is right if they do.)
// jdk: 21
// set: thirty-fourth
// jvm: -Xmx320m -XX:+UseG1GC
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.LongAdder;

public class CensusTabulation {
    static final LongAdder forms = new LongAdder();

    record Person(String name, int born, String trade, String faith, boolean head) { }

    record Form(String parish, int house, List<Person> people) {
        /** "parish|house|name,born,trade,faith|..." */
        static Form parse(String line) {
            List<String> parts = split(line, '|');
            List<Person> people = new ArrayList<>();
            for (int i = 2; i < parts.size(); i++) {
                List<String> f = split(parts.get(i), ',');
                people.add(new Person(f.get(0), Integer.parseInt(f.get(1)), f.get(2), f.get(3), i == 2));
            }
            return new Form(parts.get(0), Integer.parseInt(parts.get(1)), people);
        }

        private static List<String> split(String s, char by) {
            List<String> parts = new ArrayList<>();
            int from = 0;
            for (int to; (to = s.indexOf(by, from)) >= 0; from = to + 1) {
                parts.add(s.substring(from, to));
            }
            parts.add(s.substring(from));
            return parts;
        }
    }

    /** The drawers of forms that were typed in, one for each district. */
    static final class Drawer {
        private static final String[] TRADES = {"weaver", "smith", "farmhand", "miller", "carter", "joiner", "dyer", "none"};
        private static final String[] FAITHS = {"prot.", "cath.", "jew.", "ref."};
        final List<String> lines = new ArrayList<>();

        Drawer(int district, int count) {
            Random r = new Random(district);
            for (int i = 0; i < count; i++) {
                StringBuilder b = new StringBuilder("parish-").append(district).append('-').append(r.nextInt(30)).append('|').append(i);
                for (int p = 2 + r.nextInt(6); p > 0; p--) {
                    b.append("|N").append(Integer.toString(r.nextInt(1 << 24), 36)).append(',').append(1780 + r.nextInt(85))
                        .append(',').append(TRADES[r.nextInt(TRADES.length)]).append(',').append(FAITHS[r.nextInt(FAITHS.length)]);
                }
                lines.add(b.toString());
            }
        }
    }

    static final class Tables {
        private final Map<String, int[]> ages = new HashMap<>();
        private final Map<String, int[]> trades = new HashMap<>();
        private long people;

        void count(Form form) {
            int[] byAge = ages.computeIfAbsent(form.parish(), k -> new int[10]);
            for (Person p : form.people()) {
                byAge[Math.min(9, (1866 - p.born()) / 10)]++;
                trades.computeIfAbsent(p.trade() + "/" + p.faith(), k -> new int[2])[p.head() ? 0 : 1]++;
                people++;
            }
        }
    }

    static final class Tabulator extends Thread {
        private final List<Drawer> drawers;
        private final int first;
        volatile long people;

        Tabulator(int first, List<Drawer> drawers) {
            super("tabulator-" + first);
            this.first = first;
            this.drawers = drawers;
            setDaemon(true);
        }

        @Override public void run() {
            try {
                Tables tables = new Tables();
                for (int d = first;; d = (d + 1) % drawers.size()) {
                    long from = System.nanoTime();
                    for (String line : drawers.get(d).lines) {
                        tables.count(Form.parse(line));
                    }
                    forms.add(drawers.get(d).lines.size());
                    people = tables.people;
                    Thread.sleep(1 + Math.min(50, (System.nanoTime() - from) / 1500000));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static long[] collections() {
        long[] s = new long[2];
        for (GarbageCollectorMXBean b : ManagementFactory.getGarbageCollectorMXBeans()) {
            if (!b.getName().contains("Concurrent")) {
                s[0] += b.getCollectionCount();
                s[1] += b.getCollectionTime();
            }
        }
        return s;
    }

    public static void main(String[] args) throws Exception {
        List<Drawer> drawers = new ArrayList<>();
        for (int d = 0; d < 40; d++) {
            drawers.add(new Drawer(d, 3000));
        }
        Tabulator[] tabulators = {new Tabulator(0, drawers), new Tabulator(20, drawers)};
        for (Tabulator t : tabulators) {
            t.start();
        }
        while (forms.sum() < 600000) {
            Thread.sleep(100);
        }
        System.out.println("READY");
        System.out.flush();
        while (true) {
            long[] c = collections();
            long f = forms.sum(), at = System.nanoTime();
            Thread.sleep(1000);
            long[] n = collections();
            double ms = (System.nanoTime() - at) / 1e6;
            System.out.printf(Locale.ROOT, "measured: %d forms, %d collections, %.1f ms each: stopped for %.1f %% of the time; %d MiB in use now%n", forms.sum() - f,
                n[0] - c[0], (n[1] - c[1]) / (double) Math.max(1, n[0] - c[0]), 100.0 * (n[1] - c[1]) / ms,
                ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() >> 20);
        }
    }
}
