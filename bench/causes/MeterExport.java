// SPDX-License-Identifier: Apache-2.0
// cause: MeterExport$Stamp.of makes a DatatypeFactory anew (DatatypeFactory.newInstance, which searches properties, files and services for it) for each time that is written, instead of keeping one
// share: 95 % of the time of writing messages is making times, of which 7 us of 7.4 us (measured apart) are DatatypeFactory.newInstance: 90 % of the CPU time of the exporter, one CPU fully used
// expect: hot-code kind=factories frame=MeterExport$Stamp
// symptom: hot-code hot-calls hot-method saturated-thread
// judge: NAMED: making or finding factories (DatatypeFactory.newInstance, FactoryFinder, ServiceLoader, lookups of services on the class path, also "hot calls" that name it) for MeterExport$Stamp.of or its callers MessageWriter.interval, MessageWriter.write. SYMPTOM ONLY: "XML" or "class lookup/loading", "archives (zip, jar)", "reading files" at that place without saying that a factory is searched for or made each time; collections of what it allocates. WRONG: formatting or dates (XMLGregorianCalendar.toXMLFormat), building strings in MessageWriter, compression, waits, the machine.
// jdk: 8
// set: thirty-sixth
// jvm: -Xmx256m
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Calendar;
import java.util.GregorianCalendar;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.TimeZone;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32;
import javax.xml.datatype.DatatypeConfigurationException;
import javax.xml.datatype.DatatypeConstants;
import javax.xml.datatype.DatatypeFactory;
import javax.xml.datatype.XMLGregorianCalendar;

/** Exports quarter-hourly readings of electricity meters as messages for the market's other parties. */
public class MeterExport {
    static final AtomicLong messages = new AtomicLong();
    static final AtomicLong stamps = new AtomicLong();
    static final AtomicLong stampNanos = new AtomicLong();
    static final AtomicLong writeNanos = new AtomicLong();
    static final TimeZone ZONE = TimeZone.getTimeZone("Europe/Vienna");

    static final class Interval {
        final long start;
        final int wattHours;
        final char quality;
        Interval(long start, int wattHours, char quality) {
            this.start = start;
            this.wattHours = wattHours;
            this.quality = quality;
        }
    }

    static final class MeterDay {
        final String meter;
        final List<Interval> intervals = new ArrayList<Interval>();
        MeterDay(String meter) {
            this.meter = meter;
        }
    }

    /** Times as the market's messages have them. */
    static final class Stamp {
        static String of(long millis) {
            GregorianCalendar calendar = new GregorianCalendar(ZONE, Locale.ROOT);
            calendar.setTimeInMillis(millis);
            try {
                XMLGregorianCalendar xml = DatatypeFactory.newInstance().newXMLGregorianCalendar(calendar);
                xml.setFractionalSecond(null);
                return xml.toXMLFormat();
            } catch (DatatypeConfigurationException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    static final class MessageWriter {
        private final StringBuilder out = new StringBuilder(32768);

        String write(MeterDay day) {
            out.setLength(0);
            out.append("<consumption meter=\"").append(escape(day.meter)).append("\">\n");
            long sum = 0;
            for (Interval interval : day.intervals) {
                interval(interval);
                sum += interval.wattHours;
            }
            out.append("  <total unit=\"kWh\">").append(BigDecimal.valueOf(sum, 3).toPlainString()).append("</total>\n");
            out.append("</consumption>\n");
            return out.toString();
        }

        private void interval(Interval interval) {
            long t0 = System.nanoTime();
            String start = Stamp.of(interval.start);
            stampNanos.addAndGet(System.nanoTime() - t0);
            stamps.incrementAndGet();
            out.append("  <interval start=\"").append(start).append("\" minutes=\"15\" quality=\"").append(interval.quality).append("\">");
            out.append(interval.wattHours / 1000).append('.').append(interval.wattHours % 1000).append("</interval>\n");
        }

        private static String escape(String text) {
            return text.indexOf('&') < 0 && text.indexOf('"') < 0 ? text : text.replace("&", "&amp;").replace("\"", "&quot;");
        }
    }

    /** The head-end system, which has the readings of a day of one meter at a time. */
    static final class HeadEnd implements Runnable {
        private final BlockingQueue<MeterDay> days;
        HeadEnd(BlockingQueue<MeterDay> days) {
            this.days = days;
        }
        @Override public void run() {
            Random random = new Random(15);
            Calendar midnight = new GregorianCalendar(ZONE, Locale.ROOT);
            midnight.set(2026, Calendar.MARCH, 1, 0, 0, 0);
            long start = midnight.getTimeInMillis();
            for (int n = 0; ; n++) {
                MeterDay day = new MeterDay(String.format(Locale.ROOT, "AT%013d", 70000000L + n % 90000));
                for (int quarter = 0; quarter < 96; quarter++) {
                    day.intervals.add(new Interval(start + quarter * 900000L, random.nextInt(2500), random.nextInt(50) == 0 ? 'E' : 'M'));
                }
                try {
                    days.put(day);
                } catch (InterruptedException e) {
                    return;
                }
            }
        }
    }

    static final class Exporter implements Runnable {
        private final BlockingQueue<MeterDay> days;
        private final CRC32 sent = new CRC32();
        Exporter(BlockingQueue<MeterDay> days) {
            this.days = days;
        }
        @Override public void run() {
            MessageWriter writer = new MessageWriter();
            try {
                while (true) {
                    MeterDay day = days.take();
                    long t0 = System.nanoTime();
                    String message = writer.write(day);
                    for (int i = 0; i < message.length(); i++) sent.update(message.charAt(i));
                    writeNanos.addAndGet(System.nanoTime() - t0);
                    messages.incrementAndGet();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        if (Stamp.of(0).length() < 19 || DatatypeConstants.JANUARY != 1) throw new IllegalStateException("no times");
        BlockingQueue<MeterDay> days = new LinkedBlockingQueue<MeterDay>(40);
        Thread headEnd = new Thread(new HeadEnd(days), "head-end");
        headEnd.setDaemon(true);
        headEnd.start();
        new Thread(new Exporter(days), "exporter").start();
        while (messages.get() < 100) Thread.sleep(50);
        System.out.println("READY");
        System.out.flush();
        long m0 = messages.get(), s0 = stamps.get(), sn0 = stampNanos.get(), w0 = writeNanos.get();
        while (true) {
            Thread.sleep(1000);
            long m = messages.get(), s = stamps.get(), sn = stampNanos.get(), w = writeNanos.get();
            System.out.println(String.format(Locale.ROOT, "measured: %d messages of 96 times each; a time takes %.1f us; %.1f %% of the time of writing messages is in times",
                m - m0, (sn - sn0) / 1e3 / Math.max(1, s - s0), 100.0 * (sn - sn0) / Math.max(1, w - w0)));
            m0 = m; s0 = s; sn0 = sn; w0 = w;
        }
    }
}
