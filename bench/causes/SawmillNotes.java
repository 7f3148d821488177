// SPDX-License-Identifier: Apache-2.0
// cause: SawmillNotes$Values.accessor looks for the accessor of each placeholder of each delivery note among all public methods of the class (Class.getMethods, which copies every Method), again for every value that is printed; it should look once for each class and name and keep the Method
// share: about 94 % of the process's CPU time (0.4 to 0.7 of a CPU) goes to printing notes, as measured by thread CPU time, and three quarters of it to Class.getMethods for Values.accessor, by JFR's samples
// expect: hot-code kind=reflection frame=SawmillNotes$
// symptom: hot-calls hot-method gc-pauses gc-cpu
// judge: NAMED: CPU time goes to reflection (Class.getMethods, copies of Method) for SawmillNotes$Values.accessor (or its callers Values.read, Template.print). SYMPTOM ONLY: a method of the JDK (Class.getMethods, Method.copy, ReflectionFactory.copyMethod, Executable) as hot method without the program's function; "hot calls" of accessor without saying that it is reflection; allocation or collections by these copies. WRONG: string building in Template.print, formatting, locks, lack of CPUs or threads, Method.invoke said to be the cost by itself without the search.
// jdk: 21
// set: thirty-fourth
// jvm: -Xmx256m
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.lang.reflect.Method;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.LongAdder;

/** Prints delivery notes of a sawmill from templates, one for each lorry that leaves. */
public class SawmillNotes {
    static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    static final LongAdder reading = new LongAdder(), values = new LongAdder(), notes = new LongAdder();

    public record Buyer(String name, String street, String town, String vat, int creditDays, boolean certified) {
        public String address() { return street + ", " + town; }
    }

    public record Stem(String species, int lengthCm, int topMm, int buttMm, String grade, int forestBlock, int year, String mark) {
        public int litres() { double d = (topMm + buttMm) / 2000.0; return (int) (Math.PI / 4 * d * d * lengthCm * 10); }
        public boolean veneer() { return topMm > 400 && grade.equals("A"); }
        public int pieces() { return Math.max(1, lengthCm / 310); }
    }

    public record Load(int number, String lorry, String driver, Buyer buyer, List<Stem> stems) {
        public int count() { return stems.size(); }
        public int litres() { return stems.stream().mapToInt(Stem::litres).sum(); }
    }

    /** Reads the value of a placeholder such as {buyer.address} from an object. */
    static class Values {
        Object read(Object from, String[] path) {
            Object at = from;
            for (String name : path) {
                if (at == null) return "";
                at = value(at, name);
            }
            values.increment();
            return at;
        }

        private Object value(Object owner, String name) {
            Method method = accessor(owner.getClass(), name);
            if (method == null) throw new IllegalArgumentException("no " + name + " in " + owner.getClass().getName());
            try {
                return method.invoke(owner);
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(name, e);
            }
        }

        private Method accessor(Class<?> type, String name) {
            for (Method method : type.getMethods()) {
                if (method.getParameterCount() == 0 && method.getName().equals(name)) return method;
            }
            return null;
        }
    }

    /** A template, parsed once: texts and placeholders in turn. */
    static class Template {
        private final List<String> texts = new ArrayList<>();
        private final List<String[]> paths = new ArrayList<>();
        private final Values source;

        Template(String text, Values source) {
            this.source = source;
            int at = 0;
            for (int open; (open = text.indexOf('{', at)) >= 0; ) {
                int close = text.indexOf('}', open);
                texts.add(text.substring(at, open));
                paths.add(text.substring(open + 1, close).split("\\."));
                at = close + 1;
            }
            texts.add(text.substring(at));
        }

        void print(Object subject, StringBuilder out) {
            for (int i = 0; i < paths.size(); i++) {
                out.append(texts.get(i)).append(source.read(subject, paths.get(i)));
            }
            out.append(texts.get(texts.size() - 1));
        }
    }

    /** The weighbridge at the gate: makes the loads. */
    static class Gate {
        private static final String[] SPECIES = {"spruce", "larch", "oak", "beech", "pine"};
        private final Random random = new Random(7);
        private int number;

        synchronized Load next() {
            List<Stem> stems = new ArrayList<>();
            for (int i = 18 + random.nextInt(20); i > 0; i--) {
                int top = 150 + random.nextInt(350);
                stems.add(new Stem(SPECIES[random.nextInt(5)], 300 + random.nextInt(900), top, top + random.nextInt(120),
                    "" + (char) ('A' + random.nextInt(4)), random.nextInt(90), 2020 + random.nextInt(6), "m" + random.nextInt(9999)));
            }
            Buyer buyer = new Buyer("Joinery " + random.nextInt(60), "Mill Lane " + random.nextInt(90), "Oberau", "AT" + random.nextInt(1 << 28), 30, true);
            return new Load(++number, "L-" + random.nextInt(500), "driver " + random.nextInt(80), buyer, stems);
        }
    }

    /** The office: prints the note of each load and keeps the latest of them. */
    static class Office {
        private final Template head, line, foot;
        private final Map<String, Integer> litresByBuyer = new ConcurrentHashMap<>();
        private final Deque<String> latest = new ConcurrentLinkedDeque<>();

        private final java.util.concurrent.atomic.AtomicInteger kept = new java.util.concurrent.atomic.AtomicInteger();

        Office(Values source) {
            head = new Template("Delivery note {number}, lorry {lorry}, {driver}\nfor {buyer.name}, {buyer.address}, VAT {buyer.vat}\n", source);
            line = new Template("  {mark} {species} {grade} {lengthCm} cm, {topMm}/{buttMm} mm, {litres} l, {pieces} pcs, block {forestBlock}, felled {year}\n", source);
            foot = new Template("{count} stems, {litres} l, payable within {buyer.creditDays} days\n", source);
        }

        void leave(Load load) {
            StringBuilder out = new StringBuilder(4096);
            head.print(load, out);
            for (Stem stem : load.stems()) line.print(stem, out);
            foot.print(load, out);
            latest.addLast(out.toString());
            if (kept.incrementAndGet() > 50) { latest.pollFirst(); kept.decrementAndGet(); }
            litresByBuyer.merge(load.buyer().name(), load.litres(), (a, b) -> (a + b) % 1_000_000_000);
            notes.increment();
        }
    }

    public static void main(String[] args) throws Exception {
        var os = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        Office office = new Office(new Values());
        Gate gate = new Gate();
        ScheduledExecutorService lanes = Executors.newScheduledThreadPool(2);
        for (int i = 0; i < 2; i++) {
            lanes.scheduleWithFixedDelay(() -> {
                for (int n = 0; n < 30; n++) {
                    Load load = gate.next();
                    long before = THREADS.getCurrentThreadCpuTime();
                    office.leave(load);
                    reading.add(THREADS.getCurrentThreadCpuTime() - before);
                }
            }, 0, 4, TimeUnit.MILLISECONDS);
        }
        long cpu = os.getProcessCpuTime(), time = System.nanoTime(), spent = 0, done = 0, read = 0;
        for (int second = 1; ; second++) {
            Thread.sleep(1000);
            long c = os.getProcessCpuTime(), t = System.nanoTime(), s = reading.sum(), d = notes.sum(), v = values.sum();
            System.out.printf(Locale.ROOT, "measured: %d notes/s, %.2f CPUs, %.0f %% of them to print notes, %d ns for each of %d values/s%n",
                (d - done) * 1_000_000_000L / (t - time), (c - cpu) / (double) (t - time), 100.0 * (s - spent) / Math.max(1, c - cpu),
                (s - spent) / Math.max(1, v - read), (v - read) * 1_000_000_000L / (t - time));
            cpu = c; time = t; spent = s; done = d; read = v;
            if (second == 3) System.out.println("READY");
            System.out.flush();
        }
    }
}
