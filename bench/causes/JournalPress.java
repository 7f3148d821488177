// SPDX-License-Identifier: Apache-2.0
// cause: ArticleRenderer.transformer compiles the XSLT style sheet anew for each article (TransformerFactory.newInstance().newTransformer(source): parse, generate byte code, define a class), instead of keeping the compiled Templates
// share: making transformers takes about 70% of the press threads' time (40-86%; most of the rest is running the freshly generated, never compiled classes); fixed 1-4%; 50-130 articles/s, fixed about 8,000/s once warm (over 50x)
// judge: names the cause: "CPU in TransformerFactoryImpl.newTransformer/newTemplates, XSLTC.compile called from ArticleRenderer.transformer: compile the style sheet once (Templates) and reuse". True, only symptoms: "much class definition / class loading", "much JIT compilation", "allocates much in XSLTC", "metaspace GCs". Wrong: "the XML output or parser is the bottleneck", "too few threads", "lock contention", "heap too small" as the cause.
// expect: hot-code kind=compiled-xml frame=ArticleRenderer.transformer
// symptom: class-unloading hot-code
// jdk: 11
// set: fifteenth
import java.io.StringReader;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.LongAdder;
import javax.xml.transform.Templates;
import javax.xml.transform.Transformer;
import javax.xml.transform.TransformerException;
import javax.xml.transform.TransformerFactory;
import javax.xml.transform.stream.StreamResult;
import javax.xml.transform.stream.StreamSource;

/** A scientific publisher's press: turns articles (JATS like XML) into HTML pages. */
public final class JournalPress {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final LongAdder PAGES = new LongAdder();
    static final LongAdder CHARS = new LongAdder();
    static final LongAdder PREPARE_NANOS = new LongAdder();

    static final String STYLE = "<xsl:stylesheet version='1.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform'>"
            + "<xsl:output method='html' indent='no'/>"
            + "<xsl:template match='/article'><html><head><title><xsl:value-of select='front/title'/></title></head>"
            + "<body><h1><xsl:value-of select='front/title'/></h1><xsl:apply-templates select='front/contrib'/>"
            + "<xsl:apply-templates select='body/sec'/><ol><xsl:apply-templates select='back/ref'/></ol></body></html></xsl:template>"
            + "<xsl:template match='contrib'><span class='author'><xsl:value-of select='surname'/>, <xsl:value-of select='given'/></span></xsl:template>"
            + "<xsl:template match='sec'><section id='{@id}'><h2><xsl:number/>. <xsl:value-of select='title'/></h2><xsl:apply-templates select='p'/></section></xsl:template>"
            + "<xsl:template match='p'><p><xsl:apply-templates/></p></xsl:template>"
            + "<xsl:template match='xref'><a href='#{@rid}'>[<xsl:value-of select='.'/>]</a></xsl:template>"
            + "<xsl:template match='italic'><i><xsl:apply-templates/></i></xsl:template>"
            + "<xsl:template match='ref'><li id='{@id}'><xsl:value-of select='.'/></li></xsl:template>"
            + "</xsl:stylesheet>";

    static final class ArticleRenderer {
        private Templates compiled;

        String render(String article) throws TransformerException {
            long t0 = System.nanoTime();
            Transformer t = transformer();
            PREPARE_NANOS.add(System.nanoTime() - t0);
            StringWriter html = new StringWriter(article.length());
            t.transform(new StreamSource(new StringReader(article)), new StreamResult(html));
            return html.toString();
        }

        private Transformer transformer() throws TransformerException {
            if (!FIXED) {
                return TransformerFactory.newInstance().newTransformer(new StreamSource(new StringReader(STYLE)));
            }
            if (compiled == null) {
                compiled = TransformerFactory.newInstance().newTemplates(new StreamSource(new StringReader(STYLE)));
            }
            return compiled.newTransformer();
        }
    }

    static String article(Random random, int n) {
        String[] words = ("we show that the model of growth in cells under stress depends on temperature and light while earlier"
                + " results suggest a weaker effect for most samples").split(" ");
        StringBuilder b = new StringBuilder("<article><front><title>On sample " + n + "</title>"
                + "<contrib><surname>Meyer</surname><given>A.</given></contrib><contrib><surname>Okoye</surname><given>B.</given></contrib></front><body>");
        for (int s = 0; s < 5; s++) {
            b.append("<sec id='s").append(s).append("'><title>Part ").append(s).append("</title>");
            for (int p = 0; p < 4; p++) {
                b.append("<p>");
                for (int w = 0; w < 60; w++) {
                    b.append(words[random.nextInt(words.length)]).append(' ');
                }
                b.append("<italic>in vitro</italic> <xref rid='r").append(p).append("'>").append(p).append("</xref></p>");
            }
            b.append("</sec>");
        }
        b.append("</body><back>");
        for (int r = 0; r < 10; r++) {
            b.append("<ref id='r").append(r).append("'>Journal ").append(random.nextInt(90)).append(", ").append(1990 + r).append("</ref>");
        }
        return b.append("</back></article>").toString();
    }

    public static void main(String[] args) throws Exception {
        Random random = new Random(7);
        List<String> manuscripts = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            manuscripts.add(article(random, i));
        }
        BlockingQueue<String> accepted = new ArrayBlockingQueue<>(32);
        for (int i = 0; i < 2; i++) {
            start("press-" + i, () -> {
                ArticleRenderer renderer = new ArticleRenderer();
                try {
                    while (true) {
                        CHARS.add(renderer.render(accepted.take()).length());
                        PAGES.increment();
                    }
                } catch (InterruptedException | TransformerException e) {
                    throw new IllegalStateException(e);
                }
            });
        }
        start("desk", () -> {
            try {
                for (int i = 0;; i++) {
                    accepted.put(manuscripts.get(i % manuscripts.size()));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        System.out.println("READY");
        long last = 0, lastNanos = 0;
        while (true) {
            Thread.sleep(1000);
            long n = PAGES.sum(), f = PREPARE_NANOS.sum();
            System.out.printf("measured: %d articles/s, making transformers %.0f%% of the two press threads' time, %d kB of HTML%n",
                    n - last, (f - lastNanos) / 2e7, CHARS.sum() >> 10);
            last = n;
            lastNanos = f;
        }
    }

    static void start(String name, Runnable r) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }
}
