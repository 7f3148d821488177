// SPDX-License-Identifier: Apache-2.0
// healthy: a back-pressured pipeline: the reader fills a bounded queue and blocks on purpose while two packers use all of the CPU for compressing pages (the product); buffers and Deflaters are reused per thread, the queues hold eight chunks, one writer thread keeps the order and writes in blocks
// judge: right: "CPU bound in Deflater (native) below PagePacker.pack: that is the work", "the reader is held back by the bounded queue by design". Wrong: "contention on ArrayBlockingQueue", "enlarge the queue or the pool" (2 CPUs are full), "the reader waits too much", I/O, GC or allocation advice.
// jdk: 11
// set: fifteenth
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;
import java.util.zip.Deflater;

/** Printing house: packs typeset pages into the compressed streams of a print file. */
public final class PagePacker {
    static final int PACKERS = 2;
    static final int PAGE = 64 * 1024;
    static final long ROTATE_AT = 32L << 20;
    static final LongAdder PAGES = new LongAdder();
    static final LongAdder BYTES_OUT = new LongAdder();

    static final class Page {
        final int number;
        final byte[] content;
        final CompletableFuture<byte[]> packed = new CompletableFuture<>();

        Page(int number, byte[] content) {
            this.number = number;
            this.content = content;
        }
    }

    private final BlockingQueue<Page> toPack = new ArrayBlockingQueue<>(8);
    /** Same pages in their order in the book; it is bounded as well, so that a slow page cannot let the others pile up. */
    private final BlockingQueue<Page> inOrder = new ArrayBlockingQueue<>(16);
    private final byte[][] templates;

    PagePacker() {
        Random random = new Random(5);
        String[] words = "the press of type ink paper margin column letter light wood and river in a an to gold".split(" ");
        templates = new byte[16][];
        for (int t = 0; t < templates.length; t++) {
            StringBuilder b = new StringBuilder(PAGE + 64);
            while (b.length() < PAGE) {
                b.append("BT ").append(random.nextInt(600)).append(' ').append(random.nextInt(800)).append(" Td (");
                for (int w = 0; w < 9; w++) {
                    b.append(words[random.nextInt(words.length)]).append(' ');
                }
                b.append(") Tj ET\n");
            }
            templates[t] = Arrays.copyOf(b.toString().getBytes(StandardCharsets.US_ASCII), PAGE);
        }
    }

    private void read() throws InterruptedException {
        for (int n = 0;; n++) {
            byte[] content = templates[n % templates.length].clone();
            byte[] footer = ("(page " + n + ") Tj").getBytes(StandardCharsets.US_ASCII);
            System.arraycopy(footer, 0, content, content.length - footer.length, footer.length);
            Page p = new Page(n, content);
            inOrder.put(p);
            toPack.put(p);
        }
    }

    private void pack() throws InterruptedException {
        Deflater deflater = new Deflater(Deflater.DEFAULT_COMPRESSION);
        byte[] buffer = new byte[PAGE + 1024];
        while (true) {
            Page p = toPack.take();
            deflater.reset();
            deflater.setInput(p.content);
            deflater.finish();
            int n = 0;
            while (!deflater.finished()) {
                n += deflater.deflate(buffer, n, buffer.length - n);
            }
            p.packed.complete(Arrays.copyOf(buffer, n));
        }
    }

    /** Two files in turn, so that the disk's use stays bounded while this demonstration runs on. */
    private void write(Path dir) throws Exception {
        for (int volume = 0;; volume++) {
            long written = 0;
            try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(dir.resolve("volume-" + volume % 2)), 1 << 16)) {
                while (written < ROTATE_AT) {
                    byte[] stream = inOrder.take().packed.get();
                    out.write(stream);
                    written += stream.length;
                    BYTES_OUT.add(stream.length);
                    PAGES.increment();
                }
            }
        }
    }

    interface Step {
        void run() throws Exception;
    }

    static void start(String name, Step step) {
        Thread t = new Thread(() -> {
            try {
                step.run();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        Path dir = Files.createTempDirectory("pages");
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            try {
                Files.deleteIfExists(dir.resolve("volume-0"));
                Files.deleteIfExists(dir.resolve("volume-1"));
                Files.deleteIfExists(dir);
            } catch (IOException e) {
                // left to the system's clean-up
            }
        }));
        PagePacker press = new PagePacker();
        start("reader", press::read);
        for (int i = 0; i < PACKERS; i++) {
            start("packer-" + i, press::pack);
        }
        start("writer", () -> press.write(dir));
        System.out.println("READY");
        long last = 0, lastBytes = 0;
        while (true) {
            Thread.sleep(1000);
            long n = PAGES.sum(), b = BYTES_OUT.sum();
            System.out.printf("measured: %d pages/s, %.1f MB/s in, %.1f MB/s out%n",
                    n - last, (n - last) * (double) PAGE / (1 << 20), (b - lastBytes) / (double) (1 << 20));
            last = n;
            lastBytes = b;
        }
    }
}
