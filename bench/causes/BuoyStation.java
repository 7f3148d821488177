// SPDX-License-Identifier: Apache-2.0
// healthy: a shore station with a thread for each of 180 buoys, each of which waits for its buoy's next report (one a second or so) as it should, beside a few more threads that wait for work; reports are worked up within a millisecond or so and nobody waits for anybody
// share: nothing: 155 reports/s, 0.6 ms of work each, on the board within a millisecond (some ms on a crowded machine), 0.1 to 0.15 CPUs, 207 threads in all
// judge: RIGHT: nothing stands out, "it did next to nothing", or only neutral words on where CPU time goes (BuoyStation$Spectrum.of). WRONG: any accusation: too many threads, threads stuck, waiting for socket data or queues as trouble, pool too small, a slow server, lock contention, a hot method as a fault. Words on a crowded machine are RIGHT if it is crowded.
// jdk: 11
// set: thirty-first
// jvm: -Xmx256m

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** Shore station that receives the heave of wave buoys and keeps the sea state of each. */
public class BuoyStation {
    static final int BUOYS = 180;
    static final int SAMPLES = 1024;

    static final LongAdder reports = new LongAdder();
    static final LongAdder workNanos = new LongAdder();
    static final LongAdder delayNanos = new LongAdder();
    static final LongAdder warnings = new LongAdder();

    static final class SeaState {
        final double height;
        final double period;

        SeaState(double height, double period) {
            this.height = height;
            this.period = period;
        }
    }

    /** Energy of the waves by frequency. */
    static final class Spectrum {
        private static final double[] COS = new double[SAMPLES];
        private static final double[] SIN = new double[SAMPLES];

        static {
            for (int i = 0; i < SAMPLES; i++) {
                COS[i] = Math.cos(2 * Math.PI * i / SAMPLES);
                SIN[i] = Math.sin(2 * Math.PI * i / SAMPLES);
            }
        }

        static SeaState of(short[] heave) {
            double energy = 0;
            double strongest = 0;
            int peak = 1;
            for (int f = 1; f < SAMPLES / 2; f++) {
                double re = 0;
                double im = 0;
                for (int t = 0; t < SAMPLES; t++) {
                    int phase = f * t & SAMPLES - 1;
                    re += heave[t] * COS[phase];
                    im += heave[t] * SIN[phase];
                }
                double power = (re * re + im * im) / ((double) SAMPLES * SAMPLES);
                energy += power;
                if (power > strongest) {
                    strongest = power;
                    peak = f;
                }
            }
            return new SeaState(4 * Math.sqrt(2 * energy) / 100, 512.0 / peak);
        }
    }

    /** Warns ships of high seas, which are rare. */
    static final class Warnings implements Runnable {
        private final BlockingQueue<String> queue = new LinkedBlockingQueue<>(1000);

        @Override
        public void run() {
            try {
                while (true) {
                    if (!queue.take().isEmpty()) warnings.increment();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** The thread that listens to one buoy. */
    static final class Listener implements Runnable {
        private final Socket socket;
        private final Map<Integer, SeaState> board;
        private final Warnings warn;

        Listener(Socket socket, Map<Integer, SeaState> board, Warnings warn) {
            this.socket = socket;
            this.board = board;
            this.warn = warn;
        }

        @Override
        public void run() {
            short[] heave = new short[SAMPLES];
            try (DataInputStream in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), 4096))) {
                while (true) {
                    int buoy = in.readInt();
                    long sent = in.readLong();
                    long before = System.nanoTime();
                    for (int i = 0; i < SAMPLES; i++) heave[i] = in.readShort();
                    SeaState state = Spectrum.of(heave);
                    board.put(buoy, state);
                    if (state.height > 9) warn.queue.offer("high sea at buoy " + buoy);
                    long now = System.nanoTime();
                    workNanos.add(now - before);
                    delayNanos.add(now - sent);
                    reports.increment();
                }
            } catch (IOException e) {
                System.out.println("buoy lost: " + e);
            }
        }
    }

    /** The sea: all buoys, each of which reports when its turn has come. */
    static void sea(List<Socket> buoys) {
        Random random = new Random(17);
        ByteBuffer report = ByteBuffer.allocate(12 + 2 * SAMPLES);
        try {
            List<DataOutputStream> radios = new ArrayList<>();
            for (Socket socket : buoys) radios.add(new DataOutputStream(socket.getOutputStream()));
            for (int turn = 0; ; turn++) {
                int buoy = turn % radios.size();
                double length = 8 + random.nextInt(24);
                double height = 30 + random.nextInt(300);
                report.clear().putInt(buoy).putLong(System.nanoTime());
                for (int i = 0; i < SAMPLES; i++) report.putShort((short) (height * Math.sin(i / length * 6.28) + random.nextInt(20)));
                radios.get(buoy).write(report.array());
                Thread.sleep(5 + random.nextInt(3));
            }
        } catch (IOException | InterruptedException e) {
            System.out.println("no sea: " + e);
        }
    }

    public static void main(String[] args) throws Exception {
        InetAddress host = InetAddress.getByName("127.0.0.1");
        Map<Integer, SeaState> board = new ConcurrentHashMap<>();
        Warnings warn = new Warnings();
        for (int i = 0; i < 4; i++) new Thread(warn, "warnings-" + i).start();
        ScheduledExecutorService bulletins = Executors.newScheduledThreadPool(4);
        for (int area = 0; area < 4; area++) {
            int first = area * BUOYS / 4;
            bulletins.scheduleAtFixedRate(() -> {
                double highest = 0;
                for (int b = first; b < first + BUOYS / 4; b++) highest = Math.max(highest, board.getOrDefault(b, new SeaState(0, 0)).height);
                if (highest > 12) warn.queue.offer("storm from buoy " + first);
            }, 3, 3, TimeUnit.SECONDS);
        }
        List<Socket> buoys = new ArrayList<>();
        try (ServerSocket server = new ServerSocket(0, 256, host)) {
            for (int i = 0; i < BUOYS; i++) {
                Socket buoy = new Socket(host, server.getLocalPort());
                buoy.setTcpNoDelay(true);
                buoys.add(buoy);
                new Thread(new Listener(server.accept(), board, warn), "buoy-" + i).start();
            }
        }
        new Thread(() -> sea(buoys), "sea").start();
        while (reports.sum() < 250) Thread.sleep(50);
        System.out.println("READY");
        System.out.flush();
        com.sun.management.OperatingSystemMXBean system =
            (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        while (true) {
            long n = reports.sum(), w = workNanos.sum(), d = delayNanos.sum(), cpu = system.getProcessCpuTime(), began = System.nanoTime();
            Thread.sleep(1000);
            double seconds = (System.nanoTime() - began) / 1e9;
            long dn = Math.max(1, reports.sum() - n);
            System.out.printf("measured: %.0f reports/s, %.2f ms of work each, %.2f ms from the buoy to the board; %d buoys on it; %.2f CPUs%n",
                dn / seconds, (workNanos.sum() - w) / 1e6 / dn, (delayNanos.sum() - d) / 1e6 / dn, board.size(),
                (system.getProcessCpuTime() - cpu) / 1e9 / seconds);
        }
    }
}
