// SPDX-License-Identifier: Apache-2.0
// cause: the stylesheet is parsed and compiled to a new generated class for every declaration (TransformerFactory.newTransformer(Source)), instead of once into Templates
// share: without: 44-61 forms/s in the first 9 s (77-112 in a second, 100 s run beside another JVM); fixed: 1,650 rising to 3,600 forms/s in the first 9 s (over 30 times)
// expect: hot-code kind=compiled-xml frame=CustomsForms$Converter.transformer
// symptom: hot-code class-unloading hot-calls
// judge: right = names Converter.convert -> TransformerFactory.newTransformer(Source) compiling the stylesheet (XSLTC, defines a class) for each declaration, to be kept as Templates; only symptom = "XML parsing", "class loading / metaspace grows", "JIT or interpreter busy", "GC" without that call
// set: twenty-first
// jdk: 11
import java.io.StringReader;
import java.io.StringWriter;
import java.util.concurrent.atomic.AtomicLong;
import javax.xml.transform.Templates;
import javax.xml.transform.Transformer;
import javax.xml.transform.TransformerException;
import javax.xml.transform.TransformerFactory;
import javax.xml.transform.stream.StreamResult;
import javax.xml.transform.stream.StreamSource;

public class CustomsForms {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final long RUN_MILLIS = 220_000L;

    static final String SHEET = String.join("\n",
            "<xsl:stylesheet version='1.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform'>",
            "<xsl:output method='xml' omit-xml-declaration='yes'/>",
            "<xsl:key name='by-code' match='item' use='@code'/>",
            "<xsl:template match='/declaration'>",
            "  <form number='{@id}'><xsl:apply-templates select='item'>",
            "    <xsl:sort select='@code'/></xsl:apply-templates>",
            "    <total><xsl:value-of select='format-number(sum(item/@value), \"0.00\")'/></total></form>",
            "</xsl:template>",
            "<xsl:template match='item[@weight &gt; 50]'>",
            "  <heavy code='{@code}'><xsl:value-of select='@weight'/></heavy>",
            "</xsl:template>",
            "<xsl:template match='item'>",
            "  <line code='{@code}'><xsl:choose>",
            "    <xsl:when test='@value &gt; 1000'><dutiable><xsl:value-of select='@value * 0.19'/></dutiable></xsl:when>",
            "    <xsl:otherwise><free/></xsl:otherwise></xsl:choose>",
            "    <xsl:call-template name='origin'><xsl:with-param name='country' select='@from'/></xsl:call-template></line>",
            "</xsl:template>",
            "<xsl:template name='origin'><xsl:param name='country'/>",
            "  <origin><xsl:value-of select='translate($country, \"abcdefghij\", \"ABCDEFGHIJ\")'/></origin>",
            "</xsl:template>",
            "</xsl:stylesheet>");

    static final class Converter {
        private final TransformerFactory factory = TransformerFactory.newInstance();
        private final Templates templates;

        Converter() throws TransformerException {
            templates = FIXED ? factory.newTemplates(sheet()) : null;
        }

        private static StreamSource sheet() {
            return new StreamSource(new StringReader(SHEET));
        }

        private Transformer transformer() throws TransformerException {
            return FIXED ? templates.newTransformer() : factory.newTransformer(sheet());
        }

        String convert(String declaration) throws TransformerException {
            StringWriter out = new StringWriter(2048);
            transformer().transform(new StreamSource(new StringReader(declaration)), new StreamResult(out));
            return out.toString();
        }
    }

    static String declaration(long id) {
        StringBuilder sb = new StringBuilder(1500);
        sb.append("<declaration id='").append(id).append("'>");
        for (int i = 0; i < 16; i++) {
            long k = id * 31 + i * 7;
            sb.append("<item code='").append(8400 + k % 97).append("' weight='").append(k % 80)
                    .append("' value='").append(k % 2100).append("' from='").append("abcdefghij".charAt((int) (k % 10)))
                    .append("'/>");
        }
        return sb.append("</declaration>").toString();
    }

    public static void main(String[] args) throws Exception {
        AtomicLong forms = new AtomicLong();
        AtomicLong chars = new AtomicLong();
        AtomicLong ids = new AtomicLong();
        Thread worker = new Thread(() -> {
            try {
                Converter converter = new Converter();
                while (!Thread.currentThread().isInterrupted()) {
                    chars.addAndGet(converter.convert(declaration(ids.incrementAndGet())).length());
                    forms.incrementAndGet();
                }
            } catch (TransformerException e) {
                throw new IllegalStateException(e);
            }
        }, "forms");
        worker.setDaemon(true);
        worker.start();
        Thread.sleep(5000);
        System.out.println("READY");
        long end = System.currentTimeMillis() + RUN_MILLIS;
        long last = forms.get();
        while (System.currentTimeMillis() < end) {
            Thread.sleep(1000);
            long n = forms.get();
            System.out.printf("measured: %d forms/s, %d characters each%n", n - last, chars.get() / Math.max(1, n));
            last = n;
        }
    }
}
