// SPDX-License-Identifier: Apache-2.0
// cause: PagePlateDepot$Edition.deliver holds the edition's monitor while FileChannel.transferTo waits for a press site on a slow line to take the whole plate file; the desks' Edition.revise waits for that monitor in the meantime
// share: 5 desks wait for the monitor some 90 % of their time (4.5 threads), the courier is in deliver some 90 % of its time, all but little of that in sendfile with the monitor held; about 0.01 CPUs used
// expect: waiting frame=PagePlateDepot$Edition.deliver kind=socket-write | waiting frame=PagePlateDepot$Edition.deliver kind=io
// symptom: waiting
// judge: NAMED: an I/O wait (io, file transfer, sendfile, socket write, waiting for the receiver to take the data) at PagePlateDepot$Edition.deliver (transferTo), alone or as the end of the chain from the monitor waits at PagePlateDepot$Edition.revise; also a monitor at revise with deliver said to hold it while it sends. SYMPTOM ONLY: lock contention or monitor waits at Edition.revise (or Desk.run) without what the holder does; deliver named as the holder but as if it computed. WRONG: CPU, collections, the disk, file reading, too few threads, Desk.compose or anything else
// jdk: 25
// set: thirty-second
// jvm: -Xmx192m
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32;

/** Keeps the pages of a newspaper's edition, takes revisions from the desks and sends plates to the press site. */
public class PagePlateDepot {
    static final int PAGES = 48;
    static final int PLATE_BYTES = 3 << 20;

    static final AtomicLong revisions = new AtomicLong();
    static final AtomicLong deliveries = new AtomicLong();
    static final AtomicLong revisingNs = new AtomicLong();
    static final AtomicLong deliveringNs = new AtomicLong();
    static final CountDownLatch warm = new CountDownLatch(12);

    record Page(int number, int revision, long checksum) {
    }

    static final class Edition {
        private final Page[] pages = new Page[PAGES];
        private final FileChannel plates;
        private int sent;

        Edition(FileChannel plates) {
            this.plates = plates;
            for (int i = 0; i < PAGES; i++) pages[i] = new Page(i, 0, 0);
        }

        synchronized Page revise(int number, long checksum) {
            Page page = new Page(number, pages[number].revision() + 1, checksum);
            pages[number] = page;
            return page;
        }

        synchronized int deliver(SocketChannel line) throws IOException {
            int newest = 0;
            for (Page page : pages) newest = Math.max(newest, page.revision());
            ByteBuffer header = ByteBuffer.allocate(12).putInt(++sent).putInt(newest).putInt((int) plates.size()).flip();
            while (header.hasRemaining()) line.write(header);
            long at = 0;
            while (at < plates.size()) at += plates.transferTo(at, plates.size() - at, line);
            return newest;
        }
    }

    static final class Desk implements Runnable {
        private final Edition edition;
        private final Random random;
        private final byte[] copy = new byte[24_000];

        Desk(Edition edition, int number) {
            this.edition = edition;
            this.random = new Random(number);
        }

        private long compose() {
            for (int i = 0; i < copy.length; i++) copy[i] = (byte) (' ' + random.nextInt(90));
            CRC32 crc = new CRC32();
            crc.update(copy);
            return crc.getValue();
        }

        @Override
        public void run() {
            try {
                while (true) {
                    long checksum = compose();
                    long start = System.nanoTime();
                    edition.revise(random.nextInt(PAGES), checksum);
                    revisingNs.addAndGet(System.nanoTime() - start);
                    revisions.incrementAndGet();
                    warm.countDown();
                    Thread.sleep(15);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static final class Courier implements Runnable {
        private final Edition edition;
        private final SocketChannel line;

        Courier(Edition edition, SocketChannel line) {
            this.edition = edition;
            this.line = line;
        }

        @Override
        public void run() {
            try {
                while (true) {
                    long start = System.nanoTime();
                    edition.deliver(line);
                    deliveringNs.addAndGet(System.nanoTime() - start);
                    deliveries.incrementAndGet();
                    Thread.sleep(25);
                }
            } catch (IOException e) {
                System.out.println("line lost: " + e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** The press site, a process of its own: its line brings some 5 MB a second. */
    static final class PressSite {
        public static void main(String[] args) throws Exception {
            Thread watch = new Thread(() -> {
                try {
                    while (System.in.read() >= 0) { }
                } catch (IOException e) {
                    // ends as well
                }
                Runtime.getRuntime().halt(0);
            });
            watch.setDaemon(true);
            watch.start();
            ServerSocketChannel door = ServerSocketChannel.open();
            door.setOption(StandardSocketOptions.SO_RCVBUF, 64 << 10);
            door.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            System.out.println(((InetSocketAddress) door.getLocalAddress()).getPort());
            SocketChannel line = door.accept();
            ByteBuffer buffer = ByteBuffer.allocateDirect(32 << 10);
            while (line.read(buffer) >= 0) {
                if (!buffer.hasRemaining()) {
                    buffer.clear();
                    Thread.sleep(6);
                }
            }
        }
    }

    static FileChannel store() throws IOException {
        Path file = Files.createTempFile("plates", ".tif");
        byte[] plate = new byte[PLATE_BYTES];
        new Random(7).nextBytes(plate);
        Files.write(file, plate);
        FileChannel plates = FileChannel.open(file, StandardOpenOption.READ);
        Files.delete(file);
        return plates;
    }

    public static void main(String[] args) throws Exception {
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx32m", "-XX:+UseSerialGC", "-cp", System.getProperty("java.class.path"), PressSite.class.getName()));
        Process site = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        int port = Integer.parseInt(new BufferedReader(new InputStreamReader(site.getInputStream())).readLine().trim());
        SocketChannel line = SocketChannel.open();
        line.setOption(StandardSocketOptions.SO_SNDBUF, 64 << 10);
        line.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        Edition edition = new Edition(store());
        new Thread(new Courier(edition, line), "courier").start();
        for (int i = 0; i < 5; i++) new Thread(new Desk(edition, i), "desk-" + i).start();
        warm.await();
        System.out.println("READY");
        System.out.flush();
        long last = System.nanoTime();
        long waited = revisingNs.get(), delivered = deliveringNs.get(), revised = revisions.get(), sent = deliveries.get();
        while (true) {
            Thread.sleep(2000);
            long now = System.nanoTime(), w = revisingNs.get(), d = deliveringNs.get(), r = revisions.get(), s = deliveries.get();
            System.out.printf("measured: %d revisions, %d deliveries; revise took %.0f %% of 5 desks' time, deliver %.0f %% of the courier's%n",
                r - revised, s - sent, 100.0 * (w - waited) / (now - last) / 5, 100.0 * (d - delivered) / (now - last));
            last = now; waited = w; delivered = d; revised = r; sent = s;
        }
    }
}
