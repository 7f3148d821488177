// SPDX-License-Identifier: Apache-2.0
// healthy: growers' lists come as XML, each is read once, as a stream (StAX) by a factory that is kept, and answered by a short XML receipt; reading what comes in is what the program is for, some hundred lists a second; it uses 0.1 to 0.4 of 2 CPUs, about half of that for XML and the rest for testing and ranking seed lots, and nobody waits
// share: nothing to name; a list takes some 0.3 ms of CPU time in all, about half of it XML, as measured
// judge: NAMED: no fault (nothing stands out; or only neutral remarks that CPU time goes to reading XML in SeedExchange$ListReader.read or to ranking). SYMPTOM ONLY: none. WRONG: any accusation: XML as a fault, factories made anew (they are kept), compiled stylesheets or XPath (there are none), collections, locks, queues.
// jdk: 21
// set: thirty-fourth
// jvm: -Xmx256m
import java.io.*;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.LongAdder;
import javax.xml.stream.*;

/** An exchange of seeds: growers send lists of lots as XML, the exchange tests and ranks them and sends receipts. */
public class SeedExchange {
    static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    static final LongAdder reading = new LongAdder(), all = new LongAdder(), lists = new LongAdder(), refused = new LongAdder();

    record Lot(String variety, String grower, int year, int grams, int sown, int sprouted, double moisture) {}
    record Listing(String number, List<Lot> lots) {}

    /** Reads a grower's list, one lot after another. */
    static final class ListReader {
        private final XMLInputFactory factory = XMLInputFactory.newInstance();

        ListReader() {
            factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
            factory.setProperty(XMLInputFactory.IS_COALESCING, true);
        }

        Listing read(InputStream in) throws XMLStreamException {
            XMLStreamReader xml = factory.createXMLStreamReader(in, "UTF-8");
            String number = "", grower = "", variety = "";
            int year = 0, grams = 0, sown = 0, sprouted = 0;
            double moisture = 0;
            List<Lot> lots = new ArrayList<>();
            while (xml.hasNext()) {
                int event = xml.next();
                if (event == XMLStreamConstants.START_ELEMENT) {
                    switch (xml.getLocalName()) {
                        case "list" -> { number = xml.getAttributeValue(null, "number"); grower = xml.getAttributeValue(null, "grower"); }
                        case "lot" -> { year = Integer.parseInt(xml.getAttributeValue(null, "year")); grams = Integer.parseInt(xml.getAttributeValue(null, "grams")); }
                        case "variety" -> variety = xml.getElementText().strip();
                        case "sown" -> sown = Integer.parseInt(xml.getElementText());
                        case "sprouted" -> sprouted = Integer.parseInt(xml.getElementText());
                        case "moisture" -> moisture = Double.parseDouble(xml.getElementText());
                        default -> { }
                    }
                } else if (event == XMLStreamConstants.END_ELEMENT && xml.getLocalName().equals("lot")) {
                    lots.add(new Lot(variety, grower, year, grams, sown, sprouted, moisture));
                }
            }
            xml.close();
            return new Listing(number, lots);
        }
    }

    /** Says whether a lot germinates well enough, with how much certainty. */
    static final class Tester {
        private final double[] logFactorial = new double[2001];

        Tester() { for (int i = 1; i < logFactorial.length; i++) logFactorial[i] = logFactorial[i - 1] + Math.log(i); }

        /** The chance of so few seedlings if the lot were no worse than the norm. */
        double chance(Lot lot, double norm) {
            double sum = 0;
            for (int k = lot.sprouted(); k >= 0; k--) {
                double term = Math.exp(logFactorial[lot.sown()] - logFactorial[k] - logFactorial[lot.sown() - k]
                    + k * Math.log(norm) + (lot.sown() - k) * Math.log1p(-norm));
                sum += term;
                if (term < 1e-7 && k < lot.sown() * norm) break;
            }
            return Math.min(1, sum);
        }
    }

    /** The best offers for each variety. */
    static final class Offers {
        private final Map<String, TreeMap<Double, Lot>> best = new ConcurrentHashMap<>();

        void add(Lot lot, double chance) {
            TreeMap<Double, Lot> offers = best.computeIfAbsent(lot.variety(), k -> new TreeMap<>());
            synchronized (offers) {
                offers.put(chance * lot.grams() / (1 + lot.moisture()), lot);
                if (offers.size() > 30) offers.pollFirstEntry();
            }
        }
    }

    static final class Office {
        private final ListReader reader = new ListReader();
        private final XMLOutputFactory receipts = XMLOutputFactory.newInstance();
        private final Tester tester = new Tester();
        private final Offers offers;
        private long sent;

        Office(Offers offers) { this.offers = offers; }

        void take(byte[] document) {
            try {
                long begin = THREADS.getCurrentThreadCpuTime();
                Listing list = reader.read(new ByteArrayInputStream(document));
                reading.add(THREADS.getCurrentThreadCpuTime() - begin);
                int good = 0;
                for (Lot lot : list.lots()) {
                    double chance = tester.chance(lot, 0.82);
                    if (chance > 0.05 && lot.moisture() < 14) { offers.add(lot, chance); good++; }
                }
                sent += receipt(list, good).length;
                all.add(THREADS.getCurrentThreadCpuTime() - begin);
                lists.increment();
            } catch (XMLStreamException | NumberFormatException e) {
                refused.increment();
            }
        }

        private byte[] receipt(Listing list, int good) throws XMLStreamException {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream(256);
            XMLStreamWriter xml = receipts.createXMLStreamWriter(bytes, "UTF-8");
            xml.writeStartDocument();
            xml.writeStartElement("receipt");
            xml.writeAttribute("list", list.number());
            xml.writeAttribute("good", Integer.toString(good));
            xml.writeAttribute("of", Integer.toString(list.lots().size()));
            xml.writeEndElement();
            xml.writeEndDocument();
            xml.close();
            return bytes.toByteArray();
        }
    }

    /** A list as a grower's program writes it. */
    static byte[] written(int number, Random random) {
        StringBuilder xml = new StringBuilder("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<list number=\"L" + number + "\" grower=\"G" + random.nextInt(400) + "\">\n");
        for (int i = 20 + random.nextInt(40); i > 0; i--) {
            int sown = 200 + random.nextInt(300);
            xml.append("  <lot year=\"").append(2018 + random.nextInt(8)).append("\" grams=\"").append(5 + random.nextInt(900)).append("\">\n    <variety>")
               .append(new String[] {"Bean", "Pea", "Kale", "Leek", "Beet"}[random.nextInt(5)]).append(" no. ").append(random.nextInt(40)).append("</variety>\n    <sown>").append(sown)
               .append("</sown>\n    <sprouted>").append((int) (sown * (0.7 + random.nextDouble() * 0.25))).append("</sprouted>\n    <moisture>")
               .append(8 + random.nextInt(80) / 10.0).append("</moisture>\n    <note>kept &amp; dried in shade</note>\n  </lot>\n");
        }
        return xml.append("</list>\n").toString().getBytes(StandardCharsets.UTF_8);
    }

    public static void main(String[] args) throws Exception {
        var os = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        List<byte[]> mail = new ArrayList<>();
        Random random = new Random(8);
        for (int i = 0; i < 300; i++) mail.add(written(i, random));
        Offers offers = new Offers();
        ScheduledExecutorService offices = Executors.newScheduledThreadPool(2);
        for (int i = 0; i < 2; i++) {
            Office office = new Office(offers);
            Random post = new Random(i);
            offices.scheduleWithFixedDelay(() -> { for (int n = 3 + post.nextInt(5); n > 0; n--) office.take(mail.get(post.nextInt(mail.size()))); }, 5, 12, TimeUnit.MILLISECONDS);
        }
        long cpu = os.getProcessCpuTime(), time = System.nanoTime(), read = 0, done = 0, took = 0;
        for (int second = 1; ; second++) {
            Thread.sleep(1000);
            long c = os.getProcessCpuTime(), t = System.nanoTime(), r = reading.sum(), d = lists.sum(), a = all.sum();
            System.out.printf(Locale.ROOT, "measured: %d lists/s, %.2f CPUs, %d us CPU for each, %.0f %% of the process's CPU time to read XML, %d refused%n",
                (d - done) * 1_000_000_000L / (t - time), (c - cpu) / (double) (t - time), (a - took) / 1000 / Math.max(1, d - done),
                100.0 * (r - read) / Math.max(1, c - cpu), refused.sum());
            cpu = c; time = t; read = r; done = d; took = a;
            if (second == 4) System.out.println("READY");
            System.out.flush();
        }
    }
}
