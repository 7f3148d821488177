// SPDX-License-Identifier: Apache-2.0
// cause: RadarSweeps$Unpacker.room makes a byte array of 700 to 900 KB for each sweep, which in G1 with regions of 1 MB is a humongous object with a region of its own, so that collections (concurrent starts) follow one another for them.
// share: faulty 760 to 2110 sweeps/s (mean 1710); fixed (each link keeps one array) 13000 to 39000 sweeps/s after two seconds, but for one second of 137 (mean 22300), and up to 45000 in another run; on a crowded machine.
// expect: humongous-allocation frame=RadarSweeps$Unpacker.room
// symptom: gc-pauses gc-cpu promotion humongous-allocation
// judge: NAMED: humongous allocations (byte[] of RadarSweeps$Unpacker.room, called by unpack) are what G1 collects for; reuse the array, or larger regions (4 MB or more: above twice the size). SYMPTOM ONLY: collections stop the program or take CPU time, a high rate of allocation of byte[], G1 concurrent cycles. WRONG: a leak, Grid or Echo as what fills the heap, only "a larger heap" without the humongous objects, lock or I/O waits.
// jdk: 17
// set: twenty-ninth
// jvm: -Xmx96m -XX:+UseG1GC

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.LongAdder;

/** Receives sweeps of weather radars, unpacks each, and keeps the echoes of the last hour by grid cell. */
public class RadarSweeps {
    static final int RADARS = 3;
    static final int LARGEST = 900_000;
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final long SPAN = Long.getLong("span", 170);
    static final LongAdder sweeps = new LongAdder();
    static final LongAdder echoes = new LongAdder();

    /** An echo that was strong enough to keep. */
    static final class Echo {
        final short azimuth;
        final short range;
        final float strength;

        Echo(int azimuth, int range, float strength) {
            this.azimuth = (short) azimuth;
            this.range = (short) range;
            this.strength = strength;
        }
    }

    /** What is known of each cell of the grid. */
    static final class Grid {
        private final Map<Integer, List<Echo>> cells = new HashMap<>();

        Grid(int seed) {
            SplittableRandom random = new SplittableRandom(seed);
            for (int i = 0; i < 6_000; i++) {
                List<Echo> list = new ArrayList<>();
                for (int k = 0; k < 20; k++) {
                    list.add(new Echo(random.nextInt(360), random.nextInt(512), (float) random.nextDouble()));
                }
                cells.put(i, list);
            }
        }

        void put(int cell, Echo echo) {
            List<Echo> list = cells.get(cell % 6_000);
            list.set((echo.azimuth + echo.range) % list.size(), echo);
        }
    }

    /** Turns the run lengths that a radar sends to samples. */
    static final class Unpacker {
        private byte[] samples = new byte[16];

        int unpack(ByteBuffer message) {
            int total = message.getInt(0);
            byte[] out = room(total);
            int at = 0;
            int pos = 4;
            while (at < total && pos + 3 <= message.limit()) {
                int run = message.getShort(pos) & 0xffff;
                byte value = message.get(pos + 2);
                int to = Math.min(total, at + run);
                for (int i = at + 15 & ~15; i < to; i += 16) {
                    out[i] = value;
                }
                at = to;
                pos += 3;
            }
            samples = out;
            return total;
        }

        private byte[] room(int total) {
            if (FIXED) {
                if (samples.length < LARGEST) {
                    return new byte[LARGEST];
                }
                return samples;
            }
            return new byte[total];
        }

        byte at(int i) {
            return samples[i];
        }
    }

    /** One radar's link. */
    static final class Link extends Thread {
        private final SplittableRandom random;
        private final Grid grid;
        private final Unpacker unpacker = new Unpacker();
        private final ByteBuffer message = ByteBuffer.allocate(8192);
        private final long end;

        Link(int number, long end) {
            super("radar-" + number);
            this.random = new SplittableRandom(number);
            this.grid = new Grid(number);
            this.end = end;
            setDaemon(true);
        }

        private void receive() {
            message.clear();
            int total = LARGEST - random.nextInt(200_000);
            message.putInt(total);
            int sent = 0;
            while (sent < total) {
                int run = 400 + random.nextInt(6_000);
                message.putShort((short) run);
                message.put((byte) (random.nextInt(4) == 0 ? random.nextInt(100) : 0));
                sent += run;
            }
            message.flip();
        }

        @Override
        public void run() {
            while (System.nanoTime() < end) {
                receive();
                int total = unpacker.unpack(message);
                int kept = 0;
                for (int i = 0; i < total; i += 1024) {
                    byte v = unpacker.at(i);
                    if (v > 60) {
                        grid.put(i / 150, new Echo(i / 2500 % 360, i % 512, v / 100f));
                        kept++;
                    }
                }
                echoes.add(kept);
                sweeps.increment();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        long end = System.nanoTime() + SPAN * 1_000_000_000L;
        List<Link> links = new ArrayList<>();
        for (int i = 0; i < RADARS; i++) {
            links.add(new Link(i, end));
        }
        links.forEach(Thread::start);
        System.out.println("READY");
        long lastSweeps = 0;
        long lastEchoes = 0;
        while (System.nanoTime() < end) {
            Thread.sleep(1000);
            long s = sweeps.sum();
            long e = echoes.sum();
            System.out.printf("measured: %d sweeps/s, %d echoes/s%n", s - lastSweeps, e - lastEchoes);
            lastSweeps = s;
            lastEchoes = e;
        }
        System.exit(0);
    }
}
