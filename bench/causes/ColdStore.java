// SPDX-License-Identifier: Apache-2.0
// healthy: reads 40 thermometers once a second, which takes less than a millisecond or so, and otherwise rests; an alarm thread waits for alarms, which are rare, and a door for the foreman's questions, one in three seconds
// share: 0.02 to 0.07 ms for each round of readings, on time; 0.000 to 0.005 CPUs
// judge: RIGHT: nothing stands out; that the process did next to nothing (idle); neutral remarks on the little CPU time. WRONG: any accusation: the scheduler readings, the alarm thread (ColdStore$Alarms.run waits in take), the door (accept), sleeps, that something is stuck, memory.
// jdk: 17
// set: thirty-sixth
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Watches the temperatures of a cold store. */
public class ColdStore {
    static final AtomicLong rounds = new AtomicLong();
    static final AtomicLong roundTime = new AtomicLong();
    static final AtomicLong late = new AtomicLong();
    static final AtomicLong alarmed = new AtomicLong();
    static final AtomicLong answers = new AtomicLong();
    static final AtomicLong answerTime = new AtomicLong();

    static final class Thermometer {
        private final int number;
        private final Random random;
        private double celsius = -21;

        Thermometer(int number) {
            this.number = number;
            random = new Random(number);
        }

        double read() {
            celsius += (random.nextDouble() - 0.5) * 0.2 + (-21 - celsius) * 0.02;
            return celsius;
        }
    }

    /** An hour of readings. */
    static final class Log {
        private final Deque<double[]> hour = new ArrayDeque<>();

        synchronized void add(double[] readings) {
            if (hour.size() == 3600)
                hour.removeFirst();
            hour.addLast(readings);
        }

        synchronized double mean() {
            double sum = 0;
            int count = 0;
            for (double[] readings : hour)
                for (double reading : readings) {
                    sum += reading;
                    count++;
                }
            return count == 0 ? 0 : sum / count;
        }
    }

    static final class Readings implements Runnable {
        private final Thermometer[] thermometers = new Thermometer[40];
        private final Log log;
        private final BlockingQueue<String> alarms;
        private long due = System.nanoTime();

        Readings(Log log, BlockingQueue<String> alarms) {
            this.log = log;
            this.alarms = alarms;
            for (int i = 0; i < thermometers.length; i++)
                thermometers[i] = new Thermometer(i);
        }

        @Override
        public void run() {
            long start = System.nanoTime();
            double[] readings = new double[thermometers.length];
            for (int i = 0; i < readings.length; i++) {
                readings[i] = thermometers[i].read();
                if (readings[i] > -19.4)
                    alarms.offer("chamber " + thermometers[i].number + ": " + readings[i]);
            }
            log.add(readings);
            due += 1_000_000_000L;
            late.set(Math.max(0, start - due));
            roundTime.addAndGet(System.nanoTime() - start);
            rounds.incrementAndGet();
        }
    }

    static final class Alarms implements Runnable {
        private final BlockingQueue<String> alarms;
        private final Deque<String> latest = new ArrayDeque<>();

        Alarms(BlockingQueue<String> alarms) {
            this.alarms = alarms;
        }

        @Override
        public void run() {
            try {
                while (true) {
                    latest.addLast(alarms.take());
                    if (latest.size() > 100)
                        latest.removeFirst();
                    alarmed.incrementAndGet();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Answers who comes to the door. */
    static final class Door implements Runnable {
        private final ServerSocket socket;
        private final Log log;

        Door(ServerSocket socket, Log log) {
            this.socket = socket;
            this.log = log;
        }

        @Override
        public void run() {
            while (true) {
                try (Socket client = socket.accept()) {
                    client.setSoTimeout(20_000);
                    client.getOutputStream().write(("mean " + log.mean() + "\n").getBytes(StandardCharsets.US_ASCII));
                } catch (IOException e) {
                    System.err.println("door: " + e);
                }
            }
        }
    }

    static final class Foreman implements Runnable {
        private final int port;

        Foreman(int port) {
            this.port = port;
        }

        @Override
        public void run() {
            long start = System.nanoTime();
            try (Socket door = new Socket(InetAddress.getByName("127.0.0.1"), port);
                    BufferedReader in = new BufferedReader(new InputStreamReader(door.getInputStream(), StandardCharsets.US_ASCII))) {
                if (in.readLine() != null)
                    answers.incrementAndGet();
            } catch (IOException e) {
                System.err.println("foreman: " + e);
            }
            answerTime.addAndGet(System.nanoTime() - start);
        }
    }

    static void start(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
    }

    public static void main(String[] args) throws Exception {
        Log log = new Log();
        BlockingQueue<String> alarms = new ArrayBlockingQueue<>(1000);
        ServerSocket socket = new ServerSocket(0, 20, InetAddress.getByName("127.0.0.1"));
        start("alarms", new Alarms(alarms));
        start("door", new Door(socket, log));
        ScheduledExecutorService readings = Executors.newSingleThreadScheduledExecutor(task -> new Thread(task, "readings"));
        readings.scheduleAtFixedRate(new Readings(log, alarms), 1, 1, TimeUnit.SECONDS);
        ScheduledExecutorService foreman = Executors.newSingleThreadScheduledExecutor(task -> new Thread(task, "foreman"));
        foreman.scheduleWithFixedDelay(new Foreman(socket.getLocalPort()), 1, 3, TimeUnit.SECONDS);
        var system = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        PrintWriter out = new PrintWriter(System.out, true);
        for (int round = 1; ; round++) {
            long cpu = system.getProcessCpuTime(), n = rounds.get(), t = roundTime.get();
            Thread.sleep(2000);
            if (round == 2)
                out.println("READY");
            long did = Math.max(1, rounds.get() - n);
            out.printf("measured: %d rounds of readings in 2 s, %.2f ms each, the last one %.1f ms late; %d alarms and %d answers so far, %.1f ms each; %.3f CPUs%n",
                rounds.get() - n, (roundTime.get() - t) / 1e6 / did, late.get() / 1e6, alarmed.get(), answers.get(),
                answerTime.get() / 1e6 / Math.max(1, answers.get()), (system.getProcessCpuTime() - cpu) / 2e9);
        }
    }
}
