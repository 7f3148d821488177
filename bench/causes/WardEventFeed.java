// SPDX-License-Identifier: Apache-2.0
// cause: WardEventFeed$EventXml.stamp makes a javax.xml.datatype.DatatypeFactory anew (DatatypeFactory.newInstance(), which searches properties, a file and the services of the class path) for each of the four times of an event, only to write it as an xs:dateTime
// share: 91 to 97 % of the time of writing an event (54 to 120 us) is in stamp; 0.3 to 0.6 CPUs, which is nearly all that the process uses
// expect: hot-code kind=factories frame=WardEventFeed$EventXml.stamp
// symptom: hot-code hot-calls saturated-thread
// judge: NAMED: making factories (DatatypeFactory.newInstance) anew at WardEventFeed$EventXml.stamp. Half right, still NAMED: lookups of services or class loading for EventXml.stamp, if newInstance of DatatypeFactory is named. SYMPTOM ONLY: CPU time in "XML", in looking up services/resources, in archives (zip) or in EventXml.stamp / what it calls without saying that factories are made anew; the thread register-sender is saturated; collections that follow from it. WRONG: writing of XML in EventXml.write as such, dates or formatting as the cause, Ward.next, locks, the pauses, the machine, "nothing stands out".
// jdk: 8
// set: thirty-fourth
// jvm: -Xmx256m
import java.io.StringWriter;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Date;
import java.util.GregorianCalendar;
import java.util.Random;
import java.util.TimeZone;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import javax.xml.datatype.DatatypeConfigurationException;
import javax.xml.datatype.DatatypeFactory;
import javax.xml.datatype.XMLGregorianCalendar;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/** Feeds what happens on a hospital's wards to its register, as one XML document for each event. */
public class WardEventFeed {
    static final AtomicLong events = new AtomicLong();
    static final AtomicLong characters = new AtomicLong();
    static final AtomicLong writeNanos = new AtomicLong();
    static final AtomicLong stampNanos = new AtomicLong();

    static final class Event {
        final String ward;
        final int patient;
        final String kind;
        final Date ordered;
        final Date begun;
        final Date ended;
        final Date noted;

        Event(String ward, int patient, String kind, Date ordered, Date begun, Date ended, Date noted) {
            this.ward = ward;
            this.patient = patient;
            this.kind = kind;
            this.ordered = ordered;
            this.begun = begun;
            this.ended = ended;
            this.noted = noted;
        }
    }

    /** A ward, on which something happens now and then. */
    static final class Ward implements Runnable {
        static final String[] KINDS = {"infusion", "transfer", "x-ray", "medication", "visit", "discharge"};
        final String name;
        final BlockingQueue<Event> feed;
        final Random random;

        Ward(String name, BlockingQueue<Event> feed) {
            this.name = name;
            this.feed = feed;
            this.random = new Random(name.hashCode());
        }

        Event next() {
            long now = System.currentTimeMillis();
            long begun = now - 600_000 - random.nextInt(3_600_000);
            return new Event(name, 100_000 + random.nextInt(900_000), KINDS[random.nextInt(KINDS.length)],
                    new Date(begun - random.nextInt(7_200_000)), new Date(begun),
                    new Date(begun + random.nextInt(600_000)), new Date(now));
        }

        @Override
        public void run() {
            try {
                while (true) {
                    for (int i = 0; i < 120; i++) {
                        Event event = next();
                        if (!feed.offer(event)) {
                            break;
                        }
                    }
                    Thread.sleep(50);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** An event as the register needs it. */
    static final class EventXml {
        final XMLOutputFactory documents = XMLOutputFactory.newInstance();
        final TimeZone zone = TimeZone.getTimeZone("UTC");

        String write(Event event) throws XMLStreamException, DatatypeConfigurationException {
            StringWriter text = new StringWriter(512);
            XMLStreamWriter out = documents.createXMLStreamWriter(text);
            out.writeStartDocument();
            out.writeStartElement("event");
            out.writeAttribute("ward", event.ward);
            out.writeAttribute("kind", event.kind);
            element(out, "patient", Integer.toString(event.patient));
            element(out, "ordered", stamp(event.ordered));
            element(out, "begun", stamp(event.begun));
            element(out, "ended", stamp(event.ended));
            element(out, "noted", stamp(event.noted));
            out.writeEndElement();
            out.writeEndDocument();
            out.close();
            return text.toString();
        }

        void element(XMLStreamWriter out, String name, String value) throws XMLStreamException {
            out.writeStartElement(name);
            out.writeCharacters(value);
            out.writeEndElement();
        }

        String stamp(Date date) throws DatatypeConfigurationException {
            long start = System.nanoTime();
            GregorianCalendar calendar = new GregorianCalendar(zone);
            calendar.setTime(date);
            XMLGregorianCalendar time = DatatypeFactory.newInstance().newXMLGregorianCalendar(calendar);
            String text = time.toXMLFormat();
            stampNanos.addAndGet(System.nanoTime() - start);
            return text;
        }
    }

    /** Takes events from the feed and writes them. */
    static final class Sender implements Runnable {
        final BlockingQueue<Event> feed;
        final EventXml xml = new EventXml();

        Sender(BlockingQueue<Event> feed) {
            this.feed = feed;
        }

        @Override
        public void run() {
            try {
                while (true) {
                    Event event = feed.take();
                    long start = System.nanoTime();
                    String document = xml.write(event);
                    writeNanos.addAndGet(System.nanoTime() - start);
                    characters.addAndGet(document.length());
                    events.incrementAndGet();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (XMLStreamException | DatatypeConfigurationException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        BlockingQueue<Event> feed = new ArrayBlockingQueue<>(2000);
        for (int i = 0; i < 6; i++) {
            start(new Ward("ward-" + (char) ('A' + i), feed), "ward-" + i);
        }
        Thread sender = start(new Sender(feed), "register-sender");
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long done = 0;
        long written = 0;
        long stamped = 0;
        long cpu = 0;
        for (int second = 1; ; second++) {
            Thread.sleep(1000);
            long n = events.get();
            long w = writeNanos.get();
            long s = stampNanos.get();
            long c = threads.getThreadCpuTime(sender.getId());
            System.out.printf("measured: %d events sent, %.0f us each, %.1f %% of it in the four times; sender used %d ms of CPU; %d events wait%n",
                    n - done, (w - written) / 1e3 / Math.max(1, n - done), 100.0 * (s - stamped) / Math.max(1, w - written),
                    (c - cpu) / 1_000_000, feed.size());
            if (second == 5) {
                System.out.println("READY");
            }
            System.out.flush();
            done = n;
            written = w;
            stamped = s;
            cpu = c;
        }
    }

    static Thread start(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }
}
