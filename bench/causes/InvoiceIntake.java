// SPDX-License-Identifier: Apache-2.0
// cause: readItem evaluates four XPath texts per item of an invoice: each compiles it and builds a DTM of the DOM
// expect: hot-code kind=xml frame=InvoiceIntake
// symptom: gc-pauses gc-cpu waiting
// share: 1150 invoices/s against 29300 fixed (97% of the work is reading the items)
// judge: right: InvoiceIntake.field/readItem calls XPath.evaluate(text, node) for each field of each item
// judge: symptom: CPU in DOM2DTM / XPathParser / the JDK's XML internals, or allocation, without our call
// judge: wrong: parsing XML (DocumentBuilder.parse), BigDecimal, the queue, or GC is the cause
// jdk: 11
// set: fourteenth
import java.io.ByteArrayInputStream;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPath;
import javax.xml.xpath.XPathExpressionException;
import javax.xml.xpath.XPathFactory;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;

/** Takes in suppliers' invoices (XML), checks the totals and posts the amounts by cost centre. */
public class InvoiceIntake {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final BlockingQueue<byte[]> inbox = new ArrayBlockingQueue<>(8);
    static final Map<String, BigDecimal> booked = new ConcurrentHashMap<>();
    static final AtomicLong done = new AtomicLong();
    static final AtomicLong rejected = new AtomicLong();
    static final AtomicLong parseNanos = new AtomicLong();
    static final AtomicLong readNanos = new AtomicLong();

    static final class Item {
        String sku;
        String centre;
        int quantity;
        BigDecimal price;
    }

    static byte[] invoice(Random r, int number) {
        int items = 5 + r.nextInt(20);
        BigDecimal total = BigDecimal.ZERO;
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < items; i++) {
            int quantity = 1 + r.nextInt(20);
            BigDecimal price = BigDecimal.valueOf(100 + r.nextInt(90_000), 2);
            total = total.add(price.multiply(BigDecimal.valueOf(quantity)));
            lines.append("  <item line=\"").append(i + 1).append("\">\n    <sku>A-").append(r.nextInt(99999))
                    .append("</sku>\n    <text>Spare part, see the delivery note</text>\n    <quantity>")
                    .append(quantity).append("</quantity>\n    <price currency=\"EUR\">").append(price)
                    .append("</price>\n    <centre>K").append(100 + r.nextInt(60))
                    .append("</centre>\n  </item>\n");
        }
        String xml = "<?xml version=\"1.0\"?>\n<invoice number=\"" + number + "\">\n <supplier>Hansen &amp; Co"
                + "</supplier>\n <items>\n" + lines + " </items>\n <total>" + total + "</total>\n</invoice>\n";
        return xml.getBytes(StandardCharsets.UTF_8);
    }

    static final class Clerk extends Thread {
        final DocumentBuilder builder;
        final XPath xpath = XPathFactory.newInstance().newXPath();

        Clerk(int n) throws Exception {
            super("clerk-" + n);
            builder = DocumentBuilderFactory.newInstance().newDocumentBuilder();
        }

        String field(Element item, String name) throws XPathExpressionException {
            if (FIXED) {
                for (Node n = item.getFirstChild(); n != null; n = n.getNextSibling()) {
                    if (n.getNodeName().equals(name)) return n.getTextContent();
                }
                return "";
            }
            return xpath.evaluate(name, item);
        }

        Item readItem(Element e) throws XPathExpressionException {
            Item item = new Item();
            item.sku = field(e, "sku");
            item.quantity = Integer.parseInt(field(e, "quantity"));
            item.price = new BigDecimal(field(e, "price"));
            item.centre = field(e, "centre");
            return item;
        }

        void take(byte[] xml) throws Exception {
            long t0 = System.nanoTime();
            Document doc = builder.parse(new ByteArrayInputStream(xml));
            long t1 = System.nanoTime();
            NodeList nodes = doc.getElementsByTagName("item");
            Map<String, BigDecimal> byCentre = new HashMap<>();
            BigDecimal sum = BigDecimal.ZERO;
            for (int i = 0, n = nodes.getLength(); i < n; i++) {
                Item item = readItem((Element) nodes.item(i));
                BigDecimal amount = item.price.multiply(BigDecimal.valueOf(item.quantity));
                sum = sum.add(amount);
                byCentre.merge(item.centre, amount, BigDecimal::add);
            }
            String total = doc.getElementsByTagName("total").item(0).getTextContent();
            if (sum.compareTo(new BigDecimal(total)) != 0) {
                rejected.incrementAndGet();
            } else {
                byCentre.forEach((c, a) -> booked.merge(c, a.setScale(2, RoundingMode.HALF_UP), BigDecimal::add));
            }
            done.incrementAndGet();
            parseNanos.addAndGet(t1 - t0);
            readNanos.addAndGet(System.nanoTime() - t1);
        }

        @Override public void run() {
            try {
                while (true) take(inbox.take());
            } catch (Exception e) {
                e.printStackTrace();
                System.exit(1);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Random r = new Random(5);
        byte[][] samples = new byte[50][];
        for (int i = 0; i < samples.length; i++) samples[i] = invoice(r, 70_000 + i);
        for (int i = 0; i < 2; i++) {
            Clerk c = new Clerk(i);
            c.setDaemon(true);
            c.start();
        }
        System.out.println("READY");
        long last = System.nanoTime();
        for (int i = 0; ; i++) {
            inbox.put(samples[i % samples.length]);
            long now = System.nanoTime();
            if (now - last >= 1_000_000_000L) {
                long p = parseNanos.getAndSet(0);
                long q = readNanos.getAndSet(0);
                System.out.printf("measured: %.0f invoices/s, %d rejected, reading items %.0f%% of the work%n",
                        done.getAndSet(0) * 1e9 / (now - last), rejected.get(), 100.0 * q / Math.max(1, p + q));
                last = now;
            }
        }
    }
}
