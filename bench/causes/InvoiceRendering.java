// SPDX-License-Identifier: Apache-2.0
// cause: InvoiceRendering.render takes its Canvas from the ThreadLocal CANVAS, but each invoice runs in a new virtual thread, so the ThreadLocal never has a value and Canvas.<init> (256 KB page buffer plus a glyph table computed from 4096 entries) runs for each invoice.
// share: faulty invoices/s 13798, mean_us 137; fixed invoices/s 290866, mean_us 2.58 (means over seconds 3 to 11); throughput 21.1 times better when fixed
// expect: hot-code kind=thread-locals
// symptom: unstarted-threads gc-cpu gc-pauses hot-method waiting
// judge: NAMED: a ThreadLocal cache (InvoiceRendering.CANVAS) used with one virtual thread per task is always empty, so an expensive Canvas (buffer and glyph table) is made anew for each invoice; share or pool the canvases instead. SYMPTOM ONLY: high allocation of char[]/int[]; frequent GC; CPU in Canvas.<init> or Math.sin/sqrt; low throughput. WRONG: pinning of virtual threads, semaphore contention (the limit is by design), memory leak through ThreadLocal, heap too small, slow rendering loop.
// jdk: 21
// set: twenty-third
// jvm: -XX:+UseParallelGC
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.LongAdder;

public class InvoiceRendering {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final int IN_FLIGHT = 8;

    record Item(String article, int pieces, long cents) { }

    record Invoice(int number, String customer, List<Item> items) { }

    static final class Canvas {
        final char[] page = new char[128 * 1024];
        final int[] glyphWidth = new int[4096];
        int at;

        Canvas() {
            for (int i = 0; i < glyphWidth.length; i++) {
                glyphWidth[i] = 4 + (int) (3 * Math.abs(Math.sin(i * 0.37)) + Math.sqrt(i) / 16);
            }
        }

        void clear() {
            at = 0;
        }

        void text(String s) {
            for (int i = 0; i < s.length(); i++) {
                page[at++] = s.charAt(i);
            }
        }

        int width(String s) {
            int w = 0;
            for (int i = 0; i < s.length(); i++) {
                w += glyphWidth[s.charAt(i) & 4095];
            }
            return w;
        }

        void line(String left, String right) {
            text(left);
            int gap = Math.max(1, (400 - width(left) - width(right)) / 5);
            for (int i = 0; i < gap; i++) {
                page[at++] = ' ';
            }
            text(right);
            page[at++] = '\n';
        }
    }

    static final ThreadLocal<Canvas> CANVAS = ThreadLocal.withInitial(Canvas::new);
    static final BlockingQueue<Canvas> SHELF = new ArrayBlockingQueue<>(IN_FLIGHT);

    static {
        if (FIXED) {
            for (int i = 0; i < IN_FLIGHT; i++) {
                SHELF.add(new Canvas());
            }
        }
    }

    final LongAdder rendered = new LongAdder();
    final LongAdder nanos = new LongAdder();
    final LongAdder chars = new LongAdder();
    final Semaphore slots = new Semaphore(IN_FLIGHT);
    final List<Invoice> invoices = new ArrayList<>();

    InvoiceRendering() {
        Random rnd = new Random(31);
        String[] names = {"bolt M8", "washer 8.4", "hinge left", "panel oak 60x40", "glue 750 g", "sealing strip"};
        for (int n = 0; n < 1000; n++) {
            List<Item> items = new ArrayList<>();
            for (int i = 5 + rnd.nextInt(12); i > 0; i--) {
                items.add(new Item(names[rnd.nextInt(names.length)], 1 + rnd.nextInt(40), 10 + rnd.nextInt(9000)));
            }
            invoices.add(new Invoice(n, "customer " + rnd.nextInt(400), items));
        }
    }

    static String euros(long cents) {
        long rest = cents % 100;
        return cents / 100 + (rest < 10 ? ".0" : ".") + rest;
    }

    int draw(Invoice inv, Canvas c) {
        c.clear();
        c.line("Invoice " + inv.number(), inv.customer());
        long total = 0;
        for (Item it : inv.items()) {
            long sum = it.pieces() * it.cents();
            total += sum;
            c.line(it.pieces() + " x " + it.article(), euros(sum));
        }
        c.line("Total", euros(total));
        return c.at;
    }

    int render(Invoice inv) {
        try {
            Canvas c = FIXED ? SHELF.take() : CANVAS.get();
            try {
                return draw(inv, c);
            } finally {
                if (FIXED) {
                    SHELF.add(c);
                }
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    void dispatch() {
        Random rnd = new Random(77);
        try (ExecutorService tasks = Executors.newVirtualThreadPerTaskExecutor()) {
            while (true) {
                slots.acquire();
                Invoice inv = invoices.get(rnd.nextInt(invoices.size()));
                tasks.execute(() -> {
                    long t = System.nanoTime();
                    try {
                        chars.add(render(inv));
                    } finally {
                        slots.release();
                    }
                    nanos.add(System.nanoTime() - t);
                    rendered.increment();
                });
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws Exception {
        InvoiceRendering r = new InvoiceRendering();
        Thread d = new Thread(r::dispatch, "dispatch");
        d.setDaemon(true);
        d.start();
        System.out.println("READY");
        long lastN = 0, lastT = 0;
        for (int s = 1; s <= 170; s++) {
            Thread.sleep(1000);
            long n = r.rendered.sum(), t = r.nanos.sum();
            long dn = n - lastN;
            System.out.printf("measured: invoices/s=%d mean_us=%.1f mchars=%d%n", dn,
                    dn == 0 ? 0.0 : (t - lastT) / 1000.0 / dn, r.chars.sum() / 1_000_000);
            lastN = n;
            lastT = t;
        }
        System.exit(0);
    }
}
