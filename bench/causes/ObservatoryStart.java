// SPDX-License-Identifier: Apache-2.0
// healthy: an observatory's control program that starts: it brings up some 390 components one after another, four a second (as the power supply needs), loads the classes of each, and tests it once, so classes are loaded and code is compiled all the time; each class is loaded once, nothing is done twice, and the status page answers in that time
// share: 0.1 to 0.6 CPUs, as measured, of which loading and linking classes, first runs in the interpreter and the compilers take most; components come up when they are due, the status page answers within some milliseconds
// judge: NAMED: that nothing stands out, or neutral words only: time goes to loading/scanning classes in ObservatoryStart$Component.load or to the self-tests, or that the program warms up (compilers at work), without a fault. SYMPTOM ONLY: does not apply. WRONG: an accusation: class loading or lookup by name, reflection, XML, compressing, dates or others as a fault of the program, the compile queue or code cache as a fault, deoptimisations, class unloading, memory growth or a leak of classes, waits of the status page or the assistant, main's rests
// jdk: 21
// set: thirty-fourth
// jvm: -Xmx256m -Djava.awt.headless=true
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.math.BigDecimal;
import java.math.MathContext;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.LongAdder;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import javax.xml.parsers.DocumentBuilderFactory;

/** The control program of an observatory, as it starts: components with their classes and self-tests, and a status page. */
public class ObservatoryStart {
    static final int CLASSES_EACH = 60;
    static final long PERIOD_MS = 250;
    static final LongAdder asked = new LongAdder(), askNanos = new LongAdder();
    static volatile int up;

    interface SelfTest {
        double run(int component) throws Exception;
    }

    /** What components are tested with: three of these each. */
    static final class SelfTests {
        static double spectrum(int component) {
            double sum = 0;
            for (int k = 1; k < 60; k++) {
                double re = 0, im = 0;
                for (int t = 0; t < 2000; t++) {
                    double s = Math.sin(t * 0.01 * (component + 1));
                    re += s * Math.cos(t * k * 0.003);
                    im += s * Math.sin(t * k * 0.003);
                }
                sum += Math.hypot(re, im);
            }
            return sum;
        }

        static double settings(int component) throws Exception {
            String xml = IntStream.range(0, 300).mapToObj(i -> "<axis id='" + i + "'><min>" + -i + "</min><max>" + i * component + "</max></axis>")
                .collect(Collectors.joining("", "<mount>", "</mount>"));
            return DocumentBuilderFactory.newInstance().newDocumentBuilder()
                .parse(new ByteArrayInputStream(xml.getBytes(StandardCharsets.UTF_8))).getElementsByTagName("axis").getLength();
        }

        static double journal(int component) {
            Pattern line = Pattern.compile("(\\d+) (\\w+)-(\\w+): ([\\d.]+)( C)?");
            int found = 0;
            for (int i = 0; i < 2000; i++) {
                Matcher matcher = line.matcher(i + " dome-motor" + component + ": " + i * 0.25 + " C");
                found += matcher.matches() ? matcher.group(4).length() : 0;
            }
            return found;
        }

        static double night(int component) {
            DateTimeFormatter format = DateTimeFormatter.ofPattern("EEE d MMM yyyy HH:mm z");
            ZonedDateTime time = ZonedDateTime.of(2024, 1, 1, 18, 0, 0, 0, ZoneId.of("America/Santiago"));
            return IntStream.range(0, 1500).map(i -> time.plusHours((long) i * component).format(format).length()).sum();
        }

        static double frame(int component) throws IOException {
            byte[] pixels = new byte[200_000];
            Random random = new Random(component);
            for (int i = 0; i < pixels.length; i++)
                pixels[i] = (byte) (100 + random.nextGaussian() * 5);
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            try (GZIPOutputStream zip = new GZIPOutputStream(out)) {
                zip.write(pixels);
            }
            return out.size();
        }

        static double ephemeris(int component) {
            BigDecimal x = new BigDecimal("0.0167086"), sum = BigDecimal.ZERO;
            for (int i = 1; i < 1500; i++)
                sum = sum.add(x.multiply(BigDecimal.valueOf(component + i)).divide(BigDecimal.valueOf(i), MathContext.DECIMAL64));
            return sum.doubleValue();
        }

        static double schedule(int component) {
            record Target(String name, double altitude, int priority) { }
            return new Random(component).doubles(8000, 0, 90).mapToObj(a -> new Target("NGC " + (int) (a * 80), a, (int) a % 5))
                .sorted(Comparator.comparingInt(Target::priority).thenComparing(Target::altitude))
                .collect(Collectors.groupingBy(Target::priority, Collectors.averagingDouble(Target::altitude)))
                .values().stream().mapToDouble(d -> d).sum();
        }

        static double labels(int component) {
            int length = 0;
            for (int i = 0; i < 1500; i++)
                length += String.format("%05d %s %8.3f %x", i, "filter-" + component, i / 7.0, i).length();
            return length;
        }
    }

    private static final SelfTest[] TESTS = {SelfTests::spectrum, SelfTests::settings, SelfTests::journal, SelfTests::night,
        SelfTests::frame, SelfTests::ephemeris, SelfTests::schedule, SelfTests::labels};

    static final class Component {
        private final int number;
        private final List<String> classes;
        private int beans, properties;

        Component(int number, List<String> classes) {
            this.number = number;
            this.classes = classes;
        }

        /** Loads the classes, and counts those that can be made without arguments, and their properties. */
        private void load() {
            for (String name : classes) {
                try {
                    Class<?> c = Class.forName(name, false, ClassLoader.getSystemClassLoader());
                    for (Method method : c.getDeclaredMethods()) {
                        if (method.getParameterCount() == 1 && method.getName().startsWith("set"))
                            properties++;
                    }
                    for (Constructor<?> constructor : c.getDeclaredConstructors()) {
                        if (constructor.getParameterCount() == 0 && Modifier.isPublic(constructor.getModifiers()))
                            beans++;
                    }
                } catch (ClassNotFoundException | LinkageError e) {
                    System.err.println("component " + number + ": " + e);
                }
            }
        }

        double start() throws Exception {
            load();
            double sum = beans + properties;
            for (int i = 0; i < 3; i++)
                sum += TESTS[(number + i) % TESTS.length].run(number);
            return sum;
        }
    }

    /** The components, from the packages of these modules, in the order of their names. */
    static List<Component> plan(String... modules) throws IOException {
        List<String> names = new ArrayList<>();
        for (String module : modules) {
            Path root = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("modules", module);
            try (Stream<Path> files = Files.walk(root)) {
                files.map(f -> root.relativize(f).toString())
                    .filter(f -> f.endsWith(".class") && f.indexOf('/') > 0 && !f.endsWith("-info.class"))
                    .map(f -> f.substring(0, f.length() - 6).replace('/', '.'))
                    .sorted().forEach(names::add);
            }
        }
        List<Component> plan = new ArrayList<>();
        for (int from = 0; from < names.size(); from += CLASSES_EACH)
            plan.add(new Component(plan.size(), names.subList(from, Math.min(from + CLASSES_EACH, names.size()))));
        return plan;
    }

    /** Somebody reads the status page. */
    static void assistant(int port) {
        try {
            while (true) {
                long begin = System.nanoTime();
                try (InputStream in = URI.create("http://127.0.0.1:" + port + "/status").toURL().openStream()) {
                    in.readAllBytes();
                } catch (IOException e) {
                    System.err.println("assistant: " + e);
                }
                askNanos.add(System.nanoTime() - begin);
                asked.increment();
                Thread.sleep(250);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0), 16);
        server.setExecutor(Executors.newFixedThreadPool(2));
        server.createContext("/status", exchange -> {
            byte[] body = (up + " components are up\n").getBytes(StandardCharsets.US_ASCII);
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        new Thread(() -> assistant(server.getAddress().getPort()), "assistant").start();
        List<Component> plan = plan("java.desktop", "jdk.compiler", "java.xml", "java.naming", "java.management", "jdk.jshell",
            "jdk.javadoc", "jdk.jdi", "java.base", "java.sql.rowset", "java.rmi", "jdk.jfr", "java.security.jgss",
            "java.net.http", "jdk.localedata", "jdk.charsets", "jdk.jlink", "jdk.dynalink", "jdk.jartool", "jdk.xml.dom", "java.xml.crypto");
        long begin = System.nanoTime(), startNanos = 0, compiled = 0;
        double sum = 0;
        for (int second = 0; ; second++) {
            for (int i = 0; i < 1000 / PERIOD_MS; i++) {
                if (up < plan.size()) {
                    long now = System.nanoTime();
                    sum += plan.get(up).start();
                    up++;
                    startNanos += System.nanoTime() - now;
                }
                long rest = PERIOD_MS - (System.nanoTime() - begin) / 1_000_000;
                Thread.sleep(Math.max(20, rest));
                begin = System.nanoTime();
            }
            long total = ManagementFactory.getCompilationMXBean().getTotalCompilationTime();
            System.out.printf("measured: %d of %d components up, %.0f ms of starting in this second, %d ms of compiling, %d classes; page in %.1f ms; %.0f%n",
                up, plan.size(), startNanos / 1e6, total - compiled, ManagementFactory.getClassLoadingMXBean().getLoadedClassCount(),
                askNanos.sumThenReset() / 1e6 / Math.max(1, asked.sumThenReset()), sum);
            startNanos = 0;
            compiled = total;
            if (second == 2) {
                System.out.println("READY");
                System.out.flush();
            }
        }
    }
}
