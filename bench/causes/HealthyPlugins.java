// SPDX-License-Identifier: Apache-2.0
// healthy: the rules of a shop are reloaded every second by a class loader of their own, which takes a few ms
// jdk: 8
// set: ninth
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntUnaryOperator;

public final class HealthyPlugins {
    private static final LongAdder RELOADS = new LongAdder();
    private static final LongAdder RELOADING = new LongAdder();
    private static final LongAdder ORDERS = new LongAdder();
    private static final LongAdder LATE = new LongAdder();
    private static volatile IntUnaryOperator rule;
    private static volatile int last;

    public static final class Discount implements IntUnaryOperator {
        @Override
        public int applyAsInt(int cents) {
            return cents > 10_000 ? cents * 95 / 100 : cents;
        }
    }

    private static final class Rules extends ClassLoader {
        private Rules() {
            super(null);
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            try (InputStream in = HealthyPlugins.class.getResourceAsStream(name + ".class")) {
                ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                byte[] part = new byte[4096];
                for (int n = in.read(part); n > 0; n = in.read(part)) {
                    bytes.write(part, 0, n);
                }
                return defineClass(name, bytes.toByteArray(), 0, bytes.size());
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }

    private static void reload() {
        try {
            long start = System.nanoTime();
            rule = (IntUnaryOperator) new Rules().loadClass("HealthyPlugins$Discount").getConstructor().newInstance();
            RELOADING.add(System.nanoTime() - start);
            RELOADS.increment();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void watch() {
        try {
            for (;;) {
                Thread.sleep(1000);
                reload();
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void serve() {
        try {
            for (int order = 0;; order++) {
                long start = System.nanoTime();
                int sum = 0;
                for (int i = 0; i < 2000; i++) {
                    sum += rule.applyAsInt(order * 31 % 20_000 + i);
                }
                last = sum;
                ORDERS.increment();
                if (System.nanoTime() - start > 50_000_000L) {
                    LATE.increment();
                }
                Thread.sleep(8); // the next order
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        reload();
        new Thread(HealthyPlugins::watch, "reload").start();
        for (int i = 0; i < 2; i++) {
            new Thread(HealthyPlugins::serve, "order-" + i).start();
        }
        System.out.println("READY");
        for (;;) {
            Thread.sleep(1000);
            System.out.println("measured: " + RELOADING.sum() / (RELOADS.sum() + 1) / 1000 + " us a reload, "
                    + LATE.sum() + " of " + ORDERS.sum() + " orders took over 50 ms");
        }
    }
}
