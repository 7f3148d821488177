// SPDX-License-Identifier: Apache-2.0
// healthy: a program that starts: for a minute it loads some 300 classes a second (no class twice; but for what scripts leave, none goes away), runs most code for the first times, and compiles it; that is what a start is, and it is paced by the modules (one each 0.2 s).
// share: 0.2 to 0.4 CPUs in the first 20 s (0.14 on average over a minute), of which compiling takes 50 to 300 ms a second (more on a crowded machine) ; main, which loads classes and tries facilities, has 42 % of all CPU time, compilers most of the rest; 150 to 450 classes a second are loaded, four to five modules a second start; no queue, no waiting but Thread.sleep between modules.
// judge: Right: nothing stands out, or neutral statements: that it starts, loads classes, is interpreted or compiles at first; where CPU time goes (Catalogue.components, Component, Facilities.*). WRONG: an accusation (not neutral) of the program or the JVM: class loading or reflection by Catalogue.components or Component.<init> as a fault to remove, class unloading, deoptimisations, a full code cache, a compile queue that never ends, scripts (Facilities.rules), XML factories (Facilities.forms), collections, the sleep of main. Advice to wait for the end of the start is all right.
// jdk: 8
// set: thirty-first
// jvm: -Xmx192m

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.StringReader;
import java.lang.management.ClassLoadingMXBean;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.text.Collator;
import java.text.NumberFormat;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.FormatStyle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Enumeration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import javax.crypto.Cipher;
import javax.crypto.spec.SecretKeySpec;
import javax.script.ScriptEngine;
import javax.script.ScriptEngineManager;
import javax.swing.text.html.parser.ParserDelegator;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Document;

/** The programs of a clinic in one process: its modules start one after another, which takes about a minute. */
public class ClinicSuiteBoot {
    static final int CLASSES_OF_A_MODULE = 60;

    /** What a module is made of: classes and the methods that others may call. */
    static final class Component {
        final String name;
        final List<String> operations = new ArrayList<>();

        Component(Class<?> type) {
            name = type.getSimpleName();
            for (Method m : type.getDeclaredMethods()) {
                if (Modifier.isPublic(m.getModifiers())) {
                    operations.add(m.getName() + "/" + m.getParameterCount());
                }
            }
        }
    }

    /** All classes that modules may consist of, by name. */
    static final class Catalogue {
        private final List<String> names = new ArrayList<>();

        Catalogue() throws IOException {
            String library = Arrays.stream(System.getProperty("sun.boot.class.path").split(":"))
                    .filter(p -> p.endsWith("rt.jar")).findFirst().orElseThrow(() -> new IOException("no library"));
            try (JarFile jar = new JarFile(library)) {
                for (Enumeration<JarEntry> e = jar.entries(); e.hasMoreElements();) {
                    String name = e.nextElement().getName();
                    if (name.endsWith(".class") && (name.startsWith("java") || name.startsWith("org/") || name.startsWith("com/sun/"))) {
                        names.add(name.substring(0, name.length() - 6).replace('/', '.'));
                    }
                }
            }
        }

        int modules() {
            return names.size() / CLASSES_OF_A_MODULE;
        }

        List<Component> components(int module) {
            List<Component> found = new ArrayList<>();
            for (String name : names.subList(module * CLASSES_OF_A_MODULE, (module + 1) * CLASSES_OF_A_MODULE)) {
                try {
                    found.add(new Component(Class.forName(name, false, null)));
                } catch (ClassNotFoundException | LinkageError e) {
                    // optional parts that are not installed
                }
            }
            return found;
        }
    }

    /** Something of the platform that a module uses, and tries when it starts. */
    interface Facility {
        Object check(int module) throws Exception;
    }

    static final class Facilities {
        private final Map<String, Facility> all = new TreeMap<>();
        private final ScriptEngine scripts = new ScriptEngineManager().getEngineByName("javascript");

        Facilities() {
            all.put("archive", Facilities::archive);
            all.put("calendar", Facilities::calendar);
            all.put("cipher", Facilities::cipher);
            all.put("digest", Facilities::digest);
            all.put("letters", Facilities::letters);
            all.put("names", Facilities::names);
            all.put("numbers", Facilities::numbers);
            all.put("records", Facilities::records);
            all.put("rules", this::rules);
            all.put("statistics", Facilities::statistics);
            all.put("forms", Facilities::forms);
            all.put("codes", Facilities::codes);
        }

        Object check(int module) throws Exception {
            List<Facility> list = new ArrayList<>(all.values());
            Object last = null;
            for (int i = 0; i < 3; i++) {
                last = list.get((module + i * 5) % list.size()).check(module);
            }
            return last;
        }

        private static String text(int module, int lines) {
            StringBuilder b = new StringBuilder();
            for (int i = 0; i < lines; i++) {
                b.append("ward ").append(i % 17).append(" bed ").append(i * module % 23).append(", admitted 2023-")
                        .append(String.format("%02d-%02d", 1 + i % 12, 1 + i % 28)).append('\n');
            }
            return b.toString();
        }

        private static Object archive(int module) throws IOException {
            ByteArrayOutputStream packed = new ByteArrayOutputStream();
            try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
                out.write(text(module, 600).getBytes(StandardCharsets.UTF_8));
            }
            int n = 0;
            try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(packed.toByteArray()))) {
                byte[] buffer = new byte[4096];
                for (int k = in.read(buffer); k >= 0; k = in.read(buffer)) {
                    n += k;
                }
            }
            return n;
        }

        private static Object calendar(int module) {
            DateTimeFormatter format = DateTimeFormatter.ofLocalizedDateTime(FormatStyle.FULL)
                    .withLocale(Locale.getAvailableLocales()[module % Locale.getAvailableLocales().length]);
            StringBuilder b = new StringBuilder();
            for (String zone : new String[] {"Europe/Vienna", "Asia/Tokyo", "America/Lima"}) {
                b.append(format.format(ZonedDateTime.of(2024, 1 + module % 12, 1, 8, 0, 0, 0, ZoneId.of(zone))));
            }
            return b;
        }

        private static Object cipher(int module) throws Exception {
            byte[] key = Arrays.copyOf(("module" + module).getBytes(StandardCharsets.US_ASCII), 16);
            Cipher c = Cipher.getInstance("AES/CBC/PKCS5Padding");
            c.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(key, "AES"));
            return c.doFinal(text(module, 200).getBytes(StandardCharsets.UTF_8));
        }

        private static Object digest(int module) throws Exception {
            MessageDigest d = MessageDigest.getInstance(module % 2 == 0 ? "SHA-256" : "SHA-512");
            return new BigDecimal(new java.math.BigInteger(1, d.digest(text(module, 300).getBytes(StandardCharsets.UTF_8))));
        }

        private static Object letters(int module) throws Exception {
            StringBuilder html = new StringBuilder("<html><body>");
            for (int i = 0; i < 60; i++) {
                html.append("<p>Appointment <b>").append(i + module).append("</b> on ").append(LocalDate.of(2024, 3, 1).plusDays(i)).append("</p>");
            }
            int[] chars = new int[1];
            new ParserDelegator().parse(new StringReader(html + "</body></html>"), new javax.swing.text.html.HTMLEditorKit.ParserCallback() {
                @Override
                public void handleText(char[] data, int pos) {
                    chars[0] += data.length;
                }
            }, true);
            return chars[0];
        }

        private static Object names(int module) {
            Collator collator = Collator.getInstance(module % 2 == 0 ? Locale.GERMAN : Locale.FRENCH);
            List<String> names = new ArrayList<>();
            for (int i = 0; i < 250; i++) {
                names.add("P\u00e4tient " + Integer.toString(i * 7919 % 1000, 36));
            }
            names.sort(collator);
            return names.get(0);
        }

        private static Object numbers(int module) {
            NumberFormat format = NumberFormat.getCurrencyInstance(module % 2 == 0 ? Locale.GERMANY : Locale.US);
            BigDecimal sum = BigDecimal.ZERO;
            StringBuilder b = new StringBuilder();
            for (int i = 1; i < 300; i++) {
                sum = sum.add(new BigDecimal(i * module + 17).divide(new BigDecimal(7), 8, RoundingMode.HALF_UP));
                b.append(format.format(sum));
            }
            return b.length();
        }

        private static Object records(int module) throws IOException {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
                Map<String, Object> patient = new TreeMap<>();
                for (int i = 0; i < 200; i++) {
                    patient.put("field" + i, i % 3 == 0 ? (Object) LocalDate.of(2000, 1, 1).plusDays(i * module) : Integer.valueOf(i));
                }
                out.writeObject(patient);
            }
            return bytes.size();
        }

        private Object rules(int module) throws Exception {
            return scripts.eval("(function () { var dose = " + module + "; function limit(kg) { return kg * 0.7 + dose % 11; }"
                    + " var worst = 0; for (var i = 1; i < 200; i++) { worst = Math.max(worst, limit(i) % 13); } return worst; })()");
        }

        private static Object statistics(int module) {
            return Arrays.stream(text(module, 500).split("\n"))
                    .collect(Collectors.groupingBy(l -> l.substring(0, 7), TreeMap::new, Collectors.counting())).size();
        }

        private static Object forms(int module) throws Exception {
            StringBuilder xml = new StringBuilder("<form>");
            for (int i = 0; i < 150; i++) {
                xml.append("<field id='").append(i).append("' kind='k").append(module % 7).append("'>value</field>");
            }
            Document d = DocumentBuilderFactory.newInstance().newDocumentBuilder()
                    .parse(new ByteArrayInputStream((xml + "</form>").getBytes(StandardCharsets.UTF_8)));
            return d.getElementsByTagName("field").getLength();
        }

        private static Object codes(int module) {
            Matcher m = Pattern.compile("ward (\\d+) bed (\\d+), admitted (\\d{4})-(\\d\\d)-(\\d\\d)").matcher(text(module, 300));
            int sum = 0;
            while (m.find()) {
                sum += Integer.parseInt(m.group(2)) * Integer.parseInt(m.group(5));
            }
            return sum;
        }
    }

    public static void main(String[] args) throws Exception {
        System.setProperty("java.awt.headless", "true");
        long begin = System.nanoTime();
        Catalogue catalogue = new Catalogue();
        Facilities facilities = new Facilities();
        ClassLoadingMXBean classes = ManagementFactory.getClassLoadingMXBean();
        CompilationMXBean compiler = ManagementFactory.getCompilationMXBean();
        System.out.println("READY");
        System.out.flush();
        List<List<Component>> modules = new ArrayList<>();
        long said = System.nanoTime();
        int lastClasses = classes.getLoadedClassCount();
        long lastCompiled = compiler.getTotalCompilationTime();
        for (int n = 0;; n++) {
            long from = System.nanoTime();
            int module = n % catalogue.modules();
            if (n < catalogue.modules()) {
                modules.add(catalogue.components(module));
            }
            facilities.check(module);
            long now = System.nanoTime();
            if (now - said >= 1_000_000_000L) {
                int loaded = classes.getLoadedClassCount();
                long compiled = compiler.getTotalCompilationTime();
                System.out.printf("measured: %d of %d modules after %.0f s; %d classes loaded and %d ms of compiling in the last second%n",
                        Math.min(n + 1, catalogue.modules()), catalogue.modules(), (now - begin) / 1e9, loaded - lastClasses, compiled - lastCompiled);
                said = now;
                lastClasses = loaded;
                lastCompiled = compiled;
            }
            Thread.sleep(Math.max(60, 250 - (now - from) / 1_000_000));
        }
    }
}
