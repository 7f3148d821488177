// SPDX-License-Identifier: Apache-2.0
// cause: InvoiceRenderer.transformer calls TransformerFactory.newTransformer(source) with the stylesheet text for each invoice, so XSLTC parses and compiles the stylesheet to bytecode, defines new classes in a new class loader, and runs them cold each time, in place of one Templates object made once.
// share: faulty: 68 invoices/s, mean render 32.40 ms; fixed: 3243 invoices/s, mean render 0.69 ms; ratio 47.5 (means over the seconds after warm-up of a run of 9 to 13 s, shared 2-core machine)
// expect: hot-code kind=compiled-xml
// symptom: hot-code class-unloading compile-queue
// judge: NAMED: the stylesheet is compiled again for each invoice in InvoiceRenderer.transformer (newTransformer with a Source, not a cached Templates), with a translet class generated and loaded each time. SYMPTOM ONLY: many classes loaded and unloaded; metaspace growth; CPU in XSLTC/xerces parsing or in the bytecode generator; JIT compiler busy. WRONG: class loader leak; metaspace set too small; XML of the invoices too large; GC as the root cause; lock contention.
// jdk: 17
// set: twenty-fourth
// jvm: -Xmx128m
import java.io.StringReader;
import java.io.StringWriter;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import javax.xml.transform.OutputKeys;
import javax.xml.transform.Templates;
import javax.xml.transform.Transformer;
import javax.xml.transform.TransformerException;
import javax.xml.transform.TransformerFactory;
import javax.xml.transform.stream.StreamResult;
import javax.xml.transform.stream.StreamSource;

/** Renders invoices from XML to the printable HTML form. */
public class InvoiceRenderer {
    static final boolean ALT = Boolean.getBoolean("fixed");
    static final int PRINTERS = 2;

    static final String SHEET = """
            <xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
              <xsl:output method="html" indent="no"/>
              <xsl:param name="currency" select="'EUR'"/>
              <xsl:template match="/invoice">
                <html><body>
                  <h1>Invoice <xsl:value-of select="@number"/></h1>
                  <xsl:apply-templates select="customer"/>
                  <table>
                    <xsl:apply-templates select="line"><xsl:sort select="@article"/></xsl:apply-templates>
                  </table>
                  <xsl:call-template name="total"/>
                </body></html>
              </xsl:template>
              <xsl:template match="customer">
                <p><b><xsl:value-of select="name"/></b><br/><xsl:value-of select="city"/></p>
              </xsl:template>
              <xsl:template match="line">
                <tr>
                  <xsl:attribute name="class">
                    <xsl:choose>
                      <xsl:when test="position() mod 2 = 0">even</xsl:when>
                      <xsl:otherwise>odd</xsl:otherwise>
                    </xsl:choose>
                  </xsl:attribute>
                  <td><xsl:value-of select="@article"/></td>
                  <td><xsl:value-of select="@count"/></td>
                  <td><xsl:value-of select="format-number(@count * @price, '0.00')"/></td>
                </tr>
              </xsl:template>
              <xsl:template name="total">
                <p>Net <xsl:value-of select="format-number(sum(line/@price), '0.00')"/>
                  <xsl:text> </xsl:text><xsl:value-of select="$currency"/></p>
              </xsl:template>
            </xsl:stylesheet>
            """;

    static final LongAdder invoices = new LongAdder();
    static final LongAdder nanos = new LongAdder();
    static final LongAdder characters = new LongAdder();

    private final TransformerFactory factory = TransformerFactory.newInstance();
    private Templates templates;

    private Transformer transformer() throws TransformerException {
        if (ALT) {
            if (templates == null) {
                templates = factory.newTemplates(new StreamSource(new StringReader(SHEET)));
            }
            return templates.newTransformer();
        }
        return factory.newTransformer(new StreamSource(new StringReader(SHEET)));
    }

    String render(String xml, String currency) throws TransformerException {
        Transformer t = transformer();
        t.setParameter("currency", currency);
        t.setOutputProperty(OutputKeys.OMIT_XML_DECLARATION, "yes");
        StringWriter out = new StringWriter(2048);
        t.transform(new StreamSource(new StringReader(xml)), new StreamResult(out));
        return out.toString();
    }

    static String invoice(int number) {
        StringBuilder b = new StringBuilder(2048);
        b.append("<invoice number='").append(number).append("'><customer><name>Customer ")
                .append(number % 911).append("</name><city>City ").append(number % 37).append("</city></customer>");
        for (int i = 0; i < 20; i++) {
            b.append("<line article='A").append((number * 31 + i * 17) % 1000).append("' count='")
                    .append(1 + i % 5).append("' price='").append(3 + (number + i) % 90).append(".5'/>");
        }
        return b.append("</invoice>").toString();
    }

    static void printer(int lane) {
        InvoiceRenderer renderer = new InvoiceRenderer();
        try {
            for (int n = lane; ; n += PRINTERS) {
                String xml = invoice(n);
                long t0 = System.nanoTime();
                characters.add(renderer.render(xml, n % 3 == 0 ? "CHF" : "EUR").length());
                nanos.add(System.nanoTime() - t0);
                invoices.increment();
            }
        } catch (TransformerException e) {
            System.out.println("printer ended: " + e);
        }
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < PRINTERS; i++) {
            int lane = i;
            Thread t = new Thread(() -> printer(lane), "printer-" + i);
            t.setDaemon(true);
            t.start();
        }
        System.out.println("READY");
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(170);
        while (System.nanoTime() < end) {
            Thread.sleep(1000);
            long n = invoices.sumThenReset();
            long ns = nanos.sumThenReset();
            System.out.printf("measured: %d invoices/s, mean render %.3f ms, %d chars%n",
                    n, n == 0 ? 0.0 : ns / 1e6 / n, characters.sumThenReset());
        }
    }
}
