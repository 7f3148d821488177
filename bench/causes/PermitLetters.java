// SPDX-License-Identifier: Apache-2.0
// cause: LetterPress.print has TransformerFactory.newTransformer parse and compile the same XSLT stylesheet into a new class for each letter, in place of one Templates object that is kept, so each letter pays for that compilation, for defining the class in a new loader and for running it interpreted.
// share: faulty about 15 letters/s in the first 10 s and 220 letters/s in the first minute (up to 1100 after a minute or two on a machine with CPUs to spare); fixed about 2520 letters/s in the first 10 s and 2930 in the first minute (11 times; at least 2.6 times when warm)
// expect: hot-code kind=compiled-xml
// symptom: class-unloading pool-busy waiting
// judge: NAMED: LetterPress.print (Layouts.transformerFor) compiles the stylesheet by TransformerFactory.newTransformer(Source) for each letter; "XML/XSLT work for Layouts.transformerFor" is enough if it says that it is the making of transformers or compilation of stylesheets. SYMPTOM ONLY: classes are loaded and unloaded all the time; interpreted code, compile queue, metaspace; collections and allocation; pool "press" is busy, threads wait for futures. WRONG: heap too small, the address register (Registry.find), the transformation of the letters itself as the cause, leak of class loaders.
// jdk: 25
// set: twenty-fifth
// jvm: -Xmx128m
import java.io.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import javax.xml.transform.*;
import javax.xml.transform.stream.*;

public class PermitLetters {
    static final boolean REVISED = Boolean.getBoolean("fixed");

    record Permit(int number, String holder, String street, List<String> conditions) { }

    static class Registry {
        private final String[] holders = new String[500];
        private final Map<String, String> streets = new HashMap<>();
        Registry() {
            for (int i = 0; i < holders.length; i++) {
                holders[i] = "Holder " + Integer.toString(i * 7919, 36);
                streets.put(holders[i], (1 + i % 90) + " Station Road");
            }
        }
        Permit find(int number) {
            String h = holders[Math.floorMod(number * 31, holders.length)];
            List<String> c = new ArrayList<>();
            for (int i = 0; i < 3 + number % 4; i++) c.add("Clause " + (number + i * 17) % 60);
            return new Permit(number, h, streets.get(h), c);
        }
    }

    static class Layouts {
        private static final String LETTER = """
            <xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
            <xsl:output method="xml" omit-xml-declaration="yes"/>
            <xsl:template match="/permit"><letter><xsl:apply-templates select="holder"/>
              <subject>Permit <xsl:value-of select="@number"/></subject>
              <xsl:choose><xsl:when test="count(conditions/c) &gt; 4"><note>many conditions</note></xsl:when>
              <xsl:otherwise><note>few conditions</note></xsl:otherwise></xsl:choose>
              <body><xsl:for-each select="conditions/c"><xsl:sort select="."/><p><xsl:number value="position()"/>. <xsl:value-of select="."/></p></xsl:for-each></body>
            </letter></xsl:template>
            <xsl:template match="holder"><to><name><xsl:value-of select="normalize-space(.)"/></name><street><xsl:value-of select="@street"/></street></to></xsl:template>
            </xsl:stylesheet>""";
        private final TransformerFactory factory = TransformerFactory.newInstance();
        private final Templates kept;
        Layouts() throws TransformerException {
            kept = factory.newTemplates(new StreamSource(new StringReader(LETTER)));
        }
        Transformer transformerFor(Permit p) throws TransformerException {
            if (REVISED) return kept.newTransformer();
            return factory.newTransformer(new StreamSource(new StringReader(LETTER)));
        }
    }

    static class LetterPress {
        private final ThreadLocal<Layouts> layouts = ThreadLocal.withInitial(() -> {
            try {
                return new Layouts();
            } catch (TransformerException e) {
                throw new IllegalStateException(e);
            }
        });
        String print(Permit p) throws TransformerException {
            StringWriter out = new StringWriter();
            layouts.get().transformerFor(p).transform(new StreamSource(new StringReader(markup(p))), new StreamResult(out));
            return out.toString();
        }
        private String markup(Permit p) {
            StringBuilder b = new StringBuilder("<permit number='").append(p.number()).append("'><holder street='").append(p.street()).append("'>")
                .append(p.holder()).append("</holder><conditions>");
            for (String c : p.conditions()) b.append("<c>").append(c).append("</c>");
            return b.append("</conditions></permit>").toString();
        }
    }

    static class Outbox {
        private final Deque<String> last = new ArrayDeque<>();
        private long characters;
        synchronized void add(String letter) {
            characters += letter.length();
            last.addLast(letter);
            if (last.size() > 200) last.removeFirst();
        }
        synchronized long characters() {
            return characters;
        }
    }

    public static void main(String[] args) throws Exception {
        Registry registry = new Registry();
        LetterPress press = new LetterPress();
        Outbox outbox = new Outbox();
        AtomicInteger n = new AtomicInteger(), numbers = new AtomicInteger(1000);
        ExecutorService pool = Executors.newFixedThreadPool(2, r -> daemon(r, "press-" + n.incrementAndGet()));
        LongAdder done = new LongAdder(), nanos = new LongAdder();
        for (int i = 0; i < 4; i++) {
            daemon(() -> {
                try {
                    while (true) {
                        long t = System.nanoTime();
                        outbox.add(pool.submit(() -> press.print(registry.find(numbers.incrementAndGet()))).get());
                        nanos.add(System.nanoTime() - t);
                        done.increment();
                        Thread.sleep(1);
                    }
                } catch (Exception e) {
                    e.printStackTrace();
                }
            }, "counter-" + i).start();
        }
        System.out.println("READY");
        for (long end = System.nanoTime() + 170_000_000_000L; System.nanoTime() < end; ) {
            Thread.sleep(1000);
            long d = done.sumThenReset(), t = nanos.sumThenReset();
            System.out.printf("measured: %d letters/s, mean latency %.2f ms, %d characters in all%n", d, d == 0 ? 0 : t / 1e6 / d, outbox.characters());
        }
        System.exit(0);
    }

    static Thread daemon(Runnable r, String name) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        return t;
    }
}
