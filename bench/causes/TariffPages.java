// SPDX-License-Identifier: Apache-2.0
// healthy: a server of forms that starts: it translates its 700 form templates to Java, compiles and loads them once each, which takes the first half minute or more (one thread, and the JIT compilers), and serves those that are ready by then; then it only serves, under light load. The recording sees classes being loaded and code being compiled, as at any start
// share: nothing is lost: 0.7 to 1 CPU while it starts (javac in deployment, C2 and C1), forms filled in within 0.1 ms, no class unloaded; a few hundredths of a CPU afterwards
// judge: right: nothing stands out, or neutral remarks: CPU time goes to javac (Deployment.compile), to loading classes, to the JIT compilers; "the program warms up"; many methods wait to be compiled while it starts, if it is said to be of the start. WRONG: accusing collections, locks, waits, class unloading (no classes go away), the heap, deoptimisations as a fault, exceptions, the machine; saying that classes are made again and again (each is made once); an accusation that Forms.render or Counter.run is slow.
// jdk: 17
// set: thirty-sixth
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** Forms of a customs office: templates are compiled when the server starts, and filled in for who asks. */
public class TariffPages {
    static final LongAdder rendered = new LongAdder();
    static final LongAdder renderNanos = new LongAdder();

    /** A template: text with fields, some of which are computed. */
    record Template(String name, List<String> sections) {
        static Template read(int number) {
            Random random = new Random(number);
            List<String> sections = new ArrayList<>();
            int n = 5 + random.nextInt(6);
            for (int i = 0; i < n; i++) {
                StringBuilder text = new StringBuilder("Section " + (i + 1) + ": ");
                for (int f = 0; f < 6 + random.nextInt(8); f++) {
                    text.append(random.nextBoolean() ? "amount" : "weight").append(" in box ").append(f).append(" is ");
                    text.append(random.nextInt(3) == 0 ? "${sum f" + f + " f" + random.nextInt(6) + "}" : "${f" + f + "}").append("; ");
                }
                sections.add(text.toString());
            }
            return new Template("Form" + number, sections);
        }

        String toJava() {
            StringBuilder java = new StringBuilder();
            java.append("package forms;\nimport java.util.*;\nimport java.util.function.*;\npublic class ").append(name);
            java.append(" implements Function<Map<String, String>, String> {\n");
            java.append("  interface Part { void write(Map<String, String> fields, StringBuilder out); }\n");
            java.append("  private final List<Part> parts = new ArrayList<>();\n  public ").append(name).append("() {\n");
            for (int i = 0; i < sections.size(); i++) java.append("    parts.add(new Section").append(i).append("());\n");
            java.append("  }\n  public String apply(Map<String, String> fields) {\n    StringBuilder out = new StringBuilder();\n");
            java.append("    for (Part part : parts) part.write(fields, out);\n    return out.toString();\n  }\n");
            java.append("  static long number(Map<String, String> fields, String name) {\n    String text = fields.getOrDefault(name, \"0\");\n");
            java.append("    long value = 0;\n    for (int i = 0; i < text.length(); i++) value = value * 10 + Character.digit(text.charAt(i), 10);\n    return value;\n  }\n");
            for (int i = 0; i < sections.size(); i++) {
                java.append("  static final class Section").append(i).append(" implements Part {\n    public void write(Map<String, String> fields, StringBuilder out) {\n");
                String text = sections.get(i);
                int at = 0;
                for (int open = text.indexOf("${"); open >= 0; open = text.indexOf("${", at)) {
                    java.append("      out.append(\"").append(text, at, open).append("\");\n");
                    int close = text.indexOf('}', open);
                    String[] word = text.substring(open + 2, close).split(" ");
                    if (word.length == 1) java.append("      out.append(fields.getOrDefault(\"").append(word[0]).append("\", \"-\"));\n");
                    else java.append("      out.append(number(fields, \"").append(word[1]).append("\") + number(fields, \"").append(word[2]).append("\"));\n");
                    at = close + 1;
                }
                java.append("      out.append(\"").append(text.substring(at)).append("\\n\");\n    }\n  }\n");
            }
            return java.append("}\n").toString();
        }
    }

    /** What has been compiled, in memory. */
    static final class Store extends ForwardingJavaFileManager<JavaFileManager> {
        final Map<String, ByteArrayOutputStream> classes = new HashMap<>();
        Store(JavaFileManager files) {
            super(files);
        }
        @Override public JavaFileObject getJavaFileForOutput(Location location, String name, JavaFileObject.Kind kind, FileObject sibling) {
            return new SimpleJavaFileObject(URI.create("memory:///" + name.replace('.', '/') + ".class"), kind) {
                @Override public OutputStream openOutputStream() {
                    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                    classes.put(name, bytes);
                    return bytes;
                }
            };
        }
    }

    static final class FormLoader extends ClassLoader {
        FormLoader(ClassLoader parent) {
            super(parent);
        }
        private final Map<String, ByteArrayOutputStream> compiled = new ConcurrentHashMap<>();
        void put(Map<String, ByteArrayOutputStream> classes) {
            compiled.putAll(classes);
        }
        @Override protected Class<?> findClass(String name) throws ClassNotFoundException {
            ByteArrayOutputStream bytes = compiled.remove(name);
            if (bytes == null) throw new ClassNotFoundException(name);
            return defineClass(name, bytes.toByteArray(), 0, bytes.size());
        }
    }

    /** Brings the forms up, one after another, once at the start. */
    static final class Deployment implements Runnable {
        private final Forms forms;
        private final int count;
        Deployment(Forms forms, int count) {
            this.forms = forms;
            this.count = count;
        }
        @Override public void run() {
            JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
            JavaFileManager files = compiler.getStandardFileManager(null, Locale.ROOT, null);
            FormLoader loader = new FormLoader(TariffPages.class.getClassLoader());
            for (int number = 1; number <= count; number++) {
                try {
                    forms.add(compile(compiler, files, loader, Template.read(number)));
                } catch (ReflectiveOperationException e) {
                    System.err.println("form " + number + " is left out: " + e);
                }
            }
        }
        @SuppressWarnings("unchecked")
        private Function<Map<String, String>, String> compile(JavaCompiler compiler, JavaFileManager files, FormLoader loader, Template template) throws ReflectiveOperationException {
            String source = template.toJava();
            Store store = new Store(files);
            JavaFileObject unit = new SimpleJavaFileObject(URI.create("memory:///forms/" + template.name() + ".java"), JavaFileObject.Kind.SOURCE) {
                @Override public CharSequence getCharContent(boolean ignore) {
                    return source;
                }
            };
            if (!compiler.getTask(null, store, null, List.of("-proc:none"), null, List.of(unit)).call()) throw new ClassNotFoundException(template.name());
            loader.put(store.classes);
            return (Function<Map<String, String>, String>) loader.loadClass("forms." + template.name()).getDeclaredConstructor().newInstance();
        }
    }

    static final class Forms {
        private final List<Function<Map<String, String>, String>> ready = new CopyOnWriteArrayList<>();
        void add(Function<Map<String, String>, String> form) {
            ready.add(form);
        }
        int size() {
            return ready.size();
        }
        String render(int number, Map<String, String> fields) {
            return ready.get(number).apply(fields);
        }
    }

    /** A counter of the office at which forms are filled in. */
    record Counter(Forms forms, int seed) implements Runnable {
        @Override public void run() {
            Random random = new Random(seed);
            Map<String, Long> lengths = new ConcurrentHashMap<>();
            while (true) {
                LockSupport.parkNanos(4_000_000);
                int n = forms.size();
                if (n == 0) continue;
                long t0 = System.nanoTime();
                Map<String, String> fields = new HashMap<>();
                for (int i = 0; i < 12; i++) fields.put("f" + i, Integer.toString(random.nextInt(1_000_000)));
                String text = forms.render(random.nextInt(n), fields);
                lengths.merge("written", (long) text.length(), Long::sum);
                rendered.increment();
                renderNanos.add(System.nanoTime() - t0);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Forms forms = new Forms();
        new Thread(new Deployment(forms, 700), "deployment").start();
        for (int i = 1; i <= 2; i++) new Thread(new Counter(forms, i), "counter-" + i).start();
        while (rendered.sum() < 10) Thread.sleep(20);
        System.out.println("READY");
        System.out.flush();
        long n0 = rendered.sum(), r0 = renderNanos.sum(), c0 = cpu();
        while (true) {
            Thread.sleep(1000);
            long n = rendered.sum(), r = renderNanos.sum(), c = cpu();
            System.out.println(String.format(Locale.ROOT, "measured: %d of 700 forms are up; %d filled in, %.0f us each; %d classes loaded, %d unloaded; %.2f CPUs",
                forms.size(), n - n0, (r - r0) / 1e3 / Math.max(1, n - n0), ManagementFactory.getClassLoadingMXBean().getTotalLoadedClassCount(),
                ManagementFactory.getClassLoadingMXBean().getUnloadedClassCount(), (c - c0) / 1e9));
            n0 = n; r0 = r; c0 = c;
        }
    }

    private static long cpu() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }
}
