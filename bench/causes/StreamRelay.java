// SPDX-License-Identifier: Apache-2.0
// cause: Session.sendChunk allocates a direct buffer per chunk; direct memory runs out, so System.gc() over and over
// expect: explicit-gc frame=StreamRelay$Session.buffer
// symptom: direct-memory gc-pauses
// share: 1400-2400 chunks/s, mean 1.6-3 ms, over half of all time full GC pauses; fixed: 7600-8500/s, mean 0.5 ms
// judge: right: StreamRelay$Session.sendChunk: allocateDirect per chunk, limit reached => System.gc() (full GC)
// judge: symptom: many full GCs / explicit GCs, pauses; sleeps in Bits.reserveMemory
// judge: wrong: heap too small; heap leak; GC choice; the index; the socket or the viewers are slow
// jdk: 11
// set: fourteenth
import java.io.*;
import java.net.*;
import java.nio.ByteBuffer;
import java.nio.channels.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.zip.CRC32;

public class StreamRelay {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final int CHUNK = 700_000;
    static final LongAdder chunks = new LongAdder(), nanos = new LongAdder(), bytesOut = new LongAdder();
    static final LongAdder bufferNanos = new LongAdder();

    static final class Segment {
        final int id; final String track; final long start; final int crc;
        Segment(int id, String track, long start, int crc) {
            this.id = id; this.track = track; this.start = start; this.crc = crc;
        }
    }

    /** What is on air: the newest segments of each track, and some raw media to serve from. */
    static final class Library {
        final ConcurrentSkipListMap<Long, Segment> index = new ConcurrentSkipListMap<>();
        final List<byte[]> media = new ArrayList<>();
        final AtomicInteger ids = new AtomicInteger();
        Library() {
            Random r = new Random(21);
            for (int i = 0; i < 8; i++) {
                byte[] b = new byte[CHUNK - 64];
                r.nextBytes(b);
                media.add(b);
            }
            for (int i = 0; i < 90_000; i++) publish();
        }
        void publish() {
            int id = ids.incrementAndGet();
            CRC32 crc = new CRC32();
            crc.update(id);
            index.put((long) id * 4000, new Segment(id, "track" + id % 17, id * 4000L, (int) crc.getValue()));
            if (index.size() > 90_000 && id % 64 == 0)
                for (int i = 0; i < 64; i++) index.pollFirstEntry();
        }
        Segment at(long time) {
            Map.Entry<Long, Segment> e = index.floorEntry(time);
            return e == null ? index.firstEntry().getValue() : e.getValue();
        }
    }

    static final class Session implements Runnable {
        final SocketChannel channel; final Library library; final Random r;
        private ByteBuffer own;
        Session(SocketChannel channel, Library library, int n) {
            this.channel = channel; this.library = library; this.r = new Random(n);
        }
        @Override public void run() {
            try {
                while (channel.isOpen()) {
                    long t = System.nanoTime();
                    Segment s = library.at(library.ids.get() * 4000L - r.nextInt(100_000_000));
                    sendChunk(s, library.media.get(s.id % library.media.size()));
                    chunks.increment();
                    nanos.add(System.nanoTime() - t);
                }
            } catch (IOException e) { System.err.println("viewer left: " + e); }
        }
        void sendChunk(Segment s, byte[] payload) throws IOException {
            long t = System.nanoTime();
            ByteBuffer b = buffer(payload.length + 64);
            bufferNanos.add(System.nanoTime() - t);
            b.putInt(payload.length).putInt(s.id).putLong(s.start).putInt(s.crc);
            byte[] name = s.track.getBytes();
            b.put((byte) name.length).put(name);
            b.put(payload);
            b.flip();
            while (b.hasRemaining()) bytesOut.add(channel.write(b));
        }
        private ByteBuffer buffer(int size) {
            if (!FIXED) return ByteBuffer.allocateDirect(size);
            if (own == null || own.capacity() < size) own = ByteBuffer.allocateDirect(size);
            own.clear();
            return own;
        }
    }

    static void viewer(SocketAddress server) {
        try (SocketChannel c = SocketChannel.open(server)) {
            ByteBuffer b = ByteBuffer.allocateDirect(256 * 1024);
            while (c.read(b) >= 0) b.clear();
        } catch (IOException e) { System.err.println("viewer: " + e); }
    }

    public static void main(String[] args) throws Exception {
        Library library = new Library();
        ServerSocketChannel server = ServerSocketChannel.open();
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        Thread acceptor = new Thread(() -> {
            for (int n = 0; ; n++) {
                try {
                    SocketChannel c = server.accept();
                    new Thread(new Session(c, library, n), "session-" + n).start();
                } catch (IOException e) { return; }
            }
        }, "acceptor");
        acceptor.start();
        SocketAddress address = server.getLocalAddress();
        for (int v = 0; v < 4; v++) new Thread(() -> viewer(address), "viewer-" + v).start();
        ScheduledExecutorService ingest = Executors.newSingleThreadScheduledExecutor(x -> new Thread(x, "ingest"));
        ingest.scheduleAtFixedRate(library::publish, 10, 10, TimeUnit.MILLISECONDS);
        Thread.sleep(1200);
        System.out.println("READY");
        for (long c0 = chunks.sum(), n0 = nanos.sum(), b0 = bytesOut.sum(), f0 = bufferNanos.sum(); ; ) {
            Thread.sleep(1000);
            long c = chunks.sum(), n = nanos.sum(), b = bytesOut.sum(), f = bufferNanos.sum();
            System.out.printf(Locale.ROOT, "measured: %d chunks/s, %d MB/s, mean %.2f ms, of it buffers %.0f %%%n",
                    c - c0,
                    (b - b0) >> 20, (n - n0) / 1e6 / Math.max(1, c - c0), 100.0 * (f - f0) / Math.max(1, n - n0));
            c0 = c; n0 = n; b0 = b; f0 = f;
        }
    }
}
