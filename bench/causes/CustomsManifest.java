// SPDX-License-Identifier: Apache-2.0
// cause: FieldReader.read obtains a new XPathFactory (XPathFactory.newInstance, a service-provider lookup over the class path) and a new XPath for every single field of every manifest instead of keeping one XPath per thread.
// share: throughput about 440 manifests/s, fixed about 900 (means after warm-up, both run side by side on a busy machine)
// judge: NAMED only if the finding says that FieldReader.read (or its callers ManifestParser.parse / "the XPath field extraction") creates the XPathFactory/XPath anew for each field or message, or that the ServiceLoader / provider lookup of XPathFactory.newInstance is repeated per call. "XPath or XML parsing is hot", "class-loader / jar / file access is hot" or "high allocation" without the repeated creation is a symptom. Blaming the DOM parser, the duty table, the queue or the GC is wrong.
// expect: hot-code kind=factories frame=FieldReader.read
// symptom: hot-code gc-pauses gc-cpu
// jdk: 8
// set: seventeenth
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import javax.xml.parsers.*;
import javax.xml.xpath.*;
import org.w3c.dom.Document;

public class CustomsManifest {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final AtomicLong cleared = new AtomicLong();
    static final DoubleAdder dutyTotal = new DoubleAdder();

    public static void main(String[] args) throws Exception {
        BlockingQueue<byte[]> inbox = new ArrayBlockingQueue<>(64);
        Thread gate = new Thread(new PortGate(inbox), "port-gate");
        gate.setDaemon(true);
        gate.start();
        DutyTable table = new DutyTable();
        Thread clerk = new Thread(new ClearanceClerk(inbox, new ManifestParser(), table), "clearance-clerk");
        clerk.setDaemon(true);
        clerk.start();
        System.out.println("READY");
        long last = 0;
        for (int s = 0; s < 200; s++) {
            Thread.sleep(1000);
            long now = cleared.get();
            System.out.printf("measured: %d manifests/s, duty %.0f%n", now - last, dutyTotal.sum());
            last = now;
        }
    }
}

class Manifest {
    final String number, tariff, origin;
    final double weight, value;
    Manifest(String number, String tariff, String origin, double weight, double value) {
        this.number = number;
        this.tariff = tariff;
        this.origin = origin;
        this.weight = weight;
        this.value = value;
    }
}

class PortGate implements Runnable {
    private final BlockingQueue<byte[]> inbox;
    private final Random random = new Random(7);
    PortGate(BlockingQueue<byte[]> inbox) { this.inbox = inbox; }

    public void run() {
        try {
            for (long n = 1; ; n++) inbox.put(render(n));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private byte[] render(long n) {
        StringBuilder sb = new StringBuilder(600);
        sb.append("<manifest><number>").append(n).append("</number><cargo><tariff>T")
          .append(random.nextInt(500)).append("</tariff><origin>O").append(random.nextInt(60))
          .append("</origin><weight>").append(random.nextInt(9000)).append("</weight><value>")
          .append(random.nextInt(90000)).append("</value></cargo><remarks>");
        for (int i = 0; i < 3; i++) sb.append("<line no='").append(i).append("'>sealed, inspected at gate ").append(random.nextInt(12)).append("</line>");
        return sb.append("</remarks></manifest>").toString().getBytes(StandardCharsets.UTF_8);
    }
}

class FieldReader {
    private final ThreadLocal<XPath> kept = ThreadLocal.withInitial(() -> XPathFactory.newInstance().newXPath());

    String read(Document doc, String path) throws XPathExpressionException {
        XPath xpath = CustomsManifest.FIXED ? kept.get() : XPathFactory.newInstance().newXPath();
        return xpath.evaluate(path, doc);
    }
}

class ManifestParser {
    private final DocumentBuilder builder;
    private final FieldReader fields = new FieldReader();

    ManifestParser() throws ParserConfigurationException {
        builder = DocumentBuilderFactory.newInstance().newDocumentBuilder();
    }

    Manifest parse(byte[] raw) throws Exception {
        Document doc = builder.parse(new ByteArrayInputStream(raw));
        return new Manifest(fields.read(doc, "/manifest/number"),
                fields.read(doc, "/manifest/cargo/tariff"),
                fields.read(doc, "/manifest/cargo/origin"),
                Double.parseDouble(fields.read(doc, "/manifest/cargo/weight")),
                Double.parseDouble(fields.read(doc, "/manifest/cargo/value")));
    }
}

class DutyTable {
    private final Map<String, Double> rates = new HashMap<>();
    DutyTable() {
        for (int i = 0; i < 500; i++) rates.put("T" + i, 0.01 + (i % 23) / 100.0);
    }
    double duty(Manifest m) {
        double base = m.value * rates.getOrDefault(m.tariff, 0.05);
        return m.origin.endsWith("0") ? base * 0.5 : base + m.weight * 0.002;
    }
}

class ClearanceClerk implements Runnable {
    private final BlockingQueue<byte[]> inbox;
    private final ManifestParser parser;
    private final DutyTable table;
    ClearanceClerk(BlockingQueue<byte[]> inbox, ManifestParser parser, DutyTable table) {
        this.inbox = inbox;
        this.parser = parser;
        this.table = table;
    }
    public void run() {
        try {
            while (true) {
                Manifest m = parser.parse(inbox.take());
                CustomsManifest.dutyTotal.add(table.duty(m));
                CustomsManifest.cleared.incrementAndGet();
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
