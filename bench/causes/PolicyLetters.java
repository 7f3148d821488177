// SPDX-License-Identifier: Apache-2.0
// healthy: letters of an insurer are made by stylesheets that are compiled once and kept (Templates), with a cheap newTransformer() for each letter; only when an editor publishes a form anew (one every two seconds) that one stylesheet is compiled, as it has to be; the XPath expression is compiled once; XML is a small part of the CPU time, most of which is the projection of the policies, which is what the program is for
// share: none: a letter takes 1.0 to 2.0 ms to project and 0.14 to 0.35 ms for all XML; one form is compiled every two seconds (50 to 65 ms each on average from the start), 2 to 4 % of the time; 0.35 CPUs of 2
// judge: RIGHT: nothing stands out, or only neutral sentences (CPU time is in PolicyLetters$Projection.reserve or what it calls). WRONG: compiling stylesheets, schemas or XPath expressions anew as the cause, factories anew, reading and writing XML as a fault, class loading or unloading of the compiled forms as a fault, deoptimisations, locks, a thread that is saturated, cache misses.
// jdk: 11
// set: thirty-fourth
// jvm: -Xmx256m
import java.io.StringReader;
import java.io.StringWriter;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.transform.Templates;
import javax.xml.transform.Transformer;
import javax.xml.transform.TransformerFactory;
import javax.xml.transform.dom.DOMSource;
import javax.xml.transform.stream.StreamResult;
import javax.xml.transform.stream.StreamSource;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathExpression;
import javax.xml.xpath.XPathFactory;
import org.w3c.dom.Document;
import org.w3c.dom.Element;

/** Yearly letters to the holders of pension policies. */
public class PolicyLetters {
    static final AtomicLong letters = new AtomicLong();
    static final AtomicLong compiled = new AtomicLong();
    static final AtomicLong compileNanos = new AtomicLong();
    static final AtomicLong xmlNanos = new AtomicLong();
    static final AtomicLong projectNanos = new AtomicLong();

    static final class Policy {
        final int number;
        final int age;
        final double premium;
        final String form;

        Policy(int number, Random random) {
            this.number = number;
            this.age = 25 + random.nextInt(40);
            this.premium = 50 + random.nextInt(400);
            this.form = "form-" + random.nextInt(6);
        }
    }

    /** What a policy will be worth, over many courses that interest may take. */
    static final class Projection {
        static final int COURSES = 240;
        final Random random = new Random(31);

        double reserve(Policy policy) {
            double total = 0;
            int months = 12 * (67 - policy.age);
            for (int course = 0; course < COURSES; course++) {
                double interest = 0.02;
                double capital = 0;
                for (int month = 0; month < months; month++) {
                    interest += 0.05 * (0.025 - interest) / 12 + 0.002 * (random.nextDouble() - 0.5);
                    double mortality = 0.0001 * Math.exp(0.085 * (policy.age - 20 + month / 12.0)) / 12;
                    capital = (capital * (1 + interest / 12) + policy.premium) * (1 - mortality);
                }
                total += capital;
            }
            return total / COURSES;
        }
    }

    /** The forms that editors publish, each ready for use. */
    static final class Forms {
        final TransformerFactory factory = TransformerFactory.newInstance();
        final Map<String, Templates> ready = new ConcurrentHashMap<>();
        final AtomicInteger edition = new AtomicInteger();

        synchronized void publish(String form) throws Exception {
            long start = System.nanoTime();
            ready.put(form, factory.newTemplates(new StreamSource(new StringReader(text(form, edition.incrementAndGet())))));
            compileNanos.addAndGet(System.nanoTime() - start);
            compiled.incrementAndGet();
        }

        Transformer transformer(String form) throws Exception {
            return ready.get(form).newTransformer();
        }

        static String text(String form, int edition) {
            return "<xsl:stylesheet version='1.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform'>"
                    + "<xsl:output method='text'/><xsl:template match='/policy'>" + form + "/" + edition
                    + " To the holder of policy <xsl:value-of select='@number'/>: "
                    + "<xsl:choose><xsl:when test='@age &gt; 55'>Your pension is near.</xsl:when>"
                    + "<xsl:otherwise>Here is what you have saved.</xsl:otherwise></xsl:choose> "
                    + "<xsl:apply-templates select='reserve'/></xsl:template>"
                    + "<xsl:template match='reserve'>It will be worth <xsl:value-of select=\"format-number(., '#,##0')\"/>."
                    + "</xsl:template></xsl:stylesheet>";
        }
    }

    static final class LetterDesk implements Runnable {
        final Forms forms;
        final Random random = new Random(37);
        final Projection projection = new Projection();
        final DocumentBuilder documents;
        final XPathExpression reserve;
        int number = 100_000;
        double sum;

        LetterDesk(Forms forms) throws Exception {
            this.forms = forms;
            documents = DocumentBuilderFactory.newInstance().newDocumentBuilder();
            reserve = XPathFactory.newInstance().newXPath().compile("number(/policy/reserve)");
        }

        String write(Policy policy, double value) throws Exception {
            Document document = documents.newDocument();
            Element root = document.createElement("policy");
            root.setAttribute("number", Integer.toString(policy.number));
            root.setAttribute("age", Integer.toString(policy.age));
            Element amount = document.createElement("reserve");
            amount.setTextContent(Long.toString(Math.round(value)));
            root.appendChild(amount);
            document.appendChild(root);
            sum += (Double) reserve.evaluate(document, XPathConstants.NUMBER);
            StringWriter letter = new StringWriter();
            forms.transformer(policy.form).transform(new DOMSource(document), new StreamResult(letter));
            return letter.toString();
        }

        @Override
        public void run() {
            try {
                while (true) {
                    for (int i = 0; i < 10; i++) {
                        Policy policy = new Policy(number++, random);
                        long start = System.nanoTime();
                        double value = projection.reserve(policy);
                        long middle = System.nanoTime();
                        String letter = write(policy, value);
                        xmlNanos.addAndGet(System.nanoTime() - middle);
                        projectNanos.addAndGet(middle - start);
                        if (letter.isEmpty()) {
                            System.out.println("no letter for " + policy.number);
                        }
                        letters.incrementAndGet();
                    }
                    Thread.sleep(30);
                }
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /** Publishes a form now and then, as the editors have changed it. */
    static final class Editors implements Runnable {
        final Forms forms;

        Editors(Forms forms) {
            this.forms = forms;
        }

        @Override
        public void run() {
            try {
                for (int i = 0; ; i++) {
                    Thread.sleep(2000);
                    forms.publish("form-" + i % 6);
                }
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Forms forms = new Forms();
        for (int i = 0; i < 6; i++) {
            forms.publish("form-" + i);
        }
        Runnable[] tasks = {new LetterDesk(forms), new Editors(forms)};
        for (Runnable task : tasks) {
            Thread thread = new Thread(task, task.getClass().getSimpleName());
            thread.setDaemon(true);
            thread.start();
        }
        long n = 0;
        long x = 0;
        long p = 0;
        for (int second = 1; ; second++) {
            Thread.sleep(1000);
            long letter = letters.get();
            long xml = xmlNanos.get();
            long project = projectNanos.get();
            System.out.printf("measured: %d letters, %.2f ms each to project and %.3f ms for all XML; %d forms compiled so far, %.1f ms each%n",
                    letter - n, (project - p) / 1e6 / Math.max(1, letter - n), (xml - x) / 1e6 / Math.max(1, letter - n),
                    compiled.get(), compileNanos.get() / 1e6 / compiled.get());
            if (second == 6) {
                System.out.println("READY");
            }
            System.out.flush();
            n = letter;
            x = xml;
            p = project;
        }
    }
}
