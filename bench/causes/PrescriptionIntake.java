// SPDX-License-Identifier: Apache-2.0
// cause: PrescriptionIntake$Profile.validator has SchemaFactory.newSchema compile the XML schema of the profile anew for each prescription that PrescriptionIntake$Desk.check validates; a Schema could be compiled once and kept
// share: 70 to 90 % of the CPU time of a prescription (see the measured lines) is in newSchema; parsing, validating and booking have the rest
// expect: hot-code kind=compiled-xml frame=PrescriptionIntake$
// symptom: hot-code hot-calls hot-method endpoint-cpu
// judge: NAMED: compiling schemas (or "stylesheets, schemas and XPath expressions") anew at PrescriptionIntake$Profile.validator (or its caller Desk.check), or newSchema there. SYMPTOM ONLY: reading and writing XML (or making XML factories) for Profile.validator or Desk.check without that something is compiled; hot calls at that function; a hot method of Xerces; endpoint or thread (desk-N) that computes. WRONG: PrescriptionIntake$Ledger, the reading of the documents (Desk.medicines), GC, locks, waits, the pause of the desks, the machine, or nothing found.
// jdk: 17
// set: thirty-fifth
import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import javax.xml.XMLConstants;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import javax.xml.transform.stream.StreamSource;
import javax.xml.validation.SchemaFactory;
import javax.xml.validation.Validator;
import org.xml.sax.SAXException;

/** Takes electronic prescriptions, checks each against the profile of its insurer and records what is prescribed. */
public class PrescriptionIntake {
    /** The rules of one insurer for prescriptions. */
    static final class Profile {
        private final String text;
        private final SchemaFactory factory;

        Profile(String insurer, int fields) {
            StringBuilder s = new StringBuilder("<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema' elementFormDefault='qualified'>");
            s.append("<xs:simpleType name='pzn'><xs:restriction base='xs:string'><xs:pattern value='[0-9]{8}'/></xs:restriction></xs:simpleType>");
            s.append("<xs:simpleType name='dose'><xs:restriction base='xs:decimal'><xs:minExclusive value='0'/><xs:maxInclusive value='5000'/></xs:restriction></xs:simpleType>");
            for (int i = 0; i < fields; i++) {
                s.append("<xs:simpleType name='code").append(i).append("'><xs:restriction base='xs:string'><xs:maxLength value='").append(10 + i % 7)
                 .append("'/><xs:enumeration value='none'/><xs:enumeration value='").append(insurer).append(i).append("'/></xs:restriction></xs:simpleType>");
                s.append("<xs:complexType name='note").append(i).append("'><xs:sequence><xs:element name='code' type='code").append(i)
                 .append("'/><xs:element name='text' type='xs:string' minOccurs='0'/></xs:sequence></xs:complexType>");
            }
            s.append("<xs:element name='prescription'><xs:complexType><xs:sequence><xs:element name='insurer' type='xs:string'/><xs:element name='patient' type='xs:string'/>")
             .append("<xs:element name='medicine' maxOccurs='unbounded'><xs:complexType><xs:sequence><xs:element name='pzn' type='pzn'/><xs:element name='dose' type='dose'/>")
             .append("<xs:element name='note' type='note0' minOccurs='0'/></xs:sequence></xs:complexType></xs:element>")
             .append("</xs:sequence></xs:complexType></xs:element></xs:schema>");
            text = s.toString();
            factory = SchemaFactory.newInstance(XMLConstants.W3C_XML_SCHEMA_NS_URI);
        }

        synchronized Validator validator() throws SAXException {
            return factory.newSchema(new StreamSource(new StringReader(text))).newValidator();
        }
    }

    /** What has been prescribed, by medicine. */
    static final class Ledger {
        private final Map<String, Double> doses = new TreeMap<>();

        synchronized void book(List<String[]> medicines) {
            for (String[] medicine : medicines) {
                doses.merge(medicine[0], Double.parseDouble(medicine[1]), Double::sum);
            }
            while (doses.size() > 5_000) {
                doses.remove(doses.keySet().iterator().next());
            }
        }
    }

    /** A desk at which prescriptions arrive. */
    static final class Desk implements Runnable {
        private static final String[] NAMES = {"aok", "tk", "bkk"};
        private final Map<String, Profile> profiles = new TreeMap<>();
        private final XMLInputFactory readers = XMLInputFactory.newInstance();
        private final Ledger ledger;
        private final Random random;
        final AtomicLong done = new AtomicLong(), nanos = new AtomicLong(), making = new AtomicLong();

        Desk(int number, Ledger ledger) {
            this.ledger = ledger;
            this.random = new Random(number);
            for (String name : NAMES) {
                profiles.put(name, new Profile(name, 45));
            }
        }

        @Override public void run() {
            try {
                for (;;) {
                    String document = arrive();
                    long begin = System.nanoTime();
                    try {
                        List<String[]> medicines = medicines(document);
                        check(document, medicines.remove(0)[0]);
                        ledger.book(medicines);
                        done.incrementAndGet();
                    } catch (SAXException | XMLStreamException | IOException e) {
                        System.out.println("refused: " + e);
                    }
                    nanos.addAndGet(System.nanoTime() - begin);
                    Thread.sleep(3);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private String arrive() {
            String insurer = NAMES[random.nextInt(NAMES.length)];
            StringBuilder s = new StringBuilder("<prescription><insurer>").append(insurer).append("</insurer><patient>X").append(random.nextInt(100_000)).append("</patient>");
            for (int i = 1 + random.nextInt(6); i > 0; i--) {
                s.append("<medicine><pzn>").append(10_000_000 + random.nextInt(4_000)).append("</pzn><dose>").append(1 + random.nextInt(900) / 10.0)
                 .append("</dose><note><code>none</code><text>after meals</text></note></medicine>");
            }
            return s.append("</prescription>").toString();
        }

        private void check(String document, String insurer) throws SAXException, IOException {
            long begin = System.nanoTime();
            Validator validator = profiles.get(insurer).validator();
            making.addAndGet(System.nanoTime() - begin);
            validator.validate(new StreamSource(new StringReader(document)));
        }

        private List<String[]> medicines(String document) throws XMLStreamException {
            List<String[]> list = new ArrayList<>();
            XMLStreamReader reader = readers.createXMLStreamReader(new StringReader(document));
            String pzn = null;
            while (reader.hasNext()) {
                if (reader.next() == XMLStreamReader.START_ELEMENT) {
                    switch (reader.getLocalName()) {
                        case "insurer" -> list.add(0, new String[] {reader.getElementText()});
                        case "pzn" -> pzn = reader.getElementText();
                        case "dose" -> list.add(new String[] {pzn, reader.getElementText()});
                        default -> { }
                    }
                }
            }
            reader.close();
            return list;
        }
    }

    public static void main(String[] args) throws Exception {
        Ledger ledger = new Ledger();
        Desk[] desks = {new Desk(1, ledger), new Desk(2, ledger)};
        for (int i = 0; i < desks.length; i++) {
            new Thread(desks[i], "desk-" + i).start();
        }
        boolean ready = false;
        long sofar = 0;
        for (int second = 1;; second++) {
            Thread.sleep(1000);
            long done = 0, nanos = 0, making = 0;
            for (Desk desk : desks) {
                done += desk.done.getAndSet(0);
                nanos += desk.nanos.getAndSet(0);
                making += desk.making.getAndSet(0);
            }
            sofar += done;
            if (!ready && second >= 5 && sofar >= 1500) {
                ready = true;
                System.out.println("READY");
            }
            System.out.printf("measured: %d prescriptions, %.2f ms each, %.0f %% of that to get the validator%n", done, nanos / 1e6 / Math.max(1, done), 100.0 * making / Math.max(1, nanos));
            System.out.flush();
        }
    }
}
