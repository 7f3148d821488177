// SPDX-License-Identifier: Apache-2.0
// healthy: a controller of greenhouses that has little to do: a timer for each house every second or so, a pool without work, a thread that waits for connections, one that waits for alarms, and one that rests; all of that waiting is for work
// share: less than 1 % of a CPU and of the time of its threads is work, as measured; each due task begins within some milliseconds
// judge: NAMED: that nothing stands out, or that it did next to nothing (idle). SYMPTOM ONLY: does not apply. WRONG: any accusation: its threads' waiting for timers, queues, clients, the latch or condition as trouble, stuck threads, the scheduler as blocked, collections, hot code, memory
// jdk: 8
// set: thirty-fourth
// jvm: -Xmx64m
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** Looks after the climate of greenhouses: reads sensors, sets vents and heating, notifies the gardener. */
public class GreenhouseNight {
    static final LongAdder ticks = new LongAdder(), workNanos = new LongAdder(), lateNanos = new LongAdder();

    static final class House {
        final String name;
        private final Random random;
        private final double[] history = new double[60];
        private int next;
        private double celsius = 16, vent, heating;

        House(String name) {
            this.name = name;
            random = new Random(name.hashCode());
        }

        synchronized double step(double target) {
            celsius += heating * 0.4 - vent * 0.3 - 0.05 + random.nextGaussian() * 0.1;
            history[next++ % history.length] = celsius;
            double error = target - celsius;
            heating = Math.max(0, Math.min(1, error * 0.5));
            vent = Math.max(0, Math.min(1, -error * 0.5));
            return error;
        }

        synchronized String state() {
            double sum = 0;
            int n = Math.min(next, history.length);
            for (int i = 0; i < n; i++)
                sum += history[i];
            return name + ' ' + Math.round(celsius * 10) / 10.0 + " C, mean " + Math.round(sum / Math.max(1, n) * 10) / 10.0;
        }
    }

    /** Notifies the gardener of what is out of bounds. */
    static final class Alarms implements Runnable {
        private final BlockingQueue<String> queue = new LinkedBlockingQueue<>();

        void raise(String text) {
            queue.add(text);
        }

        @Override public void run() {
            try {
                while (true)
                    System.out.println("alarm: " + queue.take());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static final class Climate implements Runnable {
        private static final long PERIOD_MS = 1000;
        private final House house;
        private final Alarms alarms;
        private long due;

        Climate(House house, Alarms alarms) {
            this.house = house;
            this.alarms = alarms;
        }

        @Override public void run() {
            long begin = System.nanoTime();
            if (due != 0)
                lateNanos.add(Math.max(0, begin - due));
            due = begin + PERIOD_MS * 1_000_000;
            double error = house.step(18);
            if (Math.abs(error) > 6)
                alarms.raise(house.state());
            ticks.increment();
            workNanos.add(System.nanoTime() - begin);
        }
    }

    /** The gardener's terminal asks for the state of all houses. */
    static final class Door implements Runnable {
        private final ServerSocket listening;
        private final ExecutorService desk;
        private final List<House> houses;

        Door(ServerSocket listening, ExecutorService desk, List<House> houses) {
            this.listening = listening;
            this.desk = desk;
            this.houses = houses;
        }

        private void serve(Socket socket) {
            try (Socket s = socket; PrintWriter out = new PrintWriter(s.getOutputStream())) {
                for (House house : houses)
                    out.println(house.state());
            } catch (IOException e) {
                System.err.println("terminal: " + e);
            }
        }

        @Override public void run() {
            while (true) {
                try {
                    Socket socket = listening.accept();
                    desk.execute(() -> serve(socket));
                } catch (IOException e) {
                    System.err.println("door: " + e);
                }
            }
        }
    }

    static final class Terminal implements Runnable {
        private final int port;

        Terminal(int port) {
            this.port = port;
        }

        private int look() throws IOException {
            try (Socket socket = new Socket(InetAddress.getByName("127.0.0.1"), port);
                 BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream()))) {
                int lines = 0;
                while (in.readLine() != null)
                    lines++;
                return lines;
            }
        }

        @Override public void run() {
            try {
                while (true) {
                    Thread.sleep(5000);
                    try {
                        System.out.println("terminal: " + look() + " houses");
                    } catch (IOException e) {
                        System.err.println("terminal: " + e);
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        AtomicInteger number = new AtomicInteger();
        ScheduledExecutorService clock = Executors.newScheduledThreadPool(2, r -> new Thread(r, "climate-" + number.incrementAndGet()));
        ExecutorService desk = Executors.newFixedThreadPool(2, r -> new Thread(r, "desk-" + number.incrementAndGet()));
        Alarms alarms = new Alarms();
        List<House> houses = new ArrayList<>();
        for (String name : new String[] {"tomatoes", "orchids", "seedlings", "citrus", "cacti"}) {
            House house = new House(name);
            houses.add(house);
            clock.scheduleAtFixedRate(new Climate(house, alarms), 170L * houses.size(), Climate.PERIOD_MS, TimeUnit.MILLISECONDS);
        }
        ServerSocket listening = new ServerSocket(0, 16, InetAddress.getByName("127.0.0.1"));
        new Thread(alarms, "alarms").start();
        new Thread(new Door(listening, desk, houses), "door").start();
        new Thread(new Terminal(listening.getLocalPort()), "terminal").start();
        for (int second = 0; ; second++) {
            Thread.sleep(1000);
            long n = Math.max(1, ticks.sumThenReset());
            System.out.printf("measured: %d steps of the climate, %.0f us of work in all, %.1f ms late each%n",
                n, workNanos.sumThenReset() / 1e3, lateNanos.sumThenReset() / 1e6 / n);
            if (second == 2) {
                System.out.println("READY");
                System.out.flush();
            }
        }
    }
}
