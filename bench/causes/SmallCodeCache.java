// SPDX-License-Identifier: Apache-2.0
// cause: the code cache was limited to 3 MB, and the compiled code of what runs does not fit
// expect: code-cache
// symptom: hot-method hot-code hot-calls compile-queue deoptimisations class-unloading
// jvm: -Xmx256m -XX:ReservedCodeCacheSize=3m -XX:+UseSerialGC
// jdk: 17
// set: sixth
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.net.URI;
import java.util.List;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/**
 * A rule service translates customers' rules with the JDK's compiler, whose own code needs some 15 MB of code cache
 * once it is compiled. Somebody limited it to 3 MB to save memory: the JIT compiles, throws away and compiles again,
 * and most of the time is spent in interpreted code, several times slower. One thread works, nothing is waited for, the
 * heap is nearly empty, and the translation is as spread over methods as any compiler.
 */
public final class SmallCodeCache {
    private static volatile long translated;

    private static final class Rules extends SimpleJavaFileObject {
        private final String text;

        private Rules(String name, String text) {
            super(URI.create("string:///" + name + ".java"), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    private static final class Translated extends SimpleJavaFileObject {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        private Translated(String name) {
            super(URI.create("string:///" + name + ".class"), Kind.CLASS);
        }

        @Override
        public OutputStream openOutputStream() {
            return bytes;
        }
    }

    private static final class InMemory extends ForwardingJavaFileManager<JavaFileManager> {
        private Translated last;

        private InMemory(JavaFileManager files) {
            super(files);
        }

        @Override
        public JavaFileObject getJavaFileForOutput(Location location, String name, JavaFileObject.Kind kind,
                                                   FileObject sibling) {
            last = new Translated(name);
            return last;
        }
    }

    private static String write(int customer) {
        StringBuilder text = new StringBuilder("import java.util.*;\nclass Rules" + customer + " {\n");
        for (int i = 0; i < 20; i++) {
            int limit = customer % 100 + i;
            text.append("  static long rule").append(i).append("(Map<String, Integer> order, List<String> seen) {\n")
                .append("    long sum = order.getOrDefault(\"amount\", ").append(limit).append(");\n")
                .append("    for (String s : seen) { if (s.length() > ").append(i).append(") sum += s.hashCode(); }\n")
                .append("    return switch ((int) (sum % 3)) { case 0 -> sum * ").append(limit)
                .append("; case 1 -> seen.stream().filter(s -> s.isEmpty()).count(); default -> -sum; };\n  }\n");
        }
        return text.append("}\n").toString();
    }

    private static int translate(JavaCompiler compiler, InMemory files, int customer) {
        Rules rules = new Rules("Rules" + customer, write(customer));
        if (!compiler.getTask(null, files, null, List.of("-proc:none"), null, List.of(rules)).call()) {
            throw new IllegalStateException("rules of customer " + customer);
        }
        return files.last.bytes.size();
    }

    public static void main(String[] args) throws InterruptedException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        InMemory files = new InMemory(compiler.getStandardFileManager(null, null, null));
        System.out.println("READY");
        for (int customer = 0;; customer++) {
            translated += translate(compiler, files, customer);
            Thread.sleep(10); // the next customer
        }
    }
}
