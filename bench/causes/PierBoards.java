// SPDX-License-Identifier: Apache-2.0
// healthy: 180 board threads and 40 turnstile threads mostly wait for a message or a ticket, as they should; one planner recomputes forecasts in about a tenth of a CPU, and each message is shown within milliseconds
// share: nothing: 0.1 CPUs used of 2 by 224 threads, notices shown 0.1 to 0.4 ms after they were made
// judge: RIGHT: nothing stands out, or only neutral remarks on where the little CPU time goes (Planner.forecast, Harbour.tide). WRONG: any accusation, such as too many threads, waits of the boards (Board.run) or turnstiles (Turnstile.run) for a queue or socket, waits at Planner.run or Passengers.run for a timer, a lock, the queue, CPUs or memory.
// jdk: 8
// set: thirty-fifth
// jvm: -Xmx256m

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.LongAdder;

/** Ferry landings: boards show the next departures, turnstiles count tickets, a planner makes forecasts. */
public class PierBoards {
    static final int BOARDS = 180, TURNSTILES = 40;
    static final LongAdder shown = new LongAdder(), delay = new LongAdder(), tickets = new LongAdder(), forecasts = new LongAdder();

    static final class Notice {
        final int ferry, minutes;
        final long made = System.nanoTime();

        Notice(int ferry, int minutes) {
            this.ferry = ferry;
            this.minutes = minutes;
        }
    }

    static final class Board implements Runnable {
        final LinkedBlockingQueue<Notice> notices = new LinkedBlockingQueue<>();
        final String[] rows = new String[6];

        void show(Notice n) {
            rows[n.ferry % rows.length] = "Ferry " + n.ferry + (n.minutes == 0 ? " on time" : " +" + n.minutes + " min");
        }

        @Override
        public void run() {
            try {
                while (true) {
                    Notice n = notices.take();
                    show(n);
                    delay.add(System.nanoTime() - n.made);
                    shown.increment();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static final class Turnstile implements Runnable {
        final Socket socket;
        long valid;

        Turnstile(Socket socket) {
            this.socket = socket;
        }

        @Override
        public void run() {
            try {
                DataInputStream in = new DataInputStream(socket.getInputStream());
                byte[] ticket = new byte[16];
                while (true) {
                    in.readFully(ticket);
                    int sum = 0;
                    for (byte b : ticket) sum = sum * 31 + b;
                    if (sum != 0) valid++;
                    tickets.increment();
                }
            } catch (IOException e) {
                System.err.println("turnstile: " + e);
            }
        }
    }

    /** Passengers at the turnstiles of the landings. */
    static final class Passengers implements Runnable {
        final List<DataOutputStream> gates = new ArrayList<>();

        @Override
        public void run() {
            Random random = new Random(4);
            byte[] ticket = new byte[16];
            try {
                while (true) {
                    Thread.sleep(30);
                    random.nextBytes(ticket);
                    DataOutputStream gate = gates.get(random.nextInt(gates.size()));
                    gate.write(ticket);
                    gate.flush();
                }
            } catch (IOException | InterruptedException e) {
                System.err.println("passengers: " + e);
            }
        }
    }

    static final class Harbour {
        final double[] speeds = new double[12], phases = new double[12];

        Harbour() {
            for (int i = 0; i < 12; i++) {
                speeds[i] = 0.24 + i * 0.13;
                phases[i] = i * 0.7;
            }
        }

        double tide(double hour) {
            double height = 0;
            for (int i = 0; i < speeds.length; i++) height += Math.cos(speeds[i] * hour + phases[i]) / (i + 1);
            return height;
        }
    }

    static final class Planner implements Runnable {
        final Harbour harbour = new Harbour();
        final List<Board> boards;
        final Random random = new Random(9);

        Planner(List<Board> boards) {
            this.boards = boards;
        }

        int forecast(int ferry, double hour) {
            double late = 0;
            for (int step = 0; step < 1000; step++) {
                double depth = harbour.tide(hour + step * 0.003);
                late += depth < -1.2 ? 0.045 : depth > 1.5 ? 0.015 : 0;
            }
            return (int) late + ferry % 2;
        }

        @Override
        public void run() {
            double hour = 0;
            try {
                while (true) {
                    for (int ferry = 0; ferry < 12; ferry++) {
                        Notice n = new Notice(ferry, forecast(ferry, hour));
                        if (ferry % 4 == 0) boards.get(random.nextInt(boards.size())).notices.add(n);
                    }
                    forecasts.add(12);
                    hour += 0.01;
                    Thread.sleep(25);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static void start(Runnable r, String name) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        List<Board> boards = new ArrayList<>();
        for (int i = 0; i < BOARDS; i++) {
            boards.add(new Board());
            start(boards.get(i), "board-" + i);
        }
        Passengers passengers = new Passengers();
        try (ServerSocket door = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"))) {
            for (int i = 0; i < TURNSTILES; i++) {
                Socket gate = new Socket(door.getInetAddress(), door.getLocalPort());
                gate.setTcpNoDelay(true);
                passengers.gates.add(new DataOutputStream(new BufferedOutputStream(gate.getOutputStream())));
                start(new Turnstile(door.accept()), "turnstile-" + i);
            }
        }
        start(passengers, "passengers");
        start(new Planner(boards), "planner");
        Thread.sleep(2000);
        System.out.println("READY");
        System.out.flush();
        while (true) {
            long s = shown.sum(), d = delay.sum(), t = tickets.sum(), f = forecasts.sum();
            Thread.sleep(1000);
            System.out.printf("measured: %d notices/s shown, %.2f ms after they were made; %d tickets/s, %d forecasts/s%n",
                    shown.sum() - s, (delay.sum() - d) / 1e6 / Math.max(1, shown.sum() - s), tickets.sum() - t, forecasts.sum() - f);
        }
    }
}
