// SPDX-License-Identifier: Apache-2.0
// cause: a class loader is made for every request
// expect: class-unloading frame=ClassLoadingStorm | hot-code kind=class-loading frame=ClassLoadingStorm$Loader.define
// symptom: gc-pauses hot-method hot-calls hot-code
// jvm: -Xmx128m
// jdk: 17
import java.io.IOException;
import java.io.InputStream;

public final class ClassLoadingStorm {
    public static final class Template implements Runnable {
        static int count;

        @Override
        public void run() {
            count++;
        }
    }

    private static final class Loader extends ClassLoader {
        private final byte[] code;

        Loader(byte[] code) {
            super(null);
            this.code = code;
        }

        Class<?> define() {
            return defineClass("ClassLoadingStorm$Template", code, 0, code.length);
        }
    }

    private static void render(byte[] code) {
        try {
            Runnable r = (Runnable) new Loader(code).define().getDeclaredConstructor().newInstance();
            r.run();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws IOException {
        byte[] code;
        try (InputStream in = ClassLoadingStorm.class.getResourceAsStream("ClassLoadingStorm$Template.class")) {
            code = in.readAllBytes();
        }
        System.out.println("READY");
        for (;;) {
            render(code);
        }
    }
}
