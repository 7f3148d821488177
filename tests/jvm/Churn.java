// SPDX-License-Identifier: Apache-2.0
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.util.Scanner;

/**
 * Code and classes that come and go. Commands on standard input: `classes N` loads a class N times, each time anew, and
 * makes its compiled code wrong; `gc` collects; `dumps MS` asks for all stacks during that time; `exit` ends. Each
 * answers with a line that ends in "done".
 */
public class Churn {
    static volatile long sink;

    /** What is loaded anew. */
    public static class Victim {
        public static int work(Object o, int n) {
            int sum = 0;
            for (int i = 0; i < n; i++) {
                sum += o instanceof String ? i ^ sum : sum * 31 + o.hashCode();
            }
            return sum;
        }
    }

    static class Anew extends ClassLoader {
        private final byte[] code;

        Anew(byte[] code) {
            super(null);
            this.code = code;
        }

        @Override
        protected Class<?> findClass(String name) {
            return defineClass(name, code, 0, code.length);
        }
    }

    static byte[] codeOf(String name) throws Exception {
        try (InputStream in = Churn.class.getResourceAsStream("/" + name + ".class")) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            byte[] part = new byte[4096];
            for (int n; (n = in.read(part)) > 0; ) {
                out.write(part, 0, n);
            }
            return out.toByteArray();
        }
    }

    /** Compiled for strings, then called with something else: the compiled code has no way for that. */
    static void classes(int n) throws Exception {
        byte[] code = codeOf("Churn$Victim");
        for (int i = 0; i < n; i++) {
            Class<?> c = new Anew(code).loadClass("Churn$Victim");
            java.lang.reflect.Method work = c.getMethod("work", Object.class, int.class);
            for (int k = 0; k < 20; k++) {
                sink += (Integer) work.invoke(null, "text", 5000);
            }
            sink += (Integer) work.invoke(null, 7, 10);
        }
    }

    static void dumps(long ms) {
        long n = 0;
        for (long end = System.nanoTime() + ms * 1_000_000; System.nanoTime() < end; n++) {
            sink += Thread.getAllStackTraces().size();
        }
        System.out.println(n + " dumps");
    }

    static void sleepers(int n) {
        for (int i = 0; i < n; i++) {
            Thread t = new Thread(() -> {
                try {
                    Thread.sleep(Long.MAX_VALUE);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }, "sleeper");
            t.setDaemon(true);
            t.start();
        }
    }

    public static void main(String[] args) throws Exception {
        sleepers(args.length > 0 ? Integer.parseInt(args[0]) : 0);
        System.out.println("up");
        Scanner in = new Scanner(System.in);
        while (in.hasNextLine()) {
            String[] words = in.nextLine().split(" ");
            switch (words[0]) {
                case "classes":
                    classes(Integer.parseInt(words[1]));
                    break;
                case "dumps":
                    dumps(Long.parseLong(words[1]));
                    break;
                case "gc":
                    System.gc();
                    break;
                default:
                    return;
            }
            System.out.println(words[0] + " done");
        }
    }
}
