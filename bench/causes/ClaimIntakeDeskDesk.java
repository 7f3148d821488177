// SPDX-License-Identifier: Apache-2.0
// cause: ClaimIntakeDeskDesk$Binder.convert calls java.beans.PropertyEditorManager.findEditor for each field of each row, and that looks for a class TYPE + "Editor" by name in several packages each time (Class.forName, ClassNotFoundException), keeping neither what it found nor that there is none.
// share: 10 s each: faulty 6,200 claims/s, fixed 1,000,000 claims/s: 160 times as many.
// expect: hot-code kind=class-lookup frame=ClaimIntakeDeskDesk$Binder.convert
// symptom: lock-contention
// judge: NAMED: looking up classes by name (Class.forName below PropertyEditorManager.findEditor), none of which exists, for each field in ClaimIntakeDeskDesk$Binder.convert. SYMPTOM ONLY: many ClassNotFoundExceptions, reading the class path, system calls for files, hot URLClassPath, a lock of the class loader or of the PropertyEditorManager waited for. WRONG: reflection (Field.set) as the cause, parsing of numbers and dates, splitting of rows, class loading that defines classes, heap.
// jdk: 25
// set: thirtieth
// jvm:
import java.beans.PropertyEditor;
import java.beans.PropertyEditorManager;
import java.lang.reflect.Field;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;

/** Reads the insurers' daily files of claims, row by row, into objects, and enters what they ask for. */
public class ClaimIntakeDeskDesk {
    static final boolean VARIANT = Boolean.getBoolean("fixed");

    enum Cover { FIRE, WATER, THEFT, STORM, GLASS }

    record PolicyNumber(String region, int number) {
        static PolicyNumber parse(String text) {
            int dash = text.indexOf('-');
            return new PolicyNumber(text.substring(0, dash), Integer.parseInt(text.substring(dash + 1)));
        }
    }

    public static final class Claim {
        PolicyNumber policy;
        Cover cover;
        LocalDate happened;
        LocalDate reported;
        BigDecimal amount;
        BigDecimal excess;
        String remark;
    }

    /** Sets the fields of an object from the columns of a row. */
    static final class Binder {
        private final Field[] fields;
        private final Map<Class<?>, Function<String, Object>> own = Map.of(
                PolicyNumber.class, PolicyNumber::parse,
                Cover.class, Cover::valueOf,
                LocalDate.class, LocalDate::parse,
                BigDecimal.class, BigDecimal::new,
                String.class, s -> s);
        private final Map<Class<?>, Optional<PropertyEditor>> known = new ConcurrentHashMap<>();

        Binder(Class<?> type) {
            fields = type.getDeclaredFields();
        }

        Claim bind(String row) throws Exception {
            String[] columns = row.split(";");
            Claim claim = new Claim();
            for (int i = 0; i < fields.length; i++)
                fields[i].set(claim, convert(fields[i].getType(), columns[i]));
            return claim;
        }

        private Object convert(Class<?> type, String text) {
            PropertyEditor editor = VARIANT
                    ? known.computeIfAbsent(type, t -> Optional.ofNullable(PropertyEditorManager.findEditor(t))).orElse(null)
                    : PropertyEditorManager.findEditor(type);
            if (editor != null && !own.containsKey(type)) {
                synchronized (editor) {
                    editor.setAsText(text);
                    return editor.getValue();
                }
            }
            return own.get(type).apply(text);
        }
    }

    static final class Book {
        private final Map<Cover, LongAdder> cents = new ConcurrentHashMap<>();

        void add(Claim c) {
            BigDecimal paid = c.amount.subtract(c.excess).max(BigDecimal.ZERO);
            if (c.reported.isAfter(c.happened.plusDays(90)))
                paid = paid.divide(BigDecimal.valueOf(2));
            cents.computeIfAbsent(c.cover, k -> new LongAdder()).add(paid.movePointRight(2).longValue());
        }

        long total() {
            return cents.values().stream().mapToLong(LongAdder::sum).sum();
        }
    }

    static final LongAdder rows = new LongAdder();
    static final Book book = new Book();

    static List<String> file(long seed) {
        Random r = new Random(seed);
        List<String> rows = new ArrayList<>();
        for (int i = 0; i < 2000; i++) {
            LocalDate happened = LocalDate.of(2026, 1, 1).plusDays(r.nextInt(300));
            rows.add("DE" + r.nextInt(16) + "-" + r.nextInt(1_000_000) + ";" + Cover.values()[r.nextInt(5)] + ";" + happened + ";"
                    + happened.plusDays(r.nextInt(120)) + ";" + r.nextInt(20_000) + "." + (10 + r.nextInt(90)) + ";" + 50 * r.nextInt(10)
                    + ";cellar and ground floor");
        }
        return rows;
    }

    static void reader(int number) {
        try {
            Binder binder = new Binder(Claim.class);
            List<String> file = file(number);
            while (true)
                for (String row : file) {
                    book.add(binder.bind(row));
                    rows.increment();
                }
        } catch (Exception e) {
            e.printStackTrace();
        }
    }

    public static void main(String[] args) throws Exception {
        long span = Long.getLong("span", 170);
        Thread t = new Thread(() -> reader(1), "insurer-1");
        t.setDaemon(true);
        t.start();
        System.out.println("READY");
        long before = System.nanoTime();
        for (long s = 0; s < span; s++) {
            Thread.sleep(1000);
            long now = System.nanoTime();
            double seconds = (now - before) / 1e9;
            before = now;
            System.out.printf("measured: %.0f claims/s, paid %d%n", rows.sumThenReset() / seconds, book.total() / 100);
        }
        System.exit(0);
    }
}
