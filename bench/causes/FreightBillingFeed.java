// SPDX-License-Identifier: Apache-2.0
// cause: FreightBillingFeed$Stamp.of calls DatatypeFactory.newInstance() for each date of an invoice, and each call looks for a provider on the class path by ServiceLoader and makes a new factory, which costs many times what the date and the document itself cost.
// share: 10 s each: faulty 18,900 invoices/s (13.5 MB/s), fixed 78,000 invoices/s (56 MB/s): 4.1 times as many.
// expect: hot-code kind=factories frame=FreightBillingFeed$Stamp.of
// symptom: gc-pauses gc-cpu hot-calls
// judge: NAMED: making a DatatypeFactory (DatatypeFactory.newInstance, FactoryFinder/ServiceLoader) for each date in FreightBillingFeed$Stamp.of (called by Bill.write). SYMPTOM ONLY: much CPU time, XML work or service lookup in general, reading of class path resources, allocation and collections that come with it. WRONG: the XMLStreamWriter or XMLOutputFactory, the writing of documents itself, locks or the queue between the threads, heap too small.
// jdk: 17
// set: thirtieth
// jvm:
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.GregorianCalendar;
import java.util.List;
import java.util.TimeZone;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.zip.CRC32;
import javax.xml.datatype.DatatypeFactory;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamWriter;

/** Turns booked consignments into invoices for the partners' electronic interface. */
public class FreightBillingFeed {
    static final boolean VARIANT = Boolean.getBoolean("fixed");
    static final String[] PORTS = {"Rotterdam", "Hamburg", "Genova", "Gdynia", "Antwerpen", "Bilbao"};

    /** One leg of a transport. */
    static final class Leg {
        final String from, to;
        final long loaded, delivered;
        final int kilograms;
        final long cents;

        Leg(String from, String to, long loaded, long delivered, int kilograms, long cents) {
            this.from = from;
            this.to = to;
            this.loaded = loaded;
            this.delivered = delivered;
            this.kilograms = kilograms;
            this.cents = cents;
        }
    }

    static final class Consignment {
        final int number;
        final long booked;
        final List<Leg> legs = new ArrayList<>();

        Consignment(int number, long booked) {
            this.number = number;
            this.booked = booked;
        }
    }

    /** Dates in the partners' notation. */
    static final class Stamp {
        private final DatatypeFactory types;
        private final TimeZone zone = TimeZone.getTimeZone("UTC");

        Stamp() throws Exception {
            types = DatatypeFactory.newInstance();
        }

        String of(long millis) throws Exception {
            GregorianCalendar calendar = new GregorianCalendar(zone);
            calendar.setTimeInMillis(millis);
            DatatypeFactory factory = VARIANT ? types : DatatypeFactory.newInstance();
            return factory.newXMLGregorianCalendar(calendar).toXMLFormat();
        }
    }

    /** Writes one invoice. */
    static final class Bill {
        private final XMLOutputFactory output = XMLOutputFactory.newInstance();
        private final Stamp stamp = new Stamp();

        Bill() throws Exception {
        }

        byte[] write(Consignment c) throws Exception {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream(4096);
            XMLStreamWriter w = output.createXMLStreamWriter(bytes, "UTF-8");
            w.writeStartDocument("UTF-8", "1.0");
            w.writeStartElement("invoice");
            w.writeAttribute("number", Integer.toString(c.number));
            element(w, "booked", stamp.of(c.booked));
            element(w, "due", stamp.of(c.booked + 30L * 86_400_000));
            long sum = 0;
            for (Leg leg : c.legs) {
                w.writeStartElement("leg");
                element(w, "from", leg.from);
                element(w, "to", leg.to);
                element(w, "loaded", stamp.of(leg.loaded));
                element(w, "delivered", stamp.of(leg.delivered));
                element(w, "weight", Integer.toString(leg.kilograms));
                element(w, "amount", leg.cents / 100 + "." + leg.cents % 100);
                w.writeEndElement();
                sum += leg.cents;
            }
            element(w, "total", sum / 100 + "." + sum % 100);
            w.writeEndElement();
            w.writeEndDocument();
            w.close();
            return bytes.toByteArray();
        }

        private static void element(XMLStreamWriter w, String name, String text) throws Exception {
            w.writeStartElement(name);
            w.writeCharacters(text);
            w.writeEndElement();
        }
    }

    static final BlockingQueue<Consignment> booked = new ArrayBlockingQueue<>(200);
    static final LongAdder invoices = new LongAdder();
    static final LongAdder volume = new LongAdder();
    static final LongAdder sums = new LongAdder();

    static Consignment next(int number) {
        ThreadLocalRandom r = ThreadLocalRandom.current();
        long time = 1_790_000_000_000L + r.nextLong(5_000_000_000L);
        Consignment c = new Consignment(number, time);
        for (int i = 0; i < 3; i++) {
            long loaded = time + r.nextInt(86_400_000);
            c.legs.add(new Leg(PORTS[r.nextInt(PORTS.length)], PORTS[r.nextInt(PORTS.length)], loaded,
                    loaded + r.nextInt(400_000_000), 100 + r.nextInt(24_000), 5_000 + r.nextInt(900_000)));
        }
        return c;
    }

    static void book() {
        try {
            for (int number = 1;; number++)
                booked.put(next(number));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static void bill() {
        try {
            Bill bill = new Bill();
            CRC32 crc = new CRC32();
            while (true) {
                byte[] document = bill.write(booked.take());
                crc.reset();
                crc.update(document, 0, document.length);
                sums.add(crc.getValue());
                volume.add(document.length);
                invoices.increment();
            }
        } catch (Exception e) {
            e.printStackTrace();
        }
    }

    static void start(String name, Runnable run) {
        Thread t = new Thread(run, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        long span = Long.getLong("span", 170);
        String sample = new String(new Bill().write(next(1)), StandardCharsets.UTF_8);
        if (!sample.contains("<due>"))
            throw new IllegalStateException(sample);
        start("booking", FreightBillingFeed::book);
        start("billing-1", FreightBillingFeed::bill);
        start("billing-2", FreightBillingFeed::bill);
        System.out.println("READY");
        long before = System.nanoTime();
        for (long s = 0; s < span; s++) {
            Thread.sleep(1000);
            long now = System.nanoTime();
            double seconds = (now - before) / 1e9;
            before = now;
            System.out.printf("measured: %.0f invoices/s, %.1f MB/s%n", invoices.sumThenReset() / seconds,
                    volume.sumThenReset() / seconds / 1e6);
        }
        System.exit(0);
    }
}
