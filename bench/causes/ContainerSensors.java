// SPDX-License-Identifier: Apache-2.0
// cause: ReadingBoard.update keeps for each container a ByteBuffer.slice of the received frame, so each 40-byte reading holds its whole 8 KB frame in memory; about 50 MB of the 64 MB heap stay live and the JVM does full collections all the time.
// share: throughput about 31 000 frames/s, fixed about 69 000 (ratio 2.2, so about half of the time; GC share itself not logged at this size)
// judge: NAMED only if the finding says that ReadingBoard.update (the board's map of latest readings) holds slices/views that keep the entire frame arrays alive (retained 8 KB byte[] per small reading). "Heap too small", "GC takes most of the time", "full GCs", "live set too large" or "byte[] dominate the heap" without the retained slices is a symptom; "ReadingBoard map is large / leaks" without the slice reason is a symptom. Blaming only the allocation rate of Gateway frames, or an unbounded map (it is bounded), is wrong.
// symptom: gc-pauses gc-cpu allocation-stall
// jdk: 25
// set: seventeenth
// jvm: -XX:+UseSerialGC
import java.nio.ByteBuffer;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.LongAdder;

public class ContainerSensors {
    static final int CONTAINERS = 6_100;
    static final LongAdder frames = new LongAdder(), alarms = new LongAdder();

    public static void main(String[] args) throws Exception {
        ReadingBoard board = new ReadingBoard();
        BlockingQueue<ByteBuffer> line = new ArrayBlockingQueue<>(24);
        Thread.ofPlatform().daemon().name("yard-gateway").start(new Gateway(line));
        Thread.ofPlatform().daemon().name("frame-reader").start(new FrameReader(line, board));
        System.out.println("READY");
        for (int i = 0; i < 200; i++) {
            Thread.sleep(1000);
            System.out.printf("measured: %d frames/s, %d containers, warmest %.1f, alarms %d%n", frames.sumThenReset(), board.size(), board.warmest(), alarms.sum());
        }
    }
}

class Gateway implements Runnable {
    private final BlockingQueue<ByteBuffer> line;
    private final SplittableRandom random = new SplittableRandom(6);
    private final byte[] samples = new byte[1 << 16];

    Gateway(BlockingQueue<ByteBuffer> line) {
        this.line = line;
        random.nextBytes(samples);
    }

    private ByteBuffer receive() {
        ByteBuffer frame = ByteBuffer.allocate(8192);
        frame.putInt(random.nextInt(ContainerSensors.CONTAINERS)).putLong(System.nanoTime());
        frame.putDouble(-22 + random.nextInt(300) / 10.0).putDouble(random.nextInt(100)).putDouble(random.nextInt(5));
        frame.position(64);
        frame.put(samples, random.nextInt(samples.length - 8192), 8192 - 64);
        return frame.flip();
    }

    public void run() {
        try {
            while (true) line.put(receive());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

class ReadingBoard {
    private final boolean fixed = Boolean.getBoolean("fixed");
    private final Map<Integer, ByteBuffer> latest = new ConcurrentHashMap<>();

    void update(int container, ByteBuffer frame) {
        ByteBuffer reading = frame.slice(4, 40);
        if (fixed) {
            byte[] copy = new byte[40];
            reading.get(0, copy);
            reading = ByteBuffer.wrap(copy);
        }
        latest.put(container, reading);
    }

    double warmest() {
        double t = -100;
        for (ByteBuffer b : latest.values()) t = Math.max(t, b.getDouble(8));
        return t;
    }

    int size() { return latest.size(); }
}

class VibrationCheck {
    private final int[] histogram = new int[256];

    boolean shaken(ByteBuffer frame) {
        Arrays.fill(histogram, 0);
        for (int i = 64; i < 8192; i++) histogram[frame.get(i) & 0xff]++;
        long energy = 0;
        for (int i = 0; i < 256; i++) energy += (long) histogram[i] * (i - 128) * (i - 128);
        return energy > 44_800_000L;
    }
}

class FrameReader implements Runnable {
    private final BlockingQueue<ByteBuffer> line;
    private final ReadingBoard board;
    private final VibrationCheck vibration = new VibrationCheck();

    FrameReader(BlockingQueue<ByteBuffer> line, ReadingBoard board) {
        this.line = line;
        this.board = board;
    }

    public void run() {
        try {
            while (true) {
                ByteBuffer frame = line.take();
                if (vibration.shaken(frame)) ContainerSensors.alarms.increment();
                board.update(frame.getInt(0), frame);
                ContainerSensors.frames.increment();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
