// SPDX-License-Identifier: Apache-2.0
// healthy: A harbour office's program starts its modules one after another, each with a short rehearsal; classes are loaded and code is compiled in that time, as at any start-up, and no module's work dominates; once all are up (after a minute) it serves them in turn with little CPU time
// share: @SHARE@
// judge: NAMED (right): nothing stands out, or only neutral statements (time goes to ... ; no fault of the program shows), or that the program is starting up: loading classes, compiling. SYMPTOM ONLY: compilers that use CPU time, methods that wait for a compiler, class loading, as a note without an accusation. WRONG: an accusation of any class (HarbourOffice$Modules, HarbourOffice$Starter, ...) or of waiting, locks, collections, options of the JVM, XML, scripts, dates, locales or cryptography as a fault
// jdk: 8
// set: thirty-fifth
// jvm: -Xmx256m -Djava.awt.headless=true
import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.geom.Ellipse2D;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.StringReader;
import java.io.StringWriter;
import java.lang.management.ManagementFactory;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.Signature;
import java.text.BreakIterator;
import java.text.Collator;
import java.text.MessageFormat;
import java.text.NumberFormat;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.zip.CRC32;
import java.util.zip.Deflater;
import java.util.zip.Inflater;
import javax.imageio.ImageIO;
import javax.management.ObjectName;
import javax.script.Invocable;
import javax.script.ScriptEngine;
import javax.script.ScriptEngineManager;
import javax.xml.bind.JAXB;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.SAXParserFactory;
import javax.xml.transform.Templates;
import javax.xml.transform.TransformerFactory;
import javax.xml.transform.stream.StreamResult;
import javax.xml.transform.stream.StreamSource;
import javax.xml.xpath.XPathExpression;
import javax.xml.xpath.XPathFactory;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;
import org.xml.sax.helpers.DefaultHandler;

/** The office of a harbour: berths, pilots, customs, fees and what else it takes. */
public class HarbourOffice {
    static final LongAdder served = new LongAdder();

    /** What a module does for case number n, once it has been set up. */
    interface Service {
        long serve(int n) throws Exception;
    }

    /** Sets a module up. */
    interface Setup {
        Service open() throws Exception;
    }

    public static class Berth {
        public String name;
        public int metres;
    }

    /** The modules, in the order in which they start. */
    static final class Modules {
        private static final String SHIP = "<ship name='Anna %d'><length>%d</length><draught>7</draught><cargo>coal</cargo></ship>";

        private static DocumentBuilder builder() throws Exception {
            return DocumentBuilderFactory.newInstance().newDocumentBuilder();
        }

        private static InputSource ship(int n) {
            return new InputSource(new StringReader(String.format(Locale.ROOT, SHIP, n, 40 + n % 200)));
        }

        static Map<String, Setup> all() {
            Map<String, Setup> all = new LinkedHashMap<>();
            all.put("calendar", () -> {
                DateTimeFormatter format = DateTimeFormatter.ofPattern("EEEE d MMMM uuuu HH:mm VV", Locale.GERMANY);
                ZonedDateTime day = ZonedDateTime.of(2025, 3, 1, 6, 0, 0, 0, ZoneId.of("Europe/Berlin"));
                return n -> format.format(day.plusMinutes(37L * n)).length();
            });
            all.put("radio-log", () -> {
                Pattern call = Pattern.compile("([A-Z]{4,5})\\s+ch(\\d+)\\s+(in|out)bound");
                return n -> {
                    Matcher matcher = call.matcher("DABC ch" + n % 80 + " inbound; OXYZ ch12 outbound");
                    long found = 0;
                    while (matcher.find()) {
                        found += Integer.parseInt(matcher.group(2));
                    }
                    return found;
                };
            });
            all.put("ships", () -> {
                DocumentBuilder builder = builder();
                return n -> builder.parse(ship(n)).getDocumentElement().getChildNodes().getLength();
            });
            all.put("seals", () -> {
                MessageDigest digest = MessageDigest.getInstance("SHA-256");
                return n -> digest.digest(("seal " + n).getBytes(StandardCharsets.UTF_8))[0];
            });
            all.put("tariff", () -> {
                ScriptEngine engine = new ScriptEngineManager().getEngineByName("nashorn");
                engine.eval("function fee(metres, days) { var f = metres * 3.2; for (var i = 0; i < days; i++) { f += 11; } return f; }");
                Invocable script = (Invocable) engine;
                return n -> ((Number) script.invokeFunction("fee", 50 + n % 100, n % 14)).longValue();
            });
            all.put("names", () -> {
                Collator collator = Collator.getInstance(new Locale("sv"));
                String[] names = {"Åland", "Ystad", "Ängö", "Öland", "Visby", "Malmö", "Kiel"};
                return n -> {
                    String[] copy = names.clone();
                    Arrays.sort(copy, collator);
                    return copy[n % copy.length].length();
                };
            });
            all.put("berth-plan", () -> {
                return n -> {
                    BufferedImage plan = new BufferedImage(160, 60, BufferedImage.TYPE_INT_RGB);
                    Graphics2D pen = plan.createGraphics();
                    pen.setColor(Color.CYAN);
                    pen.fill(new Ellipse2D.Double(n % 100, 10, 40, 20));
                    pen.dispose();
                    ByteArrayOutputStream png = new ByteArrayOutputStream();
                    ImageIO.write(plan, "png", png);
                    return png.size();
                };
            });
            all.put("fees", () -> {
                NumberFormat format = NumberFormat.getCurrencyInstance(Locale.FRANCE);
                return n -> format.format(new BigDecimal(n).multiply(new BigDecimal("3.1416")).setScale(2, RoundingMode.HALF_UP)).length();
            });
            all.put("statistics", () -> n -> IntStream.range(n, n + 200).boxed()
                    .collect(Collectors.groupingBy(i -> i % 7, TreeMap::new, Collectors.summingLong(i -> i))).lastEntry().getValue());
            all.put("customs", () -> {
                String sheet = "<xsl:stylesheet version='1.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform'><xsl:output method='text'/>"
                        + "<xsl:template match='/ship'><xsl:value-of select='@name'/>: <xsl:value-of select='cargo'/></xsl:template></xsl:stylesheet>";
                Templates templates = TransformerFactory.newInstance().newTemplates(new StreamSource(new StringReader(sheet)));
                return n -> {
                    StringWriter text = new StringWriter();
                    templates.newTransformer().transform(new StreamSource(ship(n).getCharacterStream()), new StreamResult(text));
                    return text.toString().length();
                };
            });
            all.put("archive", () -> n -> {
                byte[] page = ("page " + n + " of the log of the harbour, and nothing else to report; ").getBytes(StandardCharsets.UTF_8);
                byte[] packed = new byte[400];
                Deflater deflater = new Deflater();
                deflater.setInput(page);
                deflater.finish();
                int length = deflater.deflate(packed);
                deflater.end();
                Inflater inflater = new Inflater();
                inflater.setInput(packed, 0, length);
                int back = inflater.inflate(new byte[400]);
                inflater.end();
                return back;
            });
            all.put("signatures", () -> {
                KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
                generator.initialize(1024);
                Signature signature = Signature.getInstance("SHA256withRSA");
                signature.initSign(generator.generateKeyPair().getPrivate());
                return n -> {
                    signature.update((byte) n);
                    return signature.sign().length;
                };
            });
            all.put("notices", () -> {
                MessageFormat format = new MessageFormat("Vessel {0} leaves {1,choice,0#now|1#in an hour|1<in {1} hours} with {2,number,#.#} t", Locale.UK);
                return n -> format.format(new Object[] {"Anna " + n, n % 5, n * 1.7}).length();
            });
            all.put("search", () -> {
                DocumentBuilder builder = builder();
                XPathExpression path = XPathFactory.newInstance().newXPath().compile("/ship[length > 60]/cargo");
                return n -> {
                    Document document = builder.parse(ship(n));
                    return path.evaluate(document).length();
                };
            });
            all.put("copies", () -> n -> {
                ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
                    out.writeObject(new ArrayList<>(Arrays.asList("Anna", n, new BigDecimal(n))));
                }
                try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
                    return ((List<?>) in.readObject()).size();
                }
            });
            all.put("berths", () -> n -> {
                Berth berth = new Berth();
                berth.name = "B" + n;
                berth.metres = n % 300;
                StringWriter xml = new StringWriter();
                JAXB.marshal(berth, xml);
                return xml.toString().length();
            });
            all.put("bulletin", () -> n -> {
                BreakIterator words = BreakIterator.getWordInstance(Locale.ITALY);
                words.setText("Il porto resta chiuso dalle ore " + n % 24 + " per vento forte da nord-est.");
                int count = 0;
                while (words.next() != BreakIterator.DONE) {
                    count++;
                }
                return count;
            });
            all.put("monitor", () -> {
                ObjectName name = new ObjectName("java.lang:type=Memory");
                return n -> ManagementFactory.getPlatformMBeanServer().getAttribute(name, "HeapMemoryUsage").toString().length();
            });
            all.put("feed", () -> {
                SAXParserFactory factory = SAXParserFactory.newInstance();
                return n -> {
                    factory.newSAXParser().parse(ship(n), new DefaultHandler());
                    return 1;
                };
            });
            all.put("pilots", () -> n -> CompletableFuture.supplyAsync(() -> "pilot " + n % 9).thenApply(String::hashCode).thenCombine(
                    CompletableFuture.completedFuture(n), (a, b) -> (long) a + b).join());
            all.put("keys", () -> n -> {
                CRC32 crc = new CRC32();
                crc.update(BigInteger.valueOf(n + 3).modPow(BigInteger.valueOf(65537), BigInteger.valueOf(1_000_000_007L)).toByteArray());
                return crc.getValue();
            });
            return all;
        }
    }

    /** Starts the modules one after another, so that the smaller machines get through it. */
    static final class Starter implements Runnable {
        private final List<Service> up;

        Starter(List<Service> up) {
            this.up = up;
        }

        private void rehearse(Service service) throws Exception {
            long end = System.nanoTime() + 1_800_000_000L;
            for (int n = 0; System.nanoTime() < end; n++) {
                for (int i = 0; i < 4; i++) {
                    service.serve(4 * n + i);
                }
                Thread.sleep(5);
            }
        }

        @Override
        public void run() {
            for (Map.Entry<String, Setup> module : Modules.all().entrySet()) {
                long begin = System.nanoTime();
                try {
                    Service service = module.getValue().open();
                    rehearse(service);
                    up.add(service);
                    System.out.printf(Locale.ROOT, "module %s is up after %.1f s%n", module.getKey(), (System.nanoTime() - begin) / 1e9);
                    Thread.sleep(700);
                } catch (Exception e) {
                    System.out.println("module " + module.getKey() + " does not start: " + e);
                }
            }
        }
    }

    /** Serves the modules that are up. */
    static void desk(List<Service> up) {
        try {
            for (int n = 0; ; n++) {
                for (Service service : up) {
                    service.serve(n);
                    served.increment();
                }
                Thread.sleep(15);
            }
        } catch (Exception e) {
            System.out.println("desk: " + e);
        }
    }

    public static void main(String[] args) throws Exception {
        List<Service> up = new CopyOnWriteArrayList<>();
        Thread starter = new Thread(new Starter(up), "starter");
        Thread desk = new Thread(() -> desk(up), "desk");
        for (Thread thread : new Thread[] {starter, desk}) {
            thread.setDaemon(true);
            thread.start();
        }
        int classes = 0;
        long compiling = 0;
        for (int second = 0; ; second++) {
            Thread.sleep(1000);
            int loaded = ManagementFactory.getClassLoadingMXBean().getLoadedClassCount();
            long compiled = ManagementFactory.getCompilationMXBean().getTotalCompilationTime();
            System.out.printf(Locale.ROOT, "measured: %d modules up; %d classes loaded and %d ms compiling in this second; %d cases served%n",
                    up.size(), loaded - classes, compiled - compiling, served.sumThenReset());
            classes = loaded;
            compiling = compiled;
            if (second == 1) {
                System.out.println("READY");
            }
            System.out.flush();
        }
    }
}
