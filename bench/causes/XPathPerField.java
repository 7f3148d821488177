// SPDX-License-Identifier: Apache-2.0
// cause: for each field of a message an XPathFactory is looked up and an expression compiled: XPathPerField.field
// expect: hot-method frame=XPathPerField.field | hot-method caller=XPathPerField.field | hot-calls frame=XPathPerField.field | hot-code frame=XPathPerField.field | endpoint-cpu frame=XPathPerField.field
// symptom: hot-method hot-calls hot-code
// jdk: 8
// set: ninth
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.LongAdder;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPathExpressionException;
import javax.xml.xpath.XPathFactory;
import org.w3c.dom.Document;

public final class XPathPerField {
    private static final String[] FIELDS = {
        "id", "buyer", "seller", "amount", "currency", "date", "port", "terms", "note"
    };
    private static final LongAdder READING = new LongAdder();
    private static final LongAdder ALL = new LongAdder();
    private static final LongAdder MESSAGES = new LongAdder();
    private static volatile int length;

    private static byte[] message(int number) {
        return ("<order><id>" + number + "</id><buyer>b" + number % 70 + "</buyer><seller>s" + number % 9 + "</seller>"
                + "<amount>" + number * 31 % 5000 + "</amount><currency>EUR</currency><date>2024-05-02</date>"
                + "<port>Bremen</port><terms>30 days</terms><note>none</note></order>")
                .getBytes(StandardCharsets.UTF_8);
    }

    private static String field(Document document, String name) throws XPathExpressionException {
        return XPathFactory.newInstance().newXPath().compile("/order/" + name + "/text()").evaluate(document);
    }

    private static void receive(int worker) {
        try {
            DocumentBuilder parser = DocumentBuilderFactory.newInstance().newDocumentBuilder();
            for (int number = worker;; number += 2) {
                byte[] message = message(number);
                long start = System.nanoTime();
                Document document = parser.parse(new ByteArrayInputStream(message));
                long parsed = System.nanoTime();
                for (String name : FIELDS) {
                    length += field(document, name).length();
                }
                long end = System.nanoTime();
                READING.add(end - parsed);
                ALL.add(end - start);
                MESSAGES.increment();
                if (number % 20 < 2) {
                    Thread.sleep(2); // the next messages
                }
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        for (int i = 0; i < 2; i++) {
            int worker = i;
            new Thread(() -> receive(worker), "receive-" + i).start();
        }
        System.out.println("READY");
        for (;;) {
            Thread.sleep(1000);
            System.out.println("measured: " + 100 * READING.sum() / (ALL.sum() + 1) + " % of a message is field(), "
                    + READING.sum() / (MESSAGES.sum() + 1) / 1000 + " us");
        }
    }
}
