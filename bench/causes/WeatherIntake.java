// SPDX-License-Identifier: Apache-2.0
// healthy: eight intake threads take turns at receiving datagrams: one waits in receive, holding Intake.turn, the others stand by for the monitor and have nothing to do; who has a datagram lets the next one receive before it works on it, so there is always a thread that receives, none is lost, and each is worked on at once
// share: nothing: 0.11 CPUs used of 2, observations begun 0.2 ms after they were sent, none left over; about 7 of 8 threads stand by at the monitor
// judge: RIGHT: nothing stands out, or neutral remarks (where the CPU time goes: Correction.air, Correction.wind, Observation methods; that threads stand by). WRONG: any accusation, above all contention or waiting for the monitor at WeatherIntake$Intake.next, or waiting for data of a socket under it; too many threads; timers at Network.run; CPUs.
// jdk: 11
// set: thirty-fifth
// jvm: -Xmx256m

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.atomic.LongAdder;

/** Takes in the observations that weather stations send as datagrams. */
public class WeatherIntake {
    static final int STATIONS = 60, CREW = 8;
    static final LongAdder sent = new LongAdder(), taken = new LongAdder(), age = new LongAdder(), work = new LongAdder();

    static final class Observation {
        final int station;
        final long made;
        final float[] air = new float[24];
        final float[] wind = new float[24];

        Observation(ByteBuffer b) {
            station = b.getInt();
            made = b.getLong();
            for (int i = 0; i < 24; i++) {
                air[i] = b.getFloat();
                wind[i] = b.getFloat();
            }
        }
    }

    static final class Correction {
        final double[] offsets = new double[STATIONS];

        Correction() {
            for (int i = 0; i < STATIONS; i++) offsets[i] = i * 0.01;
        }

        double air(Observation o) {
            double sum = 0;
            for (int pass = 0; pass < 300; pass++)
                for (float t : o.air) sum += Math.exp(17.27 * t / (t + 237.3 + pass * 0.01)) + offsets[o.station];
            return sum;
        }

        double wind(Observation o) {
            double east = 0, north = 0;
            for (int pass = 0; pass < 250; pass++)
                for (float w : o.wind) {
                    east += Math.sin(w + pass) * w;
                    north += Math.cos(w + pass) * w;
                }
            return Math.hypot(east, north);
        }
    }

    /** The latest values of each station. */
    static final class Atlas {
        final double[][] latest = new double[STATIONS][];

        void store(int station, double air, double wind) {
            double[] values = {air, wind};
            synchronized (latest) {
                latest[station] = values;
            }
        }
    }

    static final class Intake implements Runnable {
        final DatagramSocket socket;
        final Object turn;
        final Atlas atlas;
        final Correction correction = new Correction();
        final byte[] buffer = new byte[512];

        Intake(DatagramSocket socket, Object turn, Atlas atlas) {
            this.socket = socket;
            this.turn = turn;
            this.atlas = atlas;
        }

        Observation next() throws IOException {
            DatagramPacket packet = new DatagramPacket(buffer, buffer.length);
            synchronized (turn) {
                socket.receive(packet);
            }
            return new Observation(ByteBuffer.wrap(Arrays.copyOf(buffer, packet.getLength())));
        }

        @Override
        public void run() {
            try {
                while (true) {
                    Observation o = next();
                    long begin = System.nanoTime();
                    age.add(begin - o.made);
                    atlas.store(o.station, correction.air(o), correction.wind(o));
                    work.add(System.nanoTime() - begin);
                    taken.increment();
                }
            } catch (IOException e) {
                System.err.println("intake: " + e);
            }
        }
    }

    /** The stations, of which several may report at the same time. */
    static final class Network implements Runnable {
        final InetSocketAddress where;

        Network(InetSocketAddress where) {
            this.where = where;
        }

        byte[] report(Random random, int station) {
            ByteBuffer b = ByteBuffer.allocate(12 + 24 * 8);
            b.putInt(station).putLong(System.nanoTime());
            for (int i = 0; i < 24; i++) b.putFloat(random.nextFloat() * 30).putFloat(random.nextFloat() * 12);
            return b.array();
        }

        @Override
        public void run() {
            Random random = new Random(21);
            try (DatagramSocket out = new DatagramSocket()) {
                while (true) {
                    Thread.sleep(2 + random.nextInt(9));
                    for (int n = random.nextInt(4); n >= 0; n--) {
                        byte[] report = report(random, random.nextInt(STATIONS));
                        out.send(new DatagramPacket(report, report.length, where));
                        sent.increment();
                    }
                }
            } catch (IOException | InterruptedException e) {
                System.err.println("network: " + e);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        DatagramSocket socket = new DatagramSocket(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0));
        Object turn = new Object();
        Atlas atlas = new Atlas();
        for (int i = 0; i < CREW; i++) {
            Thread t = new Thread(new Intake(socket, turn, atlas), "intake-" + i);
            t.setDaemon(true);
            t.start();
        }
        Thread network = new Thread(new Network((InetSocketAddress) socket.getLocalSocketAddress()), "network");
        network.setDaemon(true);
        network.start();
        Thread.sleep(2500);
        System.out.println("READY");
        System.out.flush();
        while (true) {
            long n = taken.sum(), a = age.sum(), w = work.sum();
            Thread.sleep(1000);
            long m = Math.max(1, taken.sum() - n);
            System.out.printf("measured: %d observations/s, begun %.2f ms after they were sent, %.2f ms work each, %d not yet taken%n",
                    m, (age.sum() - a) / 1e6 / m, (work.sum() - w) / 1e6 / m, sent.sum() - taken.sum());
        }
    }
}
