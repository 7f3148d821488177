// SPDX-License-Identifier: Apache-2.0
// cause: ReportWriter.write allocates a fresh 128 KB direct ByteBuffer for every batch instead of reusing one, so the direct memory limit (-XX:MaxDirectMemorySize=8m) is reached every ~64 batches and java.nio.Bits.reserveMemory calls System.gc() (and sleeps) to get memory back.
// share: throughput about 800 batches/s, fixed about 2600 (means on a busy machine; ratio 3.3, so about two thirds of the time)
// judge: NAMED only if the finding says that ReportWriter.write allocates direct buffers per call (ByteBuffer.allocateDirect) AND that this is what causes the stops: System.gc() full collections or waits in Bits.reserveMemory, or the exhausted direct memory limit. "Many full GCs / System.gc() is called" without direct buffers or without the place is a symptom; "heap too small", "Fleet objects / memory leak in the fleet map", "disk write slow" are wrong. Advice to raise MaxDirectMemorySize alone, without the allocation per call, is a symptom.
// expect: explicit-gc what=direct_buffers frame=ReportWriter.write
// symptom: direct-memory gc-pauses gc-cpu
// jdk: 17
// set: seventeenth
// jvm: -XX:MaxDirectMemorySize=8m
import java.io.*;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

public class VesselPositions {
    static final AtomicLong batches = new AtomicLong();

    public static void main(String[] args) throws Exception {
        Fleet fleet = new Fleet(90_000);
        Path path = Files.createTempFile("positions", ".bin");
        path.toFile().deleteOnExit();
        BlockingQueue<List<Position>> ready = new ArrayBlockingQueue<>(16);
        Thread radar = new Thread(new Receiver(fleet, ready), "ais-receiver");
        Thread writer = new Thread(new ReportWriter(path, ready), "report-writer");
        for (Thread t : List.of(radar, writer)) {
            t.setDaemon(true);
            t.start();
        }
        System.out.println("READY");
        long last = 0;
        for (int i = 0; i < 200; i++) {
            Thread.sleep(1000);
            long n = batches.get();
            System.out.printf("measured: %d batches/s, %d vessels under way%n", n - last, fleet.moving());
            last = n;
        }
    }
}

record Position(int mmsi, double lat, double lon, float course, long at) {}

class Fleet {
    private final ConcurrentHashMap<Integer, Position> latest = new ConcurrentHashMap<>();
    private final int size;

    Fleet(int size) {
        this.size = size;
        Random random = new Random(11);
        for (int i = 0; i < size; i++) latest.put(200_000_000 + i, new Position(200_000_000 + i, random.nextDouble() * 60, random.nextDouble() * 60, 0, 0));
    }

    Position advance(int index, long tick) {
        return latest.computeIfPresent(200_000_000 + index % size, (k, p) -> {
            double heading = Math.toRadians(p.course());
            return new Position(k, p.lat() + Math.cos(heading) * 1e-4, p.lon() + Math.sin(heading) * 1e-4, (p.course() + 7) % 360, tick);
        });
    }

    long moving() {
        int n = 0;
        for (int i = 0; i < 500; i++) if (latest.get(200_000_000 + i).at() > 0) n++;
        return n * (size / 500L);
    }
}

class Receiver implements Runnable {
    private final Fleet fleet;
    private final BlockingQueue<List<Position>> ready;
    Receiver(Fleet fleet, BlockingQueue<List<Position>> ready) {
        this.fleet = fleet;
        this.ready = ready;
    }
    public void run() {
        Random random = new Random(1);
        try {
            for (long tick = 1; ; tick++) {
                List<Position> batch = new ArrayList<>(80);
                for (int i = 0; i < 80; i++) batch.add(fleet.advance(random.nextInt(90_000), tick));
                ready.put(batch);
                LockSupport.parkNanos(80_000L);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

class ReportWriter implements Runnable {
    private static final int FRAME = 128 * 1024;
    private static final long LIMIT = 16L << 20;
    private final boolean fixed = Boolean.getBoolean("fixed");
    private final Path path;
    private final BlockingQueue<List<Position>> ready;
    private ByteBuffer frame;

    ReportWriter(Path path, BlockingQueue<List<Position>> ready) {
        this.path = path;
        this.ready = ready;
    }

    void write(FileChannel channel, List<Position> batch) throws IOException {
        if (!fixed || frame == null) frame = ByteBuffer.allocateDirect(FRAME);
        frame.clear();
        frame.putInt(batch.size());
        int checksum = 17;
        for (Position p : batch) {
            frame.putInt(p.mmsi()).putDouble(p.lat()).putDouble(p.lon()).putFloat(p.course()).putLong(p.at());
            checksum = checksum * 31 + p.mmsi() + (int) p.at();
        }
        frame.putInt(checksum).flip();
        if (channel.position() > LIMIT) channel.position(0);
        while (frame.hasRemaining()) channel.write(frame);
    }

    public void run() {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
            while (true) {
                write(channel, ready.take());
                VesselPositions.batches.incrementAndGet();
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
