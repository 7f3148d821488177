// SPDX-License-Identifier: Apache-2.0
// cause: TileForge$FootprintGuard.nativeKilobytes asks the JVM for a report of its native memory (DiagnosticCommand vmNativeMemory) before each tile; the JVM makes one such report at a time, under a native lock of its own (NMTQuery_lock), and the render threads wait for that lock
// share: 2.3 ms asking for 0.01 ms painting for each tile; of the 16 threads' time two thirds or more are in futex waits within executeDiagnosticCommand, about one CPU is used by the report of the thread that has the lock
// expect: waiting kind=native-lock frame=TileForge$FootprintGuard | hot-calls frame=TileForge$FootprintGuard.nativeKilobytes
// symptom: waiting hot-calls
// judge: NAMED: waiting for a native lock (a mutex of the JVM or of native code) at TileForge$FootprintGuard.nativeKilobytes or its caller admit, or below the JMX call (MBeanServer.invoke, DiagnosticCommandImpl) that it makes. Also right: what nativeKilobytes calls (the diagnostic command vmNativeMemory / native memory report) takes the time or the CPU, if it is reported as the main cause. SYMPTOM ONLY: threads wait within native code or the JVM without the place; CPU time in the JVM/libjvm without nativeKilobytes. WRONG: rendering (TileForge$Renderer.paint) is the cause, collections, CPU starvation, safepoints, too few render threads (pool-busy).
// jdk: 21
// set: thirty-third
// jvm: -Xmx256m -XX:NativeMemoryTracking=detail

import java.lang.management.ManagementFactory;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/** Renders map tiles ahead of time; in a small container, so each tile is begun only while there is memory left. */
public class TileForge {
    static final int RENDERERS = 16;

    /** Says whether the JVM, with all it has outside of the heap, leaves room for one more tile. */
    static final class FootprintGuard {
        private final MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        private final ObjectName commands;
        private final long limit;
        final AtomicLong asking = new AtomicLong();

        FootprintGuard(long limitKilobytes) throws Exception {
            limit = limitKilobytes;
            commands = new ObjectName("com.sun.management:type=DiagnosticCommand");
        }

        boolean admit(int tileKilobytes) {
            long begun = System.nanoTime();
            try {
                return nativeKilobytes() + tileKilobytes < limit;
            } finally {
                asking.addAndGet(System.nanoTime() - begun);
            }
        }

        private long nativeKilobytes() {
            try {
                String report = (String) server.invoke(commands, "vmNativeMemory", new Object[] {new String[] {"summary"}},
                        new String[] {String[].class.getName()});
                return committed(report);
            } catch (Exception e) {
                return 0;
            }
        }

        /** From the line "Total: reserved=1234KB, committed=567KB". */
        private long committed(String report) {
            int total = report.indexOf("Total:");
            int at = total < 0 ? -1 : report.indexOf("committed=", total);
            if (at < 0) {
                return 0;
            }
            long kb = 0;
            for (int i = at + 10; i < report.length() && Character.isDigit(report.charAt(i)); i++) {
                kb = kb * 10 + report.charAt(i) - '0';
            }
            return kb;
        }
    }

    /** Tiles of all zoom levels, one after another. */
    static final class TileQueue {
        private final AtomicLong next = new AtomicLong();

        long take() {
            return next.getAndIncrement();
        }
    }

    static final class Renderer implements Runnable {
        private final TileQueue tiles;
        private final FootprintGuard guard;
        private final AtomicLong done;
        private final AtomicLong painting;
        private final int[] pixels = new int[64 * 64];

        Renderer(TileQueue tiles, FootprintGuard guard, AtomicLong done, AtomicLong painting) {
            this.tiles = tiles;
            this.guard = guard;
            this.done = done;
            this.painting = painting;
        }

        @Override
        public void run() {
            CRC32 crc = new CRC32();
            byte[] row = new byte[64];
            while (true) {
                long tile = tiles.take();
                while (!guard.admit(16)) {
                    Thread.yield();
                }
                long begun = System.nanoTime();
                paint(tile);
                for (int y = 0; y < 64; y++) {
                    for (int x = 0; x < 64; x++) {
                        row[x] = (byte) pixels[y * 64 + x];
                    }
                    crc.update(row, 0, 64);
                }
                if (crc.getValue() != -1) {
                    done.incrementAndGet();
                }
                painting.addAndGet(System.nanoTime() - begun);
            }
        }

        private void paint(long tile) {
            int seed = (int) (tile * 2654435761L);
            for (int y = 0; y < 64; y++) {
                for (int x = 0; x < 64; x++) {
                    int h = (x * 374761393 + y * 668265263) ^ seed;
                    h = (h ^ (h >>> 13)) * 1274126177;
                    pixels[y * 64 + x] = (pixels[Math.max(0, y * 64 + x - 1)] * 3 + (h & 255)) >> 2;
                }
            }
        }
    }

    public static void main(String[] args) throws Exception {
        FootprintGuard guard = new FootprintGuard(8L << 20);
        TileQueue tiles = new TileQueue();
        AtomicLong done = new AtomicLong(), painting = new AtomicLong();
        for (int i = 0; i < RENDERERS; i++) {
            Thread t = new Thread(new Renderer(tiles, guard, done, painting), "render-" + i);
            t.setDaemon(true);
            t.start();
        }
        Thread.sleep(4000);
        System.out.println("READY");
        System.out.flush();
        long tilesBefore = done.get(), askedBefore = guard.asking.get(), paintedBefore = painting.get();
        while (true) {
            Thread.sleep(1000);
            long n = done.get(), a = guard.asking.get(), p = painting.get();
            long count = Math.max(1, n - tilesBefore);
            System.out.printf(Locale.ROOT, "measured: %d tiles/s, %.3f ms asking whether there is room and %.3f ms painting for each%n",
                    n - tilesBefore, (a - askedBefore) / 1e6 / count, (p - paintedBefore) / 1e6 / count);
            System.out.flush();
            tilesBefore = n;
            askedBefore = a;
            paintedBefore = p;
        }
    }
}
