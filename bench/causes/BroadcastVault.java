// SPDX-License-Identifier: Apache-2.0
// cause: Each recorder thread writes whole 1 MiB segments from a heap ByteBuffer in BroadcastVault$Recorder.store, so that the JDK keeps a temporary direct buffer of 1 MiB for each thread; 44 recorders need 44 MiB, and direct memory is limited to 32 MiB (-XX:MaxDirectMemorySize=32m): a quarter of the recorders find no room, search for it half a second each time (with a System.gc() each), and lose their segment
// share: @SHARE@
// expect: direct-memory | explicit-gc what=direct | waiting kind=direct-memory frame=BroadcastVault$Recorder.store
// symptom: explicit-gc gc-pauses gc-cpu waiting
// judge: NAMED: direct memory is at its limit (direct-memory), in particular with BroadcastVault$Recorder.store; also collections that were asked for by direct buffers that found no room, from BroadcastVault$Recorder.store (explicit-gc), or a wait (timer) in the search for room for direct buffers at that place. SYMPTOM ONLY: many collections by System.gc() or pauses of the collector, or a timer at BroadcastVault$Recorder.store, without a word of direct memory. WRONG: a larger heap, a leak in the heap, the disk or file writes, too many threads for the CPUs, the pauses between segments at BroadcastVault$Recorder.run as a fault
// jdk: 17
// set: thirty-fifth
// jvm: -Xmx256m -XX:MaxDirectMemorySize=32m
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** Keeps what the stations of a broadcaster have sent, a programme after the other, in segments of a second. */
public class BroadcastVault {
    static final int STATIONS = 44;
    static final int SEGMENT = 1 << 20;

    /** What the vault has done since the last report. */
    static final class Counters {
        final LongAdder stored = new LongAdder();
        final LongAdder refused = new LongAdder();
        final LongAdder storeNanos = new LongAdder();
        final LongAdder refusedNanos = new LongAdder();
        final AtomicInteger storing = new AtomicInteger();
    }

    /** The encoder of a station: fills a segment with samples of its tone. */
    static final class Encoder {
        private final byte[] segment = new byte[SEGMENT];
        private int phase;

        Encoder(int station) {
            phase = station * 37;
        }

        byte[] next() {
            for (int i = 0; i < segment.length; i += 16) {
                segment[i] = (byte) (phase + i);
            }
            phase++;
            return segment;
        }
    }

    /** Records one programme of one station, in a thread of its own. */
    static final class Recorder implements Runnable {
        private final int station;
        private final int segments;
        private final Path file;
        private final Counters counters;

        Recorder(int station, int segments, Path file, Counters counters) {
            this.station = station;
            this.segments = segments;
            this.file = file;
            this.counters = counters;
        }

        @Override
        public void run() {
            Encoder encoder = new Encoder(station);
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
                for (int i = 0; i < segments; i++) {
                    byte[] segment = encoder.next();
                    long begin = System.nanoTime();
                    counters.storing.incrementAndGet();
                    try {
                        store(channel, segment);
                        counters.stored.increment();
                        counters.storeNanos.add(System.nanoTime() - begin);
                    } catch (OutOfMemoryError e) {
                        counters.refused.increment();
                        counters.refusedNanos.add(System.nanoTime() - begin);
                    } finally {
                        counters.storing.decrementAndGet();
                    }
                    Thread.sleep(Math.max(100, 1000 - (System.nanoTime() - begin) / 1_000_000));
                }
            } catch (IOException e) {
                System.out.println("station " + station + ": " + e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private void store(FileChannel channel, byte[] segment) throws IOException {
            ByteBuffer data = ByteBuffer.wrap(segment);
            long at = 0;
            while (data.hasRemaining()) {
                at += channel.write(data, at);
            }
        }
    }

    /** Starts the next programme of a station when the one before has ended. */
    static final class Schedule {
        private final Path folder;
        private final Counters counters;
        private final List<Thread> running = new ArrayList<>();
        private int programmes;

        Schedule(Path folder, Counters counters) {
            this.folder = folder;
            this.counters = counters;
            for (int station = 0; station < STATIONS; station++) {
                running.add(begin(station));
            }
        }

        private Thread begin(int station) {
            Path file = folder.resolve("station-" + station + ".seg");
            file.toFile().deleteOnExit();
            int segments = 8 + programmes++ % 9;
            Thread thread = new Thread(new Recorder(station, segments, file, counters), "recorder-" + station);
            thread.setDaemon(true);
            thread.start();
            return thread;
        }

        void turn() {
            for (int station = 0; station < STATIONS; station++) {
                if (!running.get(station).isAlive()) {
                    running.set(station, begin(station));
                }
            }
        }
    }

    static long directBytes() {
        for (BufferPoolMXBean pool : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)) {
            if (pool.getName().equals("direct")) {
                return pool.getMemoryUsed();
            }
        }
        return 0;
    }

    static long collections() {
        long count = 0;
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            count += Math.max(0, collector.getCollectionCount());
        }
        return count;
    }

    public static void main(String[] args) throws Exception {
        Path folder = Files.createTempDirectory("vault");
        folder.toFile().deleteOnExit();
        Counters counters = new Counters();
        Schedule schedule = new Schedule(folder, counters);
        long before = collections();
        for (int second = 0; ; second++) {
            for (int i = 0; i < 10; i++) {
                Thread.sleep(100);
                schedule.turn();
            }
            long now = collections();
            long stored = counters.stored.sumThenReset();
            long refused = counters.refused.sumThenReset();
            System.out.printf("measured: %d segments stored (%.1f ms each), %d lost for lack of room after %.0f ms each; %d recorders in store now; direct %.1f of 32 MiB; %d collections%n",
                    stored, counters.storeNanos.sumThenReset() / 1e6 / Math.max(1, stored), refused,
                    counters.refusedNanos.sumThenReset() / 1e6 / Math.max(1, refused), counters.storing.get(),
                    directBytes() / 1048576.0, now - before);
            before = now;
            if (second == 3) {
                System.out.println("READY");
            }
            System.out.flush();
        }
    }
}
