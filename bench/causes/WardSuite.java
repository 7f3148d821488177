// SPDX-License-Identifier: Apache-2.0
// healthy: an application starts: its 24 parts are started one after another, each loads what it needs of the JDK and of its own, tests itself a bounded number of times and is compiled in the meantime; this is done once, after about 40 seconds only light work of all parts is left
// share: some 0.1 to 0.5 CPUs while it starts, of which class loading, interpreted code and the compilers take much (about 2,000 classes in all, compilers busy for several seconds); about 0.1 CPUs after that
// judge: RIGHT: nothing stands out, or statements that the program starts (classes are loaded, code is compiled), or neutral ones about one of the parts. SYMPTOM ONLY: (tolerable) one of the many kinds of work (XML, archives, keys, formatting) named as where most CPU time goes without an accusation. WRONG: an accusation of one part as the program's fault, of class loading or class unloading, of a leak of metaspace, of deoptimisations, of a compiler or code cache that is short, of locks or collections.
// jdk: 21
// set: thirty-sixth
// jvm: -Xmx256m
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.lang.management.ManagementFactory;
import java.math.BigDecimal;
import java.math.MathContext;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.Signature;
import java.text.MessageFormat;
import java.text.NumberFormat;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.FormatStyle;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** A hospital ward's suite: starts its parts in order, tests each, and then serves. */
public class WardSuite {
    interface Check {
        long once(int i) throws Exception;
    }

    interface Maker {
        Check make() throws Exception;
    }

    record Part(String name, int rounds, Maker maker) { }

    record Running(String name, Check check) { }

    record Bed(String ward, int number, boolean free) implements java.io.Serializable { }

    static final class Parts {
        final List<Part> list = new ArrayList<>();

        Parts() {
            add("settings", 8000, Parts::settings);
            add("calendar", 16000, Parts::calendar);
            add("forms", 2000, Parts::forms);
            add("seals", 160, Parts::seals);
            add("texts", 12000, Parts::texts);
            add("archive", 600, Parts::archive);
            add("lists", 6000, Parts::lists);
            add("charts", 120, Parts::charts);
            add("doses", 24000, Parts::doses);
            add("messages", 16000, Parts::messages);
            add("links", 32000, Parts::links);
            add("beds", 6000, Parts::beds);
            add("stylesheet", 600, Parts::stylesheet);
            add("digest", 16000, Parts::digest);
            add("jobs", 8000, Parts::jobs);
            add("monitor", 1200, Parts::monitor);
            add("codes", 32000, Parts::codes);
            add("accounts", 12000, Parts::accounts);
            add("events", 1200, Parts::events);
            add("zones", 16000, Parts::zones);
            add("labels", 16000, Parts::labels);
            add("tables", 1200, Parts::tables);
            add("plans", 6000, Parts::plans);
            add("export", 1200, Parts::export);
        }

        private void add(String name, int rounds, Maker maker) {
            list.add(new Part(name, rounds, maker));
        }

        static Check settings() {
            return i -> {
                Properties p = new Properties();
                p.load(new java.io.StringReader("ward=" + i + "\nbeds=30\nlocale=de-CH\nprinter=P" + i % 7));
                return Integer.parseInt(p.getProperty("ward")) + p.size();
            };
        }

        static Check calendar() {
            DateTimeFormatter format = DateTimeFormatter.ofLocalizedDate(FormatStyle.FULL).withLocale(Locale.GERMANY);
            return i -> LocalDate.of(2024, 1, 1).plusDays(i % 900).format(format).length();
        }

        static Check forms() throws Exception {
            var builder = javax.xml.parsers.DocumentBuilderFactory.newInstance().newDocumentBuilder();
            return i -> builder.parse(new ByteArrayInputStream(("<form id='" + i + "'><name>Ward</name><bed n='3'/></form>")
                    .getBytes(StandardCharsets.UTF_8))).getDocumentElement().getChildNodes().getLength();
        }

        static Check seals() throws Exception {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(256);
            var pair = generator.generateKeyPair();
            return i -> {
                Signature signature = Signature.getInstance("SHA256withECDSA");
                signature.initSign(pair.getPrivate());
                signature.update((byte) i);
                return signature.sign().length;
            };
        }

        static Check texts() {
            Pattern words = Pattern.compile("(?<key>[a-z]+)=(?<value>\\d+|\"[^\"]*\")(?:,\\s*|$)");
            return i -> words.matcher("dose=" + i + ", unit=\"mg\", every=8").results().count();
        }

        static Check archive() {
            return i -> {
                ByteArrayOutputStream out = new ByteArrayOutputStream();
                try (ZipOutputStream zip = new ZipOutputStream(out)) {
                    zip.putNextEntry(new ZipEntry("chart-" + i));
                    zip.write(new byte[2000]);
                    zip.closeEntry();
                }
                return out.size();
            };
        }

        static Check lists() {
            return i -> IntStream.range(0, 60).mapToObj(n -> new Bed("W" + n % 5, n, (n + i) % 3 == 0)).filter(Bed::free)
                    .collect(Collectors.groupingBy(Bed::ward, TreeMap::new, Collectors.counting())).size();
        }

        static Check charts() {
            return i -> {
                BufferedImage image = new BufferedImage(120, 80, BufferedImage.TYPE_INT_RGB);
                for (int x = 0; x < 120; x++) {
                    image.setRGB(x, (int) (40 + 30 * Math.sin((x + i) / 9.0)), 0xff8800);
                }
                ByteArrayOutputStream out = new ByteArrayOutputStream();
                javax.imageio.ImageIO.write(image, "png", out);
                return out.size();
            };
        }

        static Check doses() {
            return i -> new BigDecimal(i + 1).divide(new BigDecimal("7.3"), MathContext.DECIMAL64).setScale(2, java.math.RoundingMode.HALF_UP).intValue();
        }

        static Check messages() {
            MessageFormat format = new MessageFormat("{0,choice,0#no beds|1#one bed|1<{0,number} beds} in ward {1}", Locale.ENGLISH);
            return i -> format.format(new Object[] {i % 4, "W" + i}).length();
        }

        static Check links() {
            return i -> URI.create("http://ward/" + i + "/chart?bed=3&day=" + i).resolve("../list").toString().length();
        }

        static Check beds() {
            return i -> {
                ByteArrayOutputStream out = new ByteArrayOutputStream();
                try (ObjectOutputStream objects = new ObjectOutputStream(out)) {
                    objects.writeObject(new Bed("W", i, true));
                }
                return ((Bed) new ObjectInputStream(new ByteArrayInputStream(out.toByteArray())).readObject()).number();
            };
        }

        static Check stylesheet() throws Exception {
            String sheet = "<xsl:stylesheet version='1.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform'>"
                    + "<xsl:template match='/'><p><xsl:value-of select='count(//bed)'/></p></xsl:template></xsl:stylesheet>";
            var templates = javax.xml.transform.TransformerFactory.newInstance()
                    .newTemplates(new javax.xml.transform.stream.StreamSource(new java.io.StringReader(sheet)));
            return i -> {
                var out = new java.io.StringWriter();
                templates.newTransformer().transform(new javax.xml.transform.stream.StreamSource(
                        new java.io.StringReader("<w><bed/><bed/></w>")), new javax.xml.transform.stream.StreamResult(out));
                return out.toString().length();
            };
        }

        static Check digest() throws Exception {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            return i -> Base64.getEncoder().encodeToString(digest.digest(("patient" + i).getBytes(StandardCharsets.UTF_8))).length();
        }

        static Check jobs() {
            return i -> CompletableFuture.completedFuture(i).thenApply(n -> n + 1).thenCombine(CompletableFuture.completedFuture(3), Integer::sum).join();
        }

        static Check monitor() throws Exception {
            var server = ManagementFactory.getPlatformMBeanServer();
            var name = new javax.management.ObjectName("java.lang:type=Memory");
            return i -> server.getAttribute(name, "HeapMemoryUsage").hashCode();
        }

        static Check codes() {
            return i -> java.util.HexFormat.of().formatHex(Integer.toString(i * 37, 36).getBytes(StandardCharsets.UTF_8)).length();
        }

        static Check accounts() {
            NumberFormat money = NumberFormat.getCurrencyInstance(Locale.forLanguageTag("de-CH"));
            return i -> money.format(i * 12.35).length();
        }

        static Check events() throws Exception {
            var factory = javax.xml.stream.XMLInputFactory.newInstance();
            return i -> {
                var reader = factory.createXMLStreamReader(new java.io.StringReader("<e><a t='" + i + "'/><b/></e>"));
                int n = 0;
                while (reader.hasNext()) {
                    n += reader.next();
                }
                return n;
            };
        }

        static Check zones() {
            ZoneId zone = ZoneId.of("Europe/Zurich");
            return i -> ZonedDateTime.of(2024, 1 + i % 12, 1 + i % 28, i % 24, 0, 0, 0, zone).toEpochSecond();
        }

        static Check labels() {
            return i -> String.format(Locale.ROOT, "%-12s|%08d|%6.2f", "bed" + i, i, i / 3.0).length();
        }

        static Check tables() {
            return i -> {
                var model = new javax.swing.table.DefaultTableModel(new Object[] {"bed", "patient"}, 0);
                for (int n = 0; n < 20; n++) {
                    model.addRow(new Object[] {n, "p" + i});
                }
                return model.getRowCount();
            };
        }

        static Check plans() {
            return i -> {
                Map<String, Integer> plan = new LinkedHashMap<>();
                for (int n = 0; n < 40; n++) {
                    plan.merge("nurse" + (n * 7 + i) % 11, 8, Integer::sum);
                }
                return plan.values().stream().mapToInt(Integer::intValue).max().orElse(0);
            };
        }

        static Check export() {
            return i -> {
                ByteArrayOutputStream out = new ByteArrayOutputStream();
                try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
                    gzip.write(("bed;" + i + ";free\n").repeat(50).getBytes(StandardCharsets.UTF_8));
                }
                return new GZIPInputStream(new ByteArrayInputStream(out.toByteArray())).readAllBytes().length;
            };
        }
    }

    /** Starts the parts, each when the one before it has passed its tests and the ward's other systems had time to connect. */
    static final class Starter implements Runnable {
        @Override
        public void run() {
            try {
                for (Part part : new Parts().list) {
                    long begin = System.nanoTime();
                    Check check = part.maker().make();
                    for (int i = 0; i < part.rounds(); i++) {
                        sum += check.once(i);
                    }
                    synchronized (running) {
                        running.add(new Running(part.name(), check));
                    }
                    Thread.sleep(Math.max(200, 1500 - (System.nanoTime() - begin) / 1_000_000));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (Exception e) {
                System.err.println("start fails: " + e);
            }
        }
    }

    static final List<Running> running = new ArrayList<>();
    static volatile long sum;

    public static void main(String[] args) throws Exception {
        System.setProperty("java.awt.headless", "true");
        javax.imageio.ImageIO.setUseCache(false);
        Thread starter = new Thread(new Starter(), "starter");
        starter.setDaemon(true);
        starter.start();
        System.out.println("READY");
        System.out.flush();
        var os = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        var classes = ManagementFactory.getClassLoadingMXBean();
        var compiler = ManagementFactory.getCompilationMXBean();
        while (true) {
            long t = System.nanoTime(), cpu = os.getProcessCpuTime(), loaded = classes.getTotalLoadedClassCount(), compiled = compiler.getTotalCompilationTime();
            Thread.sleep(1000);
            List<Running> now;
            synchronized (running) {
                now = List.copyOf(running);
            }
            for (Running part : now) {
                for (int i = 0; i < 15; i++) {
                    sum += part.check().once(i);
                }
            }
            double s = (System.nanoTime() - t) / 1e9;
            System.out.printf("measured: %d of 24 parts run, %d classes loaded, %d ms of compiling, %.2f CPUs%n", now.size(),
                    classes.getTotalLoadedClassCount() - loaded, compiler.getTotalCompilationTime() - compiled, (os.getProcessCpuTime() - cpu) / 1e9 / s);
        }
    }
}
