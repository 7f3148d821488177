// SPDX-License-Identifier: Apache-2.0
// cause: PayrollColumns.Forms.shelf makes a new class loader (Shelf) for each export, which defines the class of the form anew (Forms.form), though there are two forms in all: classes are loaded, interpreted, compiled and unloaded all the time
// share: as it is 5500 to 9700 exports/s, 0.2 to 0.36 ms each, about 6000 classes a second; fixed 236000 to 336000 exports/s, 0.006 to 0.008 ms each (25 times better or more)
// expect: class-unloading
// symptom: gc-pauses | hot-code
// judge: NAMED: classes are loaded/defined and unloaded all the time (class loaders made again and again), at best with Forms.form / Forms.shelf / Shelf.loadClass. SYMPTOM ONLY: collections for metaspace, GC pauses, compile or deoptimisation load, interpreted code, reflection without the class loading. WRONG: the rows of forms as first cause, larger heap, locks, threads.
// jdk: 17
// set: twenty-seventh
// jvm: -Xmx64m
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

public class PayrollColumns {
    static final LongAdder exports = new LongAdder();
    static final LongAdder nanos = new LongAdder();

    public record Pay(String name, Integer number, Integer gross, Integer tax, Integer pension, String unit, Boolean partTime, Integer days) {
    }

    public interface Form {
        void row(StringBuilder out, Pay p);
    }

    public static final class FormWide implements Form {
        @Override
        public void row(StringBuilder out, Pay p) {
            out.append(p.name()).append(';').append(p.number()).append(';').append(p.gross()).append(';').append(p.tax()).append(';');
            out.append(p.pension()).append(';').append(p.unit()).append(';').append(p.days()).append('\n');
        }
    }

    public static final class FormBrief implements Form {
        @Override
        public void row(StringBuilder out, Pay p) {
            out.append(p.number()).append(';').append(p.gross().intValue() - p.tax().intValue()).append('\n');
        }
    }

    static final class Shelf extends ClassLoader {
        final Map<String, byte[]> files;

        Shelf(Map<String, byte[]> files, ClassLoader parent) {
            super(parent);
            this.files = files;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            byte[] b = files.get(name);
            if (b == null)
                return super.loadClass(name, resolve);
            synchronized (getClassLoadingLock(name)) {
                Class<?> c = findLoadedClass(name);
                return c != null ? c : defineClass(name, b, 0, b.length);
            }
        }
    }

    static final class Forms {
        final Map<String, byte[]> files = new ConcurrentHashMap<>();
        final boolean keep = Boolean.getBoolean("fixed");
        Shelf shelf;

        Forms() throws IOException {
            for (Class<?> c : List.of(FormWide.class, FormBrief.class))
                try (InputStream in = c.getResourceAsStream("/" + c.getName() + ".class")) {
                    files.put(c.getName(), in.readAllBytes());
                }
            shelf = new Shelf(files, PayrollColumns.class.getClassLoader());
        }

        Shelf shelf() {
            return keep ? shelf : new Shelf(files, PayrollColumns.class.getClassLoader());
        }

        Form form(String name) {
            try {
                return (Form) shelf().loadClass("PayrollColumns$Form" + name).getDeclaredConstructor().newInstance();
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(name, e);
            }
        }
    }

    static final class Exporter {
        final Forms forms;

        Exporter(Forms forms) {
            this.forms = forms;
        }

        String export(String name, List<Pay> pays) {
            Form form = forms.form(name);
            StringBuilder out = new StringBuilder(4000);
            for (Pay p : pays)
                form.row(out, p);
            return out.toString();
        }
    }

    static final class Portal implements Runnable {
        static final String[] VIEWS = {"Wide", "Brief"};
        final Exporter exporter;
        final Random random;

        Portal(Exporter exporter, int seed) {
            this.exporter = exporter;
            random = new Random(seed);
        }

        @Override
        public void run() {
            List<Pay> staff = new ArrayList<>();
            for (int i = 0; i < 400; i++)
                staff.add(new Pay("Person " + i, i, 2000 + random.nextInt(4000), random.nextInt(900), random.nextInt(300), "U" + i % 12, i % 5 == 0, 20));
            for (;;) {
                long t = System.nanoTime();
                int from = random.nextInt(360);
                if (exporter.export(VIEWS[random.nextInt(VIEWS.length)], staff.subList(from, from + 40)).isEmpty())
                    return;
                nanos.add(System.nanoTime() - t);
                exports.increment();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        long start = System.nanoTime();
        long end = start + Integer.getInteger("seconds", 170) * 1_000_000_000L;
        Exporter exporter = new Exporter(new Forms());
        for (int i = 0; i < 2; i++) {
            Thread t = new Thread(new Portal(exporter, i), "portal-" + i);
            t.setDaemon(true);
            t.start();
        }
        Thread.sleep(6000);
        System.out.println("READY");
        long last = exports.sum();
        long lastNs = nanos.sum();
        while (System.nanoTime() < end) {
            Thread.sleep(1000);
            long s = exports.sum();
            long ns = nanos.sum();
            System.out.printf("measured: %d exports/s, %.3f ms each%n", s - last, (ns - lastNs) / 1e6 / Math.max(1, s - last));
            last = s;
            lastNs = ns;
        }
        System.exit(0);
    }
}
