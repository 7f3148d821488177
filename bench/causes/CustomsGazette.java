// SPDX-License-Identifier: Apache-2.0
// healthy: a translator of XML messages: each declaration comes as XML, is read once by a streaming parser (one factory for all), checked, and written as lines for the next system. Reading XML is what the program is for, it is done once for each message, and it keeps up with them with time to spare
// share: by its own figures it works some 15 to 40 % of the time of one thread and is at rest for the rest; some 80 % of its work is reading XML, each message of some 12 KB in well under a millisecond
// judge: RIGHT: nothing stands out, or neutral statements that its CPU time goes to reading XML for CustomsGazette$DeclarationReader.read. WRONG: an accusation of XML as a fault (as done too often, factories made anew, stylesheets compiled anew), the rest of the translator's thread, the queue, collections, building strings
// jdk: 25
// set: thirty-second
// jvm: -Xmx512m
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/** Translates customs declarations from XML to the records of the tariff office. */
public class CustomsGazette {

    static final LongAdder DONE = new LongAdder();
    static final LongAdder READING = new LongAdder();
    static final LongAdder WORKING = new LongAdder();
    static final LongAdder AGE = new LongAdder();

    record Message(byte[] bytes, long at) {
    }

    record Item(String code, String origin, int pieces, double kilos, long cents) {
    }

    record Declaration(String number, String declarant, List<Item> items) {
    }

    static final class DeclarationReader {
        private final XMLInputFactory factory;

        DeclarationReader() {
            factory = XMLInputFactory.newFactory();
            factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
            factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        }

        Declaration read(byte[] bytes) throws XMLStreamException {
            XMLStreamReader in = factory.createXMLStreamReader(new ByteArrayInputStream(bytes), "UTF-8");
            try {
                String number = null, declarant = null;
                List<Item> items = new ArrayList<>();
                while (in.hasNext()) {
                    if (in.next() != XMLStreamConstants.START_ELEMENT) continue;
                    switch (in.getLocalName()) {
                        case "declaration" -> number = in.getAttributeValue(null, "number");
                        case "declarant" -> declarant = in.getElementText();
                        case "item" -> items.add(item(in));
                        default -> { }
                    }
                }
                return new Declaration(number, declarant, items);
            } finally {
                in.close();
            }
        }

        private Item item(XMLStreamReader in) throws XMLStreamException {
            String code = in.getAttributeValue(null, "code"), origin = "";
            int pieces = 0;
            double kilos = 0;
            long cents = 0;
            while (in.nextTag() == XMLStreamConstants.START_ELEMENT) {
                String name = in.getLocalName(), text = in.getElementText();
                switch (name) {
                    case "origin" -> origin = text;
                    case "pieces" -> pieces = Integer.parseInt(text);
                    case "kilos" -> kilos = Double.parseDouble(text);
                    case "cents" -> cents = Long.parseLong(text);
                    default -> { }
                }
            }
            return new Item(code, origin, pieces, kilos, cents);
        }
    }

    /** Duties by the goods' code, and what was declared of each. */
    static final class Tariff {
        private final Map<String, Integer> perMille = new HashMap<>();
        private final Map<String, Long> declared = new HashMap<>();

        Tariff() {
            Random random = new Random(17);
            for (int code = 1000; code < 3000; code++) perMille.put("HS" + code, random.nextInt(170));
        }

        long duty(Item item) {
            declared.merge(item.code(), item.cents(), Long::sum);
            return Math.round(item.cents() * perMille.getOrDefault(item.code(), 0) / 1000.0);
        }
    }

    static final class Translator implements Runnable {
        private final BlockingQueue<Message> inbox;
        private final DeclarationReader reader = new DeclarationReader();
        private final Tariff tariff = new Tariff();
        private final StringBuilder record = new StringBuilder();
        private long written;

        Translator(BlockingQueue<Message> inbox) {
            this.inbox = inbox;
        }

        private void write(Declaration declaration) {
            record.setLength(0);
            long sum = 0;
            for (Item item : declaration.items()) {
                long duty = tariff.duty(item);
                sum += duty;
                record.append(declaration.number()).append('|').append(item.code()).append('|').append(item.origin()).append('|')
                        .append(item.pieces()).append('|').append(Math.round(item.kilos() * 10)).append('|').append(duty).append('\n');
            }
            record.append(declaration.number()).append('|').append(declaration.declarant()).append('|').append(sum).append('\n');
            written += record.toString().getBytes(StandardCharsets.UTF_8).length;
        }

        @Override
        public void run() {
            while (true) {
                try {
                    Message message = inbox.take();
                    long begin = System.nanoTime();
                    Declaration declaration = reader.read(message.bytes());
                    long read = System.nanoTime();
                    write(declaration);
                    long end = System.nanoTime();
                    READING.add(read - begin);
                    WORKING.add(end - begin);
                    AGE.add(end - message.at());
                    DONE.increment();
                } catch (XMLStreamException e) {
                    System.err.println("declaration refused: " + e.getMessage());
                } catch (InterruptedException e) {
                    return;
                }
            }
        }
    }

    static byte[] declaration(Random random, int number) {
        String[] origins = {"NO", "CH", "TR", "JP", "BR", "VN", "ZA"};
        StringBuilder xml = new StringBuilder("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<declaration number=\"D" + number
                + "\">\n  <declarant>Forwarder " + random.nextInt(300) + "</declarant>\n");
        for (int i = 20 + random.nextInt(120); i > 0; i--)
            xml.append("  <item code=\"HS").append(1000 + random.nextInt(2000)).append("\">\n    <origin>").append(origins[random.nextInt(7)])
                    .append("</origin>\n    <pieces>").append(1 + random.nextInt(400)).append("</pieces>\n    <kilos>")
                    .append(random.nextInt(9000) / 10.0).append("</kilos>\n    <cents>").append(random.nextInt(5_000_000)).append("</cents>\n  </item>\n");
        return xml.append("</declaration>\n").toString().getBytes(StandardCharsets.UTF_8);
    }

    public static void main(String[] args) throws Exception {
        Random random = new Random(23);
        List<byte[]> post = new ArrayList<>();
        for (int i = 0; i < 400; i++) post.add(declaration(random, 70_000 + i));
        BlockingQueue<Message> inbox = new ArrayBlockingQueue<>(500);
        Thread.ofPlatform().name("translator").start(new Translator(inbox));
        for (int i = 0; i < 3000; i++) inbox.put(new Message(post.get(i % 400), System.nanoTime()));
        while (DONE.sum() < 3000) Thread.sleep(20);
        long each = Math.max(50_000, WORKING.sum() / 3000 / 2);
        Thread.ofPlatform().name("post").start(() -> {
            try {
                while (true) {
                    for (long i = random.nextInt((int) Math.max(2, 6_000_000 / each)); i >= 0; i--)
                        inbox.put(new Message(post.get(random.nextInt(400)), System.nanoTime()));
                    TimeUnit.MILLISECONDS.sleep(10);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        System.out.println("READY");
        System.out.flush();
        while (true) {
            DONE.reset();
            READING.reset();
            WORKING.reset();
            AGE.reset();
            long begin = System.nanoTime();
            Thread.sleep(1000);
            long n = Math.max(1, DONE.sum());
            System.out.printf("measured: %d declarations, %.3f ms each to read, %.1f ms from post to record; at work %.0f %% of the time, %.0f %% of it reading; %d wait%n",
                    n, READING.sum() / 1e6 / n, AGE.sum() / 1e6 / n, 100.0 * WORKING.sum() / (System.nanoTime() - begin),
                    100.0 * READING.sum() / Math.max(1, WORKING.sum()), inbox.size());
        }
    }
}
