// SPDX-License-Identifier: Apache-2.0
// healthy: a controller that reads its sensors twice a second, acts if it must, and rests in between; its threads wait for the next time, for requests that rarely come, or for tasks
// share: a round of all sensors takes a few milliseconds of 500, rounds begin on time; the process uses about 0.01 CPUs
// judge: RIGHT: nothing stands out, or that it did next to nothing. WRONG: any accusation: waits (sleep, queue, condition, accept, worker without work), a pool or scheduler, CPU, collections; a heap that is large for what it holds is no fault here
// jdk: 21
// set: thirty-second
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Controls the windows and the watering of glasshouses by the readings of their sensors. */
public class GlasshouseControl {

    static final AtomicLong ROUNDS = new AtomicLong();
    static final AtomicLong WORK = new AtomicLong();
    static final AtomicLong LATE = new AtomicLong();
    static final AtomicLong ANSWERS = new AtomicLong();

    record Reading(int house, double celsius, double humidity) {
    }

    enum Action { OPEN, CLOSE, WATER }

    record Order(int house, Action action) {
    }

    static final class House {
        private final Random random;
        private final int number;
        private double celsius = 22;
        private double humidity = 0.7;
        private final double[] history = new double[720];
        private int at;

        House(int number) {
            this.number = number;
            random = new Random(number);
        }

        synchronized Reading read() {
            celsius += 0.4 * random.nextGaussian();
            humidity = Math.max(0.2, Math.min(0.95, humidity + 0.01 * random.nextGaussian()));
            history[at++ % history.length] = celsius;
            return new Reading(number, celsius, humidity);
        }

        synchronized double smooth() {
            double value = history[0];
            for (double h : history) value += 0.05 * (h - value);
            return value;
        }

        synchronized void apply(Action action) {
            switch (action) {
                case OPEN -> celsius -= 2;
                case CLOSE -> celsius += 2;
                case WATER -> humidity += 0.1;
            }
        }
    }

    static final class Controller implements Runnable {
        private final List<House> houses;
        private final BlockingQueue<Order> orders;
        private long due = System.nanoTime();

        Controller(List<House> houses, BlockingQueue<Order> orders) {
            this.houses = houses;
            this.orders = orders;
        }

        @Override
        public void run() {
            long begin = System.nanoTime();
            LATE.addAndGet(Math.max(0, begin - due));
            for (House house : houses) {
                Reading reading = house.read();
                double mean = house.smooth();
                if (reading.celsius() > 26 && mean > 20) orders.add(new Order(reading.house(), Action.OPEN));
                else if (reading.celsius() < 18) orders.add(new Order(reading.house(), Action.CLOSE));
                if (reading.humidity() < 0.5) orders.add(new Order(reading.house(), Action.WATER));
            }
            long end = System.nanoTime();
            WORK.addAndGet(end - begin);
            ROUNDS.incrementAndGet();
            due = begin + TimeUnit.MILLISECONDS.toNanos(500);
        }
    }

    static final class Valves implements Runnable {
        private final List<House> houses;
        private final BlockingQueue<Order> orders;

        Valves(List<House> houses, BlockingQueue<Order> orders) {
            this.houses = houses;
            this.orders = orders;
        }

        @Override
        public void run() {
            try {
                while (true) {
                    Order order = orders.take();
                    houses.get(order.house()).apply(order.action());
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Reports to the gardener, who asks now and then. */
    static final class Panel implements Runnable {
        private final ServerSocket server;
        private final List<House> houses;
        private final ExecutorService workers = Executors.newFixedThreadPool(4, task -> new Thread(task, "panel-worker"));

        Panel(List<House> houses) throws IOException {
            this.houses = houses;
            server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        }

        private void answer(Socket socket) {
            try (socket; PrintWriter out = new PrintWriter(socket.getOutputStream(), false, StandardCharsets.US_ASCII)) {
                for (House house : houses) out.printf("%d %.1f%n", house.number, house.smooth());
            } catch (IOException e) {
                System.err.println("panel: " + e);
            }
        }

        @Override
        public void run() {
            try {
                while (true) {
                    Socket socket = server.accept();
                    workers.execute(() -> answer(socket));
                }
            } catch (IOException e) {
                System.err.println("panel closed: " + e);
            }
        }
    }

    static void ask(int port) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
             BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII))) {
            while (in.readLine() != null) ANSWERS.incrementAndGet();
        } catch (IOException e) {
            System.err.println("gardener: " + e);
        }
    }

    public static void main(String[] args) throws Exception {
        List<House> houses = new ArrayList<>();
        for (int i = 0; i < 300; i++) houses.add(new House(i));
        BlockingQueue<Order> orders = new LinkedBlockingQueue<>();
        ScheduledExecutorService clock = Executors.newScheduledThreadPool(2, task -> new Thread(task, "clock"));
        clock.scheduleAtFixedRate(new Controller(houses, orders), 0, 500, TimeUnit.MILLISECONDS);
        Thread.ofPlatform().name("valves").daemon().start(new Valves(houses, orders));
        Panel panel = new Panel(houses);
        Thread.ofPlatform().name("panel").daemon().start(panel);
        int port = panel.server.getLocalPort();
        clock.scheduleWithFixedDelay(() -> ask(port), 1, 3, TimeUnit.SECONDS);
        while (ROUNDS.get() < 5) Thread.sleep(100);
        System.out.println("READY");
        System.out.flush();
        long rounds = ROUNDS.get(), work = WORK.get(), late = LATE.get();
        while (true) {
            Thread.sleep(2000);
            long r = ROUNDS.get(), w = WORK.get(), l = LATE.get(), n = Math.max(1, r - rounds);
            System.out.printf("measured: %d rounds, %.2f ms each, begun %.2f ms late, %d orders wait, %d lines for the gardener%n",
                    r - rounds, (w - work) / 1e6 / n, (l - late) / 1e6 / n, orders.size(), ANSWERS.getAndSet(0));
            rounds = r;
            work = w;
            late = l;
        }
    }
}
