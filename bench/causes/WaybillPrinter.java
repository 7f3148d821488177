// SPDX-License-Identifier: Apache-2.0
// cause: Every waybill obtains a new TransformerFactory and compiles the stylesheet anew (XSLT to bytecode, new class loader and class each time) instead of compiling it once into Templates.
// share: 365 waybills/s without, 23445 waybills/s with -Dfixed=true (64.3 times; means over 8 and 8 s after READY; e.g. "379 waybills/s, 72 KiB printed" against "28666 waybills/s, 5576 KiB printed")
// expect: hot-code kind=compiled-xml frame=WaybillPrinter$WaybillRenderer.transformer
// symptom: hot-code class-unloading hot-calls
// judge: Must name WaybillRenderer.render / transformer() compiling the stylesheet per document (TransformerFactory.newInstance + newTransformer(Source), XSLTC, classes defined per call) and that Templates should be kept; "much time in com.sun.org.apache.xalan/xerces", "metaspace/class loading" or "many allocations" alone is only the symptom.
// set: twenty-first
// jdk: 8
import java.io.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.LongAdder;
import javax.xml.transform.*;
import javax.xml.transform.stream.*;

/** Prints waybills: shipments arrive as XML and leave as text for the label printers at the docks. */
public class WaybillPrinter {
    static final String SHEET =
        "<xsl:stylesheet version='1.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform'>"
      + "<xsl:output method='text'/>"
      + "<xsl:template match='/shipment'>WAYBILL <xsl:value-of select='@id'/><xsl:text>&#10;</xsl:text>"
      + "<xsl:apply-templates select='from|to'/>"
      + "<xsl:for-each select='item'><xsl:sort select='@sku'/>"
      + "<xsl:value-of select='position()'/>. <xsl:value-of select='@sku'/> x <xsl:value-of select='@qty'/>"
      + "<xsl:text>&#10;</xsl:text></xsl:for-each>"
      + "TOTAL KG <xsl:value-of select='format-number(sum(item/@kg),\"0.00\")'/></xsl:template>"
      + "<xsl:template match='from'>FROM <xsl:value-of select='.'/><xsl:text>&#10;</xsl:text></xsl:template>"
      + "<xsl:template match='to'>TO <xsl:value-of select='.'/><xsl:text>&#10;</xsl:text></xsl:template>"
      + "</xsl:stylesheet>";

    static final LongAdder PRINTED = new LongAdder();
    static final LongAdder CHARS = new LongAdder();

    /** Turns one shipment into its printed form. */
    static final class WaybillRenderer {
        private final Templates prepared;

        WaybillRenderer(boolean prepare) throws TransformerException {
            prepared = prepare
                ? TransformerFactory.newInstance().newTemplates(new StreamSource(new StringReader(SHEET)))
                : null;
        }

        private Transformer transformer() throws TransformerException {
            if (prepared != null) {
                return prepared.newTransformer();
            }
            TransformerFactory factory = TransformerFactory.newInstance();
            return factory.newTransformer(new StreamSource(new StringReader(SHEET)));
        }

        String render(String shipment) throws TransformerException {
            StringWriter page = new StringWriter(1024);
            transformer().transform(new StreamSource(new StringReader(shipment)), new StreamResult(page));
            return page.toString();
        }
    }

    /** The shipments of the day, as the order desk writes them. */
    static final class OrderDesk {
        private final Random random = new Random(71);
        private final String[] towns = {"Gdansk", "Aarhus", "Porto", "Lyon", "Graz", "Turku", "Split"};

        String next(int id) {
            StringBuilder b = new StringBuilder(900);
            b.append("<shipment id='W").append(id).append("'><from>").append(town()).append("</from><to>")
             .append(town()).append("</to>");
            int items = 6 + random.nextInt(10);
            for (int i = 0; i < items; i++) {
                b.append("<item sku='S").append(random.nextInt(90000)).append("' qty='").append(1 + random.nextInt(9))
                 .append("' kg='").append(random.nextInt(4000) / 100.0).append("'/>");
            }
            return b.append("</shipment>").toString();
        }

        private String town() {
            return towns[random.nextInt(towns.length)];
        }
    }

    static void printDock(WaybillRenderer renderer, BlockingQueue<String> queue) {
        try {
            while (true) {
                String page = renderer.render(queue.take());
                CHARS.add(page.length());
                PRINTED.increment();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (TransformerException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws Exception {
        WaybillRenderer renderer = new WaybillRenderer(Boolean.getBoolean("fixed"));
        BlockingQueue<String> queue = new ArrayBlockingQueue<>(64);
        Thread desk = new Thread(() -> {
            OrderDesk orders = new OrderDesk();
            try {
                for (int id = 1; ; id++) {
                    queue.put(orders.next(id));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }, "order-desk");
        desk.setDaemon(true);
        desk.start();
        for (int i = 0; i < 2; i++) {
            Thread dock = new Thread(() -> printDock(renderer, queue), "dock-" + i);
            dock.setDaemon(true);
            dock.start();
        }
        Thread.sleep(5000);
        System.out.println("READY");
        PRINTED.sumThenReset();
        CHARS.sumThenReset();
        for (int s = 0; s < 240; s++) {
            Thread.sleep(1000);
            System.out.println("measured: " + PRINTED.sumThenReset() + " waybills/s, "
                + CHARS.sumThenReset() / 1024 + " KiB printed");
        }
        System.exit(0);
    }
}
