// SPDX-License-Identifier: Apache-2.0
// cause: a parallel stream renders in forEachOrdered, so one at a time; only loading is parallel: OrderedEmit.render
// expect: hot-method frame=OrderedEmit.render | hot-method caller=OrderedEmit.render | hot-calls frame=OrderedEmit.render | hot-code frame=OrderedEmit.render | endpoint-cpu frame=OrderedEmit.render | saturated-thread | waiting frame=OrderedEmit.render
// symptom: hot-method hot-calls hot-code waiting
// jdk: 21
// set: ninth
import java.lang.management.ManagementFactory;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;

/** Invoices could be rendered by all CPUs and then appended in their order. */
public final class OrderedEmit {
    private static final int INVOICES = 300;
    private static final LongAdder RENDERING = new LongAdder();
    private static final LongAdder ALL = new LongAdder();

    private record Invoice(int number, long[] cents) {
    }

    private final StringBuilder file = new StringBuilder();

    private static Invoice load(int number) {
        long[] cents = new long[400];
        for (int i = 0; i < cents.length; i++) {
            cents[i] = (number * 7919L + i * 104729L) % 100_000;
        }
        return new Invoice(number, cents);
    }

    private void render(Invoice invoice) {
        long start = System.nanoTime();
        long total = 0;
        for (long cents : invoice.cents) {
            total += cents;
            file.append(invoice.number).append(';').append(cents / 100).append('.').append(cents % 100).append(';')
                    .append(Long.toHexString(cents * total)).append('\n');
            for (int round = 0; round < 60; round++) {
                total = total * 31 + (cents ^ total >>> 7);
            }
        }
        file.append("total ").append(total).append('\n');
        RENDERING.add(System.nanoTime() - start);
    }

    private int batch(int from) {
        file.setLength(0);
        IntStream.range(from, from + INVOICES).parallel().mapToObj(OrderedEmit::load).forEachOrdered(this::render);
        return file.length();
    }

    private void run() {
        try {
            for (int from = 0;; from += INVOICES) {
                long start = System.nanoTime();
                if (batch(from % 90_000) == 0) {
                    throw new IllegalStateException("nothing");
                }
                ALL.add(System.nanoTime() - start);
                Thread.sleep(2); // the next batch
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        new Thread(new OrderedEmit()::run, "batch").start();
        System.out.println("READY");
        for (;;) {
            Thread.sleep(1000);
            System.out.println("measured: " + 100 * RENDERING.sum() / (ALL.sum() + 1)
                    + " % of a batch's time one thread renders; "
                    + ManagementFactory.getThreadMXBean().getThreadCount() + " threads");
        }
    }
}
