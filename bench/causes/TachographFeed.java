// SPDX-License-Identifier: Apache-2.0
// cause: TachographFeed$Stamps.parse asks for a new DatatypeFactory (DatatypeFactory.newInstance(), which searches for a service provider every time) for each of the times of a record, in place of one that is kept
// share: @SHARE@
// expect: hot-code kind=factories frame=TachographFeed$Stamps | hot-code kind=lookups frame=TachographFeed$Stamps | hot-code kind=xml frame=TachographFeed$Stamps
// symptom: hot-calls hot-method saturated-thread
// judge: NAMED: making factories anew (factories), or XML, or looking up services or resources (lookups), or class loading of that search, for TachographFeed$Stamps.parse, or with DatatypeFactory.newInstance. SYMPTOM ONLY: hot-calls or "computes" at TachographFeed$Stamps.parse without what it calls; a hot method within the JDK's service loader or class path without the function; dates for TachographFeed$Stamps.parse; the worker that has all the work. WRONG: TachographFeed$DrivingRules as the cause, the queue between reader and checker, collections or the heap, formatting or the parsing of lines
// jdk: 21
// set: thirty-fifth
// jvm: -Xmx256m
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.LongAdder;
import javax.xml.datatype.DatatypeConfigurationException;
import javax.xml.datatype.DatatypeFactory;
import javax.xml.datatype.XMLGregorianCalendar;

/** Takes what the tachographs of lorries send, and checks driving and rest times. */
public class TachographFeed {
    static final LongAdder records = new LongAdder();
    static final LongAdder parseNanos = new LongAdder();
    static final LongAdder checkNanos = new LongAdder();
    static final LongAdder violations = new LongAdder();

    /** The times of the records, which are xs:dateTime. */
    static final class Stamps {
        static XMLGregorianCalendar parse(String text) {
            try {
                return DatatypeFactory.newInstance().newXMLGregorianCalendar(text);
            } catch (DatatypeConfigurationException e) {
                throw new IllegalStateException(e);
            }
        }

        static long minutes(XMLGregorianCalendar at) {
            return ((at.getMonth() * 31L + at.getDay()) * 24 + at.getHour()) * 60 + at.getMinute();
        }
    }

    enum Activity { DRIVE, REST, WORK, STANDBY }

    record Line(String driver, Activity activity, XMLGregorianCalendar begin, XMLGregorianCalendar end, XMLGregorianCalendar sent) {
        static Line of(String text) {
            String[] fields = text.split(";");
            return new Line(fields[0], Activity.valueOf(fields[1]), Stamps.parse(fields[2]), Stamps.parse(fields[3]), Stamps.parse(fields[4]));
        }

        long length() {
            return Stamps.minutes(end) - Stamps.minutes(begin);
        }
    }

    /** What drivers may do: at most four and a half hours before a break of 45 minutes. */
    static final class DrivingRules {
        private final long[] driven = new long[512];
        private final long[] histogram = new long[64];

        boolean violates(Line line) {
            int slot = (line.driver().hashCode() & 0x7fffffff) % driven.length;
            if (line.activity() == Activity.DRIVE) {
                driven[slot] += line.length();
            } else if (line.length() >= 45) {
                histogram[(int) Math.min(63, driven[slot] / 30)]++;
                driven[slot] = 0;
            }
            return driven[slot] > 270;
        }

        long median() {
            long all = 0;
            for (long n : histogram) {
                all += n;
            }
            long seen = 0;
            for (int i = 0; i < histogram.length; i++) {
                seen += histogram[i];
                if (seen * 2 >= all) {
                    return i * 30L;
                }
            }
            return 0;
        }
    }

    /** The modem pool: lines of many lorries, more than ten thousand a second. */
    static final class Modem implements Runnable {
        private final BlockingQueue<List<String>> out;
        private final Random random = new Random(11);

        Modem(BlockingQueue<List<String>> out) {
            this.out = out;
        }

        private String line() {
            int hour = random.nextInt(20);
            int minute = random.nextInt(60);
            int length = 5 + random.nextInt(110);
            int end = Math.min(23 * 60 + 59, hour * 60 + minute + length);
            int day = 1 + random.nextInt(28);
            Activity activity = Activity.values()[random.nextInt(4)];
            return "D" + random.nextInt(400) + ';' + activity + ';' + stamp(day, hour * 60 + minute) + ';' + stamp(day, end) + ';' + stamp(day, end);
        }

        private static String stamp(int day, int minutes) {
            return "2025-03-" + two(day) + 'T' + two(minutes / 60) + ':' + two(minutes % 60) + ":00Z";
        }

        private static String two(int n) {
            return n < 10 ? "0" + n : Integer.toString(n);
        }

        @Override
        public void run() {
            try {
                for (;;) {
                    List<String> batch = new ArrayList<>();
                    for (int i = 0; i < 300; i++) {
                        batch.add(line());
                    }
                    out.put(batch);
                    Thread.sleep(20);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static final class Checker implements Runnable {
        private final BlockingQueue<List<String>> in;
        final DrivingRules rules = new DrivingRules();

        Checker(BlockingQueue<List<String>> in) {
            this.in = in;
        }

        @Override
        public void run() {
            try {
                for (;;) {
                    for (String text : in.take()) {
                        long a = System.nanoTime();
                        Line line = Line.of(text);
                        long b = System.nanoTime();
                        if (rules.violates(line)) {
                            violations.increment();
                        }
                        parseNanos.add(b - a);
                        checkNanos.add(System.nanoTime() - b);
                        records.increment();
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static void daemon(Runnable work, String name) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }

    public static void main(String[] args) throws Exception {
        BlockingQueue<List<String>> lines = new ArrayBlockingQueue<>(64);
        Checker checker = new Checker(lines);
        daemon(checker, "checker");
        daemon(new Modem(lines), "modem");
        for (int second = 0; ; second++) {
            Thread.sleep(1000);
            long n = records.sumThenReset();
            long parse = parseNanos.sumThenReset();
            long check = checkNanos.sumThenReset();
            System.out.printf(Locale.ROOT, "measured: %d records, %.1f us each to read (%.0f ms in all), %.2f us each to check; %d violations, median %d min%n",
                    n, parse / 1e3 / Math.max(1, n), parse / 1e6, check / 1e3 / Math.max(1, n), violations.sumThenReset(), checker.rules.median());
            if (second == 3) {
                System.out.println("READY");
            }
            System.out.flush();
        }
    }
}
