// SPDX-License-Identifier: Apache-2.0
// cause: MatchServer.start puts the slow ReplayExport.run (blocking upload of about 150 ms) on the same single-threaded scheduler as the 20 ms match ticks, so ticks are delayed whenever an upload runs
// share: mean lateness of ticks 21 to 29 ms, fixed about 1 ms; the upload holds the clock thread 150 ms in each 400 ms
// judge: NAMED only if the finding says that ReplayExport (its blocking upload) runs on / occupies the single scheduler thread ("match-clock") which the match ticks need, so ticks wait behind it. Only "ticks late", "match-clock thread blocked in socket read" or "ReplayExport.upload waits on socket" without that ticks share that one thread is a symptom. Blaming the archive server's delay alone, the GC, CPU shortage, Arena.tick as slow, or a lock is wrong.
// expect: blocked-scheduler task=ReplayExport
// symptom: waiting
// jdk: 21
// set: seventeenth
import java.io.*;
import java.net.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class ArenaMatch {
    static final boolean OPT = Boolean.getBoolean("fixed");
    static final LongAdder ticks = new LongAdder();
    static final LongAdder lateNanos = new LongAdder();
    static final LongAdder exports = new LongAdder();

    /** Archive of replays in another data centre; takes its time. */
    static final class ReplayArchive implements Runnable {
        final ServerSocket socket = new ServerSocket(0, 20, InetAddress.getLoopbackAddress());

        ReplayArchive() throws IOException { }

        @Override
        public void run() {
            while (true) {
                try (Socket s = socket.accept()) {
                    DataInputStream in = new DataInputStream(new BufferedInputStream(s.getInputStream()));
                    while (true) {
                        byte[] b = new byte[in.readInt()];
                        in.readFully(b);
                        Thread.sleep(150);
                        s.getOutputStream().write(1);
                    }
                } catch (IOException | InterruptedException e) {
                    System.err.println("archive line lost " + e);
                }
            }
        }
    }

    /** One arena with its fighters. */
    static final class Arena {
        private final double[] x = new double[64];
        private final double[] y = new double[64];
        private final double[] vx = new double[64];
        private final double[] vy = new double[64];
        private long due;
        private int hits;

        Arena(long seed) {
            Random r = new Random(seed);
            for (int i = 0; i < x.length; i++) {
                x[i] = r.nextDouble() * 100;
                y[i] = r.nextDouble() * 100;
                vx[i] = r.nextDouble() - 0.5;
                vy[i] = r.nextDouble() - 0.5;
            }
        }

        synchronized void tick() {
            long now = System.nanoTime();
            if (due == 0) {
                due = now;
            }
            lateNanos.add(Math.max(0, now - due));
            due += 20_000_000L;
            ticks.increment();
            for (int i = 0; i < x.length; i++) {
                x[i] = Math.floorMod((long) ((x[i] + vx[i]) * 1000), 100_000L) / 1000.0;
                y[i] = Math.floorMod((long) ((y[i] + vy[i]) * 1000), 100_000L) / 1000.0;
                for (int j = 0; j < i; j++) {
                    double dx = x[i] - x[j];
                    double dy = y[i] - y[j];
                    if (dx * dx + dy * dy < 1) {
                        hits++;
                    }
                }
            }
        }

        synchronized byte[] snapshot() throws IOException {
            ByteArrayOutputStream b = new ByteArrayOutputStream();
            DataOutputStream d = new DataOutputStream(b);
            d.writeInt(hits);
            for (int i = 0; i < x.length; i++) {
                d.writeFloat((float) x[i]);
                d.writeFloat((float) y[i]);
            }
            return b.toByteArray();
        }
    }

    static final class ReplayExport implements Runnable {
        private final List<Arena> arenas;
        private final Socket line;
        private int next;

        ReplayExport(List<Arena> arenas, int port) throws IOException {
            this.arenas = arenas;
            this.line = new Socket(InetAddress.getLoopbackAddress(), port);
            line.setTcpNoDelay(true);
        }

        @Override
        public void run() {
            try {
                upload(arenas.get(next++ % arenas.size()).snapshot());
                exports.increment();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private void upload(byte[] b) throws IOException {
            DataOutputStream out = new DataOutputStream(new BufferedOutputStream(line.getOutputStream()));
            out.writeInt(b.length);
            out.write(b);
            out.flush();
            line.getInputStream().read();
        }
    }

    static final class MatchServer {
        private final ScheduledExecutorService clock = scheduler("match-clock");

        static ScheduledExecutorService scheduler(String name) {
            return Executors.newSingleThreadScheduledExecutor(r -> Thread.ofPlatform().daemon().name(name).unstarted(r));
        }

        void start(List<Arena> arenas, ReplayExport export) {
            for (Arena a : arenas) {
                clock.scheduleAtFixedRate(a::tick, 20, 20, TimeUnit.MILLISECONDS);
            }
            ScheduledExecutorService e = OPT ? scheduler("replay") : clock;
            e.scheduleAtFixedRate(export, 100, 400, TimeUnit.MILLISECONDS);
        }
    }

    public static void main(String[] args) throws Exception {
        ReplayArchive archive = new ReplayArchive();
        Thread.ofPlatform().daemon().name("archive").start(archive);
        List<Arena> arenas = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            arenas.add(new Arena(i));
        }
        new MatchServer().start(arenas, new ReplayExport(arenas, archive.socket.getLocalPort()));
        System.out.println("READY");
        for (int s = 0; s < 140; s++) {
            Thread.sleep(1000);
            long n = ticks.sumThenReset();
            long ns = lateNanos.sumThenReset();
            System.out.printf("measured: %d ticks/s, mean lateness %.2f ms, %d exports%n", n, n == 0 ? 0 : ns / 1e6 / n, exports.sumThenReset());
        }
    }
}
