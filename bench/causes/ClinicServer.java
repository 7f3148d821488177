// SPDX-License-Identifier: Apache-2.0
// healthy: a server starts up module by module: its classes are loaded and inspected once each, each module exercises itself once, so much code is compiled; it answers requests in the meantime, and nothing is done twice
// share: by its own figures requests take less than a millisecond in the middle, while some 200 classes a second are loaded for the first time for a minute and a half
// judge: RIGHT: nothing stands out, or neutral statements that it starts up / that time goes to loading classes, reflection or compiling. WRONG: an accusation of any method, lock, pool, queue or of class loading as a fault of the program (classes looked up again and again, loaders made anew), a compile queue or code cache as a fault to be fixed
// jdk: 8
// set: thirty-second
// jvm: -Xmx512m
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.lang.reflect.Method;
import java.security.MessageDigest;
import java.text.DateFormat;
import java.text.NumberFormat;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Date;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.zip.CRC32;
import java.util.zip.Deflater;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.transform.TransformerFactory;
import javax.xml.transform.stream.StreamResult;
import javax.xml.transform.stream.StreamSource;
import org.xml.sax.InputSource;

/** The server of a clinic: it makes its modules ready one after another, and serves what is ready already. */
public class ClinicServer {

    /** What is known of each operation that a module offers. */
    static final class Registry {
        private final Map<String, List<String>> operations = new ConcurrentHashMap<>();
        private final LongAdder classes = new LongAdder();

        void add(Class<?> type) {
            List<String> names = new ArrayList<>();
            for (Method method : type.getDeclaredMethods()) names.add(method.getName() + "/" + method.getParameterCount());
            Collections.sort(names);
            operations.put(type.getName(), names);
            classes.increment();
        }

        int size() {
            return classes.intValue();
        }

        List<String> of(String name) {
            return operations.getOrDefault(name, Collections.emptyList());
        }
    }

    static final class Module {
        final String name;
        final List<String> types;

        Module(String name, List<String> types) {
            this.name = name;
            this.types = types;
        }

        void load(Registry registry) throws InterruptedException {
            int count = 0;
            for (String type : types) {
                try {
                    registry.add(Class.forName(type, false, ClinicServer.class.getClassLoader()));
                } catch (ClassNotFoundException | LinkageError e) {
                    continue;
                }
                if (++count % 20 == 0) Thread.sleep(80);
            }
        }
    }

    /** Packages of the runtime library, each as a module with its classes. */
    static List<Module> modules() throws IOException {
        Map<String, List<String>> packages = new TreeMap<>();
        try (JarFile jar = new JarFile(System.getProperty("java.home") + "/lib/rt.jar")) {
            for (Enumeration<JarEntry> entries = jar.entries(); entries.hasMoreElements(); ) {
                String name = entries.nextElement().getName();
                int slash = name.lastIndexOf('/');
                if (slash < 0 || !name.endsWith(".class")) continue;
                packages.computeIfAbsent(name.substring(0, slash), key -> new ArrayList<>())
                        .add(name.substring(0, name.length() - 6).replace('/', '.'));
            }
        }
        List<Module> modules = new ArrayList<>();
        packages.forEach((name, types) -> modules.add(new Module(name, types)));
        Collections.shuffle(modules, new java.util.Random(42));
        return modules;
    }

    /** The first steps of each part of the server: done once, when the part is made ready. */
    static List<Callable<Object>> firstSteps() {
        List<Callable<Object>> steps = new ArrayList<>();
        String sheet = "<xsl:stylesheet version='1.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform'><xsl:template match='/'>"
                + "<ward><xsl:for-each select='//bed'><b><xsl:value-of select='@no'/></b></xsl:for-each></ward></xsl:template></xsl:stylesheet>";
        steps.add(() -> {
            StringWriter out = new StringWriter();
            TransformerFactory.newInstance().newTransformer(new StreamSource(new StringReader(sheet)))
                    .transform(new StreamSource(new StringReader("<w><bed no='1'/><bed no='2'/></w>")), new StreamResult(out));
            return out;
        });
        steps.add(() -> DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new InputSource(new StringReader("<a><b/></a>"))));
        steps.add(() -> Pattern.compile("(\\d+)\\s+(mg|ml|g)").matcher("take 20 mg").find());
        steps.add(() -> new javax.script.ScriptEngineManager().getEngineByName("javascript").eval("var s = 0; for (var i = 0; i < 100; i++) s += i; s"));
        for (Locale locale : new Locale[] {Locale.GERMANY, Locale.FRANCE, Locale.JAPAN, Locale.ITALY, Locale.KOREA})
            steps.add(() -> DateFormat.getDateInstance(DateFormat.FULL, locale).format(new Date()) + NumberFormat.getCurrencyInstance(locale).format(12.5));
        for (String digest : new String[] {"MD5", "SHA-1", "SHA-256", "SHA-512"})
            steps.add(() -> Arrays.toString(MessageDigest.getInstance(digest).digest(new byte[200_000])));
        steps.add(() -> Arrays.asList("Ines", "Olaf", "Rui").stream().collect(Collectors.groupingBy(String::length, TreeMap::new, Collectors.toList())));
        steps.add(() -> {
            Deflater deflater = new Deflater();
            deflater.setInput(new byte[100_000]);
            deflater.finish();
            int n = deflater.deflate(new byte[10_000]);
            deflater.end();
            return n;
        });
        return steps;
    }

    /** Requests that come in the meantime. */
    static final class Reception implements Runnable {
        private final Registry registry;
        private final Map<Integer, String> patients = new HashMap<>();
        final List<Long> times = Collections.synchronizedList(new ArrayList<>());
        private int next;

        Reception(Registry registry) {
            this.registry = registry;
        }

        @Override
        public void run() {
            long begin = System.nanoTime();
            for (int i = 0; i < 20; i++) {
                int id = next++ % 4000;
                CRC32 crc = new CRC32();
                crc.update(("patient " + id).getBytes());
                patients.put(id, Long.toHexString(crc.getValue()) + registry.of("java.util.List").size());
            }
            times.add(System.nanoTime() - begin);
        }
    }

    public static void main(String[] args) throws Exception {
        Registry registry = new Registry();
        Reception reception = new Reception(registry);
        ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
        clock.scheduleWithFixedDelay(reception, 0, 10, TimeUnit.MILLISECONDS);
        List<Module> modules = modules();
        List<Callable<Object>> steps = firstSteps();
        Thread starter = new Thread(() -> {
            try {
                for (int i = 0; i < modules.size(); i++) {
                    modules.get(i).load(registry);
                    if (i % 40 == 20 && i / 40 < steps.size()) steps.get(i / 40).call();
                }
                System.out.println("all modules are ready");
            } catch (Exception e) {
                System.err.println("start-up ended: " + e);
            }
        }, "starter");
        starter.start();
        while (registry.size() < 100) Thread.sleep(20);
        System.out.println("READY");
        System.out.flush();
        int before = registry.size();
        while (true) {
            Thread.sleep(1000);
            List<Long> times;
            synchronized (reception.times) {
                times = new ArrayList<>(reception.times);
                reception.times.clear();
            }
            Collections.sort(times);
            int now = registry.size();
            System.out.printf("measured: %d classes more, %d in all; %d requests, %.3f ms in the middle%n", now - before, now,
                    times.size(), times.isEmpty() ? 0 : times.get(times.size() / 2) / 1e6);
            before = now;
        }
    }
}
