// SPDX-License-Identifier: Apache-2.0
// healthy: A batch archiver that uses one core fully for useful compression and keeps an LRU cache which is bounded at 1500 profiles (a constant plateau of about 13 MB of cache); garbage collections are young, short and few.
// judge: right = no fault (CPU is spent on real work: Deflater and checksum; the cache is bounded and of use); wrong = reporting the LRU map as growing without bound, GC pressure, the compression as a defect, or the queue waits of the writer.
// set: nineteenth
// jdk: 8
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.zip.*;

public class MeterReadingArchive {
    static final AtomicLong archived = new AtomicLong();
    static final AtomicLong bytesOut = new AtomicLong();
    static final AtomicLong found = new AtomicLong();

    static final class Profile {
        final int meter;
        final short[] quarterHours = new short[96 * 44];

        Profile(int meter) {
            this.meter = meter;
            int v = meter * 31 + 7;
            for (int i = 0; i < quarterHours.length; i++) {
                v = v * 1103515245 + 12345;
                quarterHours[i] = (short) (200 + (v >>> 27) + (i % 96));
            }
        }
    }

    static final class ProfileCache extends LinkedHashMap<Integer, Profile> {
        private static final int CAPACITY = 1500;

        ProfileCache() {
            super(2048, 0.75f, true);
        }

        @Override
        protected boolean removeEldestEntry(Map.Entry<Integer, Profile> eldest) {
            return size() > CAPACITY;
        }

        Profile profileOf(int meter) {
            Profile p = get(meter);
            if (p == null) {
                p = new Profile(meter);
                put(meter, p);
            } else {
                found.incrementAndGet();
            }
            return p;
        }
    }

    static final class Packer {
        private final Deflater deflater = new Deflater(6);
        private final byte[] plain = new byte[96 * 44 * 2];
        private final byte[] packed = new byte[96 * 44 * 3];
        private final CRC32 crc = new CRC32();

        byte[] pack(Profile p, int day) {
            for (int i = 0; i < p.quarterHours.length; i++) {
                int v = p.quarterHours[i] + day;
                plain[2 * i] = (byte) (v >> 8);
                plain[2 * i + 1] = (byte) v;
            }
            crc.reset();
            crc.update(plain, 0, plain.length);
            deflater.reset();
            deflater.setInput(plain);
            deflater.finish();
            int n = deflater.deflate(packed);
            byte[] out = Arrays.copyOf(packed, n + 4);
            int c = (int) crc.getValue();
            out[n] = (byte) c;
            out[n + 1] = (byte) (c >> 8);
            out[n + 2] = (byte) (c >> 16);
            out[n + 3] = (byte) (c >> 24);
            return out;
        }
    }

    static void archive(BlockingQueue<byte[]> outbox) {
        ProfileCache cache = new ProfileCache();
        Packer packer = new Packer();
        Random random = new Random(5);
        try {
            for (int day = 0; ; day = (day + 1) % 31) {
                for (int i = 0; i < 500; i++) {
                    int meter = random.nextInt(10) < 8 ? random.nextInt(1200) : random.nextInt(200000);
                    outbox.put(packer.pack(cache.profileOf(meter), day));
                    archived.incrementAndGet();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static void collect(BlockingQueue<byte[]> outbox) {
        try {
            while (true) {
                bytesOut.addAndGet(outbox.take().length);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws Exception {
        BlockingQueue<byte[]> outbox = new ArrayBlockingQueue<>(128);
        Thread packerThread = new Thread(() -> archive(outbox), "archive-packer");
        Thread writerThread = new Thread(() -> collect(outbox), "archive-writer");
        packerThread.setDaemon(true);
        writerThread.setDaemon(true);
        packerThread.start();
        writerThread.start();
        Thread.sleep(8000);
        System.out.println("READY");
        long last = archived.get();
        for (int s = 0; s < 165; s++) {
            Thread.sleep(1000);
            long now = archived.get();
            System.out.println("measured: " + (now - last) + " profiles/s out=" + bytesOut.get() / 1024 + "KB found=" + found.get());
            last = now;
        }
        System.exit(0);
    }
}
