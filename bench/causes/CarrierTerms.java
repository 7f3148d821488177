// SPDX-License-Identifier: Apache-2.0
// cause: CarrierTerms$TermsReader.read parses the carrier's whole XML document to a DOM for each lane that is looked up (three times a quote), though an edition changes once in twelve seconds.
// share: faulty 100 to 1490 quotes/s (mean 1166 after two seconds); fixed (lanes kept for each edition) 3.7 to 10 million quotes/s after two seconds (0.2 to 0.4 million in a busier run); on a crowded machine.
// expect: hot-code frame=CarrierTerms$TermsReader kind=xml
// symptom: hot-code hot-calls hot-method gc-cpu gc-pauses
// judge: NAMED: CPU time of XML (DocumentBuilder.parse, DOM, getElementsByTagName) for CarrierTerms$TermsReader.read / lane; parse once for each edition and keep the lanes. SYMPTOM ONLY: allocation and collections, the desks compute all the time. WRONG: making factories anew (the builder is made once for each desk), compose (once a second), the wait of main, locks.
// jdk: 11
// set: twenty-ninth
// jvm:

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/** Quotes freight by the terms that carriers send in, now and then a new edition of them. */
public class CarrierTerms {
    static final int CARRIERS = 12;
    static final int LANES = 120;
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final long SPAN = Long.getLong("span", 170);
    static final LongAdder quotes = new LongAdder();
    static final LongAdder nanos = new LongAdder();
    static final AtomicReferenceArray<Edition> editions = new AtomicReferenceArray<>(CARRIERS);

    /** The terms of a carrier as they came in. */
    static final class Edition {
        final int number;
        final byte[] text;

        Edition(int number, byte[] text) {
            this.number = number;
            this.text = text;
        }
    }

    static Edition compose(int carrier, int number) {
        Random random = new Random(carrier * 1000L + number);
        StringBuilder b = new StringBuilder("<?xml version=\"1.0\"?><terms carrier=\"c" + carrier + "\" edition=\"" + number + "\">");
        for (int i = 0; i < LANES; i++) {
            b.append("<lane id=\"").append(i).append("\"><from>DE").append(i % 40).append("</from><to>FR").append(i / 3).append("</to>");
            b.append("<rate unit=\"kg\">").append(5 + random.nextInt(90)).append("</rate><minimum>").append(900 + random.nextInt(4000));
            b.append("</minimum><surcharge kind=\"diesel\">").append(random.nextInt(12)).append("</surcharge></lane>");
        }
        return new Edition(number, b.append("</terms>").toString().getBytes(StandardCharsets.UTF_8));
    }

    /** What a lane costs. */
    static final class LaneTerms {
        final int rate;
        final int minimum;
        final int surcharge;

        LaneTerms(int rate, int minimum, int surcharge) {
            this.rate = rate;
            this.minimum = minimum;
            this.surcharge = surcharge;
        }

        long cents(int kilos) {
            long base = Math.max(minimum, (long) rate * kilos);
            return base + base * surcharge / 100;
        }
    }

    /** Looks terms up, for one desk. */
    static final class TermsReader {
        private final DocumentBuilder builder;
        private final Map<Integer, Map<Integer, LaneTerms>> known = new HashMap<>();
        private final int[] numbers = new int[CARRIERS];

        TermsReader() throws ParserConfigurationException {
            builder = DocumentBuilderFactory.newInstance().newDocumentBuilder();
        }

        LaneTerms lane(int carrier, int lane) throws SAXException, IOException {
            Edition e = editions.get(carrier);
            if (FIXED) {
                Map<Integer, LaneTerms> lanes = known.get(carrier);
                if (lanes == null || numbers[carrier] != e.number) {
                    lanes = new HashMap<>();
                    NodeList all = read(e);
                    for (int i = 0; i < all.getLength(); i++) {
                        Element x = (Element) all.item(i);
                        lanes.put(Integer.parseInt(x.getAttribute("id")), terms(x));
                    }
                    known.put(carrier, lanes);
                    numbers[carrier] = e.number;
                }
                return lanes.get(lane);
            }
            NodeList all = read(e);
            String id = String.valueOf(lane);
            for (int i = 0; i < all.getLength(); i++) {
                Element x = (Element) all.item(i);
                if (x.getAttribute("id").equals(id)) {
                    return terms(x);
                }
            }
            return null;
        }

        private NodeList read(Edition e) throws SAXException, IOException {
            Document d = builder.parse(new ByteArrayInputStream(e.text));
            return d.getDocumentElement().getElementsByTagName("lane");
        }

        private LaneTerms terms(Element lane) {
            return new LaneTerms(number(lane, "rate"), number(lane, "minimum"), number(lane, "surcharge"));
        }

        private int number(Element lane, String field) {
            return Integer.parseInt(lane.getElementsByTagName(field).item(0).getTextContent());
        }
    }

    /** Answers one customer's requests by the cheapest of three carriers. */
    static void desk(int number) {
        Random random = new Random(number);
        long total = 0;
        try {
            TermsReader reader = new TermsReader();
            while (total >= 0) {
                long start = System.nanoTime();
                int lane = random.nextInt(LANES);
                int kilos = 20 + random.nextInt(2000);
                long best = Long.MAX_VALUE;
                int first = random.nextInt(CARRIERS);
                for (int i = 0; i < 3; i++) {
                    LaneTerms t = reader.lane((first + i) % CARRIERS, lane);
                    best = Math.min(best, t.cents(kilos));
                }
                total += best;
                nanos.add(System.nanoTime() - start);
                quotes.increment();
            }
        } catch (Exception e) {
            e.printStackTrace();
        }
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < CARRIERS; i++) {
            editions.set(i, compose(i, 0));
        }
        for (int i = 0; i < 2; i++) {
            int number = i;
            Thread t = new Thread(() -> desk(number), "quote-desk-" + i);
            t.setDaemon(true);
            t.start();
        }
        System.out.println("READY");
        long end = System.nanoTime() + SPAN * 1_000_000_000L;
        long lastQuotes = 0;
        long lastNanos = 0;
        int round = 0;
        while (System.nanoTime() < end) {
            Thread.sleep(1000);
            round++;
            editions.set(round % CARRIERS, compose(round % CARRIERS, round));
            long q = quotes.sum();
            long n = nanos.sum();
            System.out.printf("measured: %d quotes/s, mean %.4f ms%n", q - lastQuotes, (n - lastNanos) / 1e6 / Math.max(1, q - lastQuotes));
            lastQuotes = q;
            lastNanos = n;
        }
        System.exit(0);
    }
}
