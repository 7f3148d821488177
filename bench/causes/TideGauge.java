// SPDX-License-Identifier: Apache-2.0
// healthy: a tide gauge that reads its sensor twice a second, keeps a day of readings, answers a question about the level every two seconds, and sleeps otherwise: it has nothing more to do
// share: 1 % of a CPU or less; readings begin on time (a few ms late at most on a free machine) and questions are answered within some ms
// judge: RIGHT: nothing stands out, or that it does next to nothing (idle); neutral remarks of where its little time goes. WRONG: any accusation: that the clock (TideGauge$Sampler, Thread.sleep or parks of the scheduler), the station's socket (TideGauge$Station), the client (TideGauge$Harbour), GC, locks or the machine is at fault.
// jdk: 25
// set: thirty-fifth
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** A tide gauge in a harbour: reads the level, smooths it, and gives it to who asks. */
public class TideGauge {
    record Reading(long millis, double metres) { }

    /** The readings of a day, the oldest of which make room for new ones. */
    static final class Day {
        private final Reading[] ring = new Reading[2 * 86_400];
        private int next, size;

        synchronized void add(Reading reading) {
            ring[next] = reading;
            next = (next + 1) % ring.length;
            size = Math.min(size + 1, ring.length);
        }

        synchronized double[] last(int wanted) {
            int count = Math.min(wanted, size);
            double[] values = new double[count];
            for (int i = 0; i < count; i++) {
                values[i] = ring[Math.floorMod(next - count + i, ring.length)].metres();
            }
            return values;
        }
    }

    /** Reads the pressure sensor, a burst of pulses for each reading, since waves are higher than the tide is quick. */
    static final class Sampler implements Runnable {
        static final long PERIOD = 500;
        private final Day day;
        private final Random sea = new Random(4);
        private long start, number;
        final AtomicLong readings = new AtomicLong(), worst = new AtomicLong();

        Sampler(Day day) {
            this.day = day;
        }

        @Override public void run() {
            if (number == 0) {
                start = System.nanoTime() - PERIOD * 1_000_000;
            }
            worst.accumulateAndGet(System.nanoTime() - start - ++number * PERIOD * 1_000_000, Math::max);
            day.add(new Reading(System.currentTimeMillis(), burst()));
            readings.incrementAndGet();
        }

        private double burst() {
            double tide = 2.4 * Math.sin(number / 7_000.0), sum = 0;
            for (int pulse = 0; pulse < 4_096; pulse++) {
                sum += tide + 0.4 * Math.sin(pulse / 37.0 + number) + 0.02 * sea.nextGaussian();
            }
            return sum / 4_096;
        }
    }

    /** Reports the level of the last minute, and whether it rises. */
    static final class Station implements Runnable {
        private final ServerSocket door;
        private final Day day;

        Station(ServerSocket door, Day day) {
            this.door = door;
            this.day = day;
        }

        @Override public void run() {
            while (!door.isClosed()) {
                try (Socket caller = door.accept()) {
                    caller.setSoTimeout(3000);
                    String question = new BufferedReader(new InputStreamReader(caller.getInputStream(), StandardCharsets.US_ASCII)).readLine();
                    if ("level".equals(question)) {
                        caller.getOutputStream().write(level().getBytes(StandardCharsets.US_ASCII));
                    }
                } catch (IOException e) {
                    System.out.println("station: " + e);
                }
            }
        }

        private String level() {
            double[] minute = day.last(120);
            double mean = 0, slope = 0;
            for (double metres : minute) {
                mean += metres / minute.length;
            }
            for (int i = 0; i < minute.length; i++) {
                slope += (i - minute.length / 2.0) * (minute[i] - mean);
            }
            return String.format("%.3f %s%n", mean, slope > 0 ? "rising" : "falling");
        }
    }

    /** The harbour's office, which asks now and then. */
    static final class Harbour implements Runnable {
        private final int port;
        final AtomicLong answers = new AtomicLong(), nanos = new AtomicLong();

        Harbour(int port) {
            this.port = port;
        }

        @Override public void run() {
            long begin = System.nanoTime();
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                socket.setSoTimeout(5000);
                socket.getOutputStream().write("level\n".getBytes(StandardCharsets.US_ASCII));
                if (new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII)).readLine() != null) {
                    answers.incrementAndGet();
                    nanos.addAndGet(System.nanoTime() - begin);
                }
            } catch (IOException e) {
                System.out.println("harbour: " + e);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Day day = new Day();
        Sampler sampler = new Sampler(day);
        ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(r -> new Thread(r, "gauge-clock"));
        clock.scheduleAtFixedRate(sampler, Sampler.PERIOD, Sampler.PERIOD, TimeUnit.MILLISECONDS);
        ServerSocket door = new ServerSocket(0, 20, InetAddress.getLoopbackAddress());
        new Thread(new Station(door, day), "station").start();
        Harbour harbour = new Harbour(door.getLocalPort());
        ScheduledExecutorService office = Executors.newSingleThreadScheduledExecutor(r -> new Thread(r, "harbour-office"));
        office.scheduleWithFixedDelay(harbour, 1200, 2000, TimeUnit.MILLISECONDS);
        for (int round = 1;; round++) {
            Thread.sleep(2000);
            if (round == 2) {
                System.out.println("READY");
            }
            long answers = harbour.answers.getAndSet(0);
            System.out.printf("measured: %d readings, at most %.1f ms late; %d answers, %.1f ms each%n", sampler.readings.getAndSet(0), sampler.worst.getAndSet(0) / 1e6, answers,
                    harbour.nanos.getAndSet(0) / 1e6 / Math.max(1, answers));
            System.out.flush();
        }
    }
}
