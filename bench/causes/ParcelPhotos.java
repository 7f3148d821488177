// SPDX-License-Identifier: Apache-2.0
// cause: PhotoStore.save makes a new direct buffer of 256 KiB for each photo (ByteBuffer.allocateDirect); after 64 of them -XX:MaxDirectMemorySize=16m is used up, so that java.nio.Bits.reserveMemory calls System.gc(), and each such full collection goes through a live heap of about 100 MiB.
// share: faulty about 380 photos/s, mean latency 4 to 10 ms; fixed about 3260 photos/s, 0.1 ms (8.6 times)
// expect: explicit-gc frame=PhotoStore.save
// symptom: pool-busy waiting gc-pauses
// judge: NAMED: collections are asked for by direct buffers that find no room, from PhotoStore.save (ByteBuffer.allocateDirect for each photo). SYMPTOM ONLY: GC pauses; System.gc() is called (without saying that direct buffers do it or from PhotoStore.save); direct memory is at its limit; waits for futures; a pool "press" is busy; threads sleep or wait in Bits.reserveMemory. WRONG: heap too small, leak in the Index (it is complete from the start), disk slow, CRC32 as the cause, a humongous allocation as the cause.
// jdk: 11
// set: twenty-fifth
// jvm: -Xmx256m -XX:MaxDirectMemorySize=16m
import java.io.*;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.zip.CRC32;

public class ParcelPhotos {
    static final boolean REVISED = Boolean.getBoolean("fixed");
    static final int PHOTO = 256 * 1024;

    static class Entry {
        final long parcel;
        final String place;
        volatile int slot;
        volatile long sum;
        Entry(long parcel, String place) {
            this.parcel = parcel;
            this.place = place;
        }
    }

    static class Index {
        private final Map<Long, Entry> entries = new ConcurrentHashMap<>();
        Index(int n) {
            for (long p = 0; p < n; p++) entries.put(p, new Entry(p, "hall " + p % 40 + " bay " + p));
        }
        Entry of(long parcel) {
            return entries.get(parcel);
        }
        int size() {
            return entries.size();
        }
    }

    static class Camera {
        private final byte[] scene = new byte[32 * 1024];
        private int shots;
        Camera(int seed) {
            new Random(seed).nextBytes(scene);
        }
        byte[] shoot() {
            scene[shots % scene.length]++;
            shots++;
            return scene;
        }
    }

    static class PhotoStore implements Closeable {
        private static final int SLOTS = 16;
        private final FileChannel file;
        private final Path path;
        private final AtomicInteger next = new AtomicInteger();
        private final ThreadLocal<ByteBuffer> own = ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(PHOTO));
        PhotoStore() throws IOException {
            path = Files.createTempFile("parcel", ".photos");
            path.toFile().deleteOnExit();
            file = FileChannel.open(path, StandardOpenOption.WRITE);
        }
        int save(byte[] picture, String caption) throws IOException {
            ByteBuffer b = REVISED ? own.get() : ByteBuffer.allocateDirect(PHOTO);
            b.clear();
            b.putInt(picture.length).put(picture).put(caption.getBytes());
            b.flip();
            int slot = Math.floorMod(next.getAndIncrement(), SLOTS);
            file.write(b, (long) slot * PHOTO);
            return slot;
        }
        @Override public void close() throws IOException {
            file.close();
            Files.delete(path);
        }
    }

    static class Station {
        final Index index;
        final PhotoStore store;
        final Camera camera;
        final Random r;
        Station(Index index, PhotoStore store, int id) {
            this.index = index;
            this.store = store;
            camera = new Camera(id);
            r = new Random(id);
        }
        long handle() throws IOException {
            Entry e = index.of(r.nextInt(index.size()));
            byte[] p = camera.shoot();
            CRC32 crc = new CRC32();
            crc.update(p);
            e.sum = crc.getValue();
            e.slot = store.save(p, e.place + " #" + e.parcel);
            return e.sum;
        }
    }

    public static void main(String[] args) throws Exception {
        Index index = new Index(700_000);
        PhotoStore store = new PhotoStore();
        AtomicInteger n = new AtomicInteger();
        ExecutorService press = Executors.newFixedThreadPool(2, r -> daemon(r, "press-" + n.incrementAndGet()));
        LongAdder done = new LongAdder(), nanos = new LongAdder();
        for (int i = 0; i < 4; i++) {
            Station s = new Station(index, store, i);
            daemon(() -> {
                try {
                    while (true) {
                        long t = System.nanoTime();
                        press.submit(s::handle).get();
                        nanos.add(System.nanoTime() - t);
                        done.increment();
                        Thread.sleep(1);
                    }
                } catch (Exception e) {
                    e.printStackTrace();
                }
            }, "station-" + i).start();
        }
        System.out.println("READY");
        for (long end = System.nanoTime() + 170_000_000_000L; System.nanoTime() < end; ) {
            Thread.sleep(1000);
            long d = done.sumThenReset(), t = nanos.sumThenReset();
            System.out.printf("measured: %d photos/s, mean latency %.2f ms%n", d, d == 0 ? 0 : t / 1e6 / d);
        }
        System.exit(0);
    }

    static Thread daemon(Runnable r, String name) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        return t;
    }
}
