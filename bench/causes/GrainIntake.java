// SPDX-License-Identifier: Apache-2.0
// cause: each of the eight steps of GrainIntake takes a delivery note as text and gives it back as text: GrainIntake$Step.apply parses the whole XML document (GrainIntake$NoteXml.parse) and writes it again (GrainIntake$NoteXml.format) for a few numbers that it changes, eight times a note, in place of once
// share: 82 to 89 % of the time of a note (1.6 to 2.8 of 1.9 to 3.4 ms) is XML; by JFR 40 % of CPU samples are in or below NoteXml.parse and 49 % in or below NoteXml.format; no factories among them; 0.7 CPUs on a crowded machine (more where there is room)
// expect: hot-code frame=GrainIntake$NoteXml
// symptom: hot-method hot-calls
// judge: NAMED: reading and writing (parsing, serialising) XML at or for GrainIntake$NoteXml.parse or GrainIntake$NoteXml.format, or called from GrainIntake$Step.apply. Also NAMED if it adds that collections follow from it. SYMPTOM ONLY: "computes in NoteXml.parse / format / Step.apply" without XML; a hot method of com.sun.org.apache.xerces or xalan without the program's place; only collections or allocation; only that the workers are busy. WRONG: that factories are made anew or stylesheets compiled anew (builder and transformer are made once for each thread) as the only cause; anything else as the first fault (queue, locks, threads, the steps' arithmetic).
// jdk: 21
// set: thirty-first
import java.io.StringReader;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.LongAdder;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.transform.Transformer;
import javax.xml.transform.TransformerFactory;
import javax.xml.transform.dom.DOMSource;
import javax.xml.transform.stream.StreamResult;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.xml.sax.InputSource;

public class GrainIntake {
    static final LongAdder notes = new LongAdder(), xmlNanos = new LongAdder(), noteNanos = new LongAdder(), paidCents = new LongAdder();

    static final class NoteXml {
        private final DocumentBuilder builder;
        private final Transformer writer;
        NoteXml() {
            try {
                builder = DocumentBuilderFactory.newInstance().newDocumentBuilder();
                writer = TransformerFactory.newInstance().newTransformer();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
        Document parse(String text) {
            long begin = System.nanoTime();
            try {
                return builder.parse(new InputSource(new StringReader(text)));
            } catch (Exception e) {
                throw new IllegalArgumentException("not a delivery note", e);
            } finally {
                xmlNanos.add(System.nanoTime() - begin);
            }
        }
        String format(Document note) {
            long begin = System.nanoTime();
            try {
                StringWriter out = new StringWriter(16384);
                writer.transform(new DOMSource(note), new StreamResult(out));
                return out.toString();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            } finally {
                xmlNanos.add(System.nanoTime() - begin);
            }
        }
    }

    /** One department's part of the work: it gets a note, and passes it on. */
    abstract static class Step {
        private final NoteXml xml;
        Step(NoteXml xml) { this.xml = xml; }
        abstract void load(Element load);
        void finish(Element note) { }
        final String apply(String text) {
            Document note = xml.parse(text);
            Element root = note.getDocumentElement();
            for (Node n = root.getFirstChild(); n != null; n = n.getNextSibling()) if (n instanceof Element) load((Element) n);
            finish(root);
            return xml.format(note);
        }
        static int number(Element e, String name) {
            String s = e.getAttribute(name);
            return s.isEmpty() ? 0 : Integer.parseInt(s);
        }
        static void set(Element e, String name, int value) { e.setAttribute(name, Integer.toString(value)); }
    }

    static List<Step> steps() {
        NoteXml xml = new NoteXml();
        List<Step> steps = new ArrayList<>();
        steps.add(new Step(xml) { void load(Element l) { set(l, "net", number(l, "gross") - number(l, "tare")); } });
        steps.add(new Step(xml) { void load(Element l) { set(l, "dry", number(l, "net") * (1000 - Math.max(0, number(l, "moisture") - 145)) / 1000); } });
        steps.add(new Step(xml) { void load(Element l) { set(l, "clean", number(l, "dry") * (1000 - number(l, "dockage")) / 1000); } });
        steps.add(new Step(xml) { void load(Element l) { l.setAttribute("grade", number(l, "protein") > 130 ? "E" : number(l, "protein") > 115 ? "A" : "B"); } });
        steps.add(new Step(xml) { void load(Element l) { set(l, "price", l.getAttribute("grade").equals("E") ? 24 : l.getAttribute("grade").equals("A") ? 22 : 19); } });
        steps.add(new Step(xml) { void load(Element l) { set(l, "silo", number(l, "ticket") % 14); } });
        steps.add(new Step(xml) {
            private int sum;
            void load(Element l) {
                int cents = number(l, "clean") * number(l, "price");
                set(l, "cents", cents);
                sum += cents;
            }
            void finish(Element note) {
                set(note, "total", sum);
                sum = 0;
            }
        });
        steps.add(new Step(xml) {
            void load(Element l) { l.removeAttribute("tare"); }
            void finish(Element note) { paidCents.add(number(note, "total")); }
        });
        return steps;
    }

    static final class Weighbridge {
        private final Random random;
        private int ticket;
        Weighbridge(long seed) { random = new Random(seed); }
        String note() {
            StringBuilder s = new StringBuilder(8192).append("<note farmer=\"F").append(random.nextInt(400)).append("\" crop=\"wheat\">");
            for (int i = 0; i < 40; i++) {
                s.append("<load ticket=\"").append(++ticket).append("\" gross=\"").append(18000 + random.nextInt(20000)).append("\" tare=\"").append(9000 + random.nextInt(3000))
                        .append("\" moisture=\"").append(120 + random.nextInt(60)).append("\" protein=\"").append(100 + random.nextInt(45)).append("\" dockage=\"").append(random.nextInt(30))
                        .append("\"><driver>D. Miller</driver><plate>HN-K ").append(random.nextInt(9000)).append("</plate></load>");
            }
            return s.append("</note>").toString();
        }
    }

    static final class Worker implements Runnable {
        private final Weighbridge bridge;
        private final List<Step> steps = steps();
        Worker(Weighbridge bridge) { this.bridge = bridge; }
        void settle(String note) {
            long begin = System.nanoTime();
            String text = note;
            for (Step s : steps) text = s.apply(text);
            noteNanos.add(System.nanoTime() - begin);
            notes.increment();
        }
        public void run() {
            try {
                for (;;) {
                    for (int i = 0; i < 5; i++) settle(bridge.note());
                    Thread.sleep(8);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        for (int i = 0; i < 2; i++) new Thread(new Worker(new Weighbridge(i)), "settlement-" + i).start();
        Thread.sleep(3000);
        System.out.println("READY");
        System.out.flush();
        for (;;) {
            long n = notes.sum(), x = xmlNanos.sum(), t = noteNanos.sum();
            Thread.sleep(1000);
            long dn = Math.max(1, notes.sum() - n), dx = xmlNanos.sum() - x, dt = Math.max(1, noteNanos.sum() - t);
            System.out.printf("measured: %d notes, %.2f ms each, of which XML %.2f ms (%.0f %%): 8 times parsed and written%n", dn, dt / 1e6 / dn, dx / 1e6 / dn, 100.0 * dx / dt);
            System.out.flush();
        }
    }
}
