// SPDX-License-Identifier: Apache-2.0
// cause: ParcelRelay.buffer calls ByteBuffer.allocateDirect(256 KB) for each parcel and drops the buffer, so the direct memory limit of 24 MB is used up again and again and java.nio.Bits.reserveMemory calls System.gc() (full collections of the whole heap) and sleeps until old buffers are freed.
// share: faulty: 2314 parcels/s, mean relay 0.92 ms; fixed: 86621 parcels/s, mean relay 0.02 ms; ratio 37.4 (means over the seconds after warm-up of a run of 9 to 13 s, shared 2-core machine)
// expect: explicit-gc what=direct_buffers
// symptom: explicit-gc gc-pauses gc-cpu direct-memory
// judge: NAMED: a direct buffer allocated per parcel in ParcelRelay.buffer (ByteBuffer.allocateDirect) that reaches MaxDirectMemorySize, so Bits.reserveMemory forces System.gc(); reuse the buffers. SYMPTOM ONLY: many full GCs with cause System.gc(); long pauses; time in Bits.reserveMemory with no word on who allocates. WRONG: heap too small or heap leak; an explicit System.gc() call in the program's code; slow disk; only "raise -Xmx".
// jdk: 11
// set: twenty-fourth
// jvm: -Xmx128m -XX:MaxDirectMemorySize=24m
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.zip.CRC32;

/** Relays scanned parcel papers into a spool file ring and checks what was written. */
public class ParcelRelay {
    static final boolean ALT = Boolean.getBoolean("fixed");
    static final int SIZE = 256 * 1024;
    static final int SLOTS = 16;
    static final int LANES = 2;

    static final class Depot {
        final int id;
        final String name;
        final List<String> streets = new ArrayList<>();

        Depot(int id) {
            this.id = id;
            this.name = "depot-" + id;
            for (int i = 0; i < 12; i++) {
                streets.add("street " + id + "/" + i);
            }
        }
    }

    static final Map<Integer, Depot> depots = new HashMap<>();
    static final LongAdder parcels = new LongAdder();
    static final LongAdder nanos = new LongAdder();
    static final LongAdder bad = new LongAdder();

    private final FileChannel spool;
    private final byte[] paper = new byte[8 * 1024];
    private ByteBuffer kept;

    ParcelRelay(Path file) throws IOException {
        spool = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE,
                StandardOpenOption.CREATE, StandardOpenOption.DELETE_ON_CLOSE);
    }

    private ByteBuffer buffer() {
        if (ALT) {
            if (kept == null) {
                kept = ByteBuffer.allocateDirect(SIZE);
            }
            kept.clear();
            return kept;
        }
        return ByteBuffer.allocateDirect(SIZE);
    }

    private void scan(long number) {
        Depot depot = depots.get((int) (number % depots.size()));
        String street = depot.streets.get((int) (number % depot.streets.size()));
        for (int i = 0; i < paper.length; i++) {
            paper[i] = (byte) (street.charAt(i % street.length()) + number);
        }
    }

    void relay(long number) throws IOException {
        scan(number);
        ByteBuffer b = buffer();
        CRC32 sent = new CRC32();
        b.putLong(number);
        for (int copy = 0; copy < 4; copy++) {
            b.put(paper);
        }
        b.flip();
        sent.update(b.duplicate());
        long at = (number % SLOTS) * SIZE;
        int length = b.remaining();
        while (b.hasRemaining()) {
            spool.write(b, at + b.position());
        }
        b.clear().limit(length);
        while (b.hasRemaining()) {
            if (spool.read(b, at + b.position()) < 0) {
                throw new IOException("short spool");
            }
        }
        b.flip();
        CRC32 stored = new CRC32();
        stored.update(b);
        if (stored.getValue() != sent.getValue()) {
            bad.increment();
        }
    }

    static void lane(int lane, Path dir) {
        try {
            ParcelRelay relay = new ParcelRelay(dir.resolve("lane-" + lane + ".spool"));
            for (long n = lane; ; n += LANES) {
                long t0 = System.nanoTime();
                relay.relay(n);
                nanos.add(System.nanoTime() - t0);
                parcels.increment();
            }
        } catch (IOException e) {
            System.out.println("lane ended: " + e);
        }
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 50_000; i++) {
            depots.put(i, new Depot(i));
        }
        Path dir = Files.createTempDirectory("parcels");
        for (int i = 0; i < LANES; i++) {
            int lane = i;
            Thread t = new Thread(() -> lane(lane, dir), "lane-" + i);
            t.setDaemon(true);
            t.start();
        }
        System.out.println("READY");
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(170);
        while (System.nanoTime() < end) {
            Thread.sleep(1000);
            long n = parcels.sumThenReset();
            long ns = nanos.sumThenReset();
            System.out.printf("measured: %d parcels/s, mean relay %.3f ms, bad %d%n", n, n == 0 ? 0.0 : ns / 1e6 / n, bad.sum());
        }
        for (int i = 0; i < LANES; i++) {
            Files.deleteIfExists(dir.resolve("lane-" + i + ".spool"));
        }
        Files.deleteIfExists(dir);
    }
}
