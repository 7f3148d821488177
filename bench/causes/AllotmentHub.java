// SPDX-License-Identifier: Apache-2.0
// cause: the only thread that accepts (hub-door, AllotmentHub$Hub.run) sends the challenge and reads the controller's first line itself (Line.identify, BufferedReader.readLine of the socket, about 35 ms until the controller has signed it), so that all other controllers wait in the backlog and are let in one after another.
// share: faulty 9 to 23 visits/s (mean 14.9 over 10 s, visits of 770 to 1190 ms); fixed (the desk's thread reads that line) 132 to 187 visits/s (mean 167, visits of 37 to 41 ms); on a crowded machine.
// expect: slow-accept frame=AllotmentHub$Line.identify | waiting frame=AllotmentHub$Line.identify | blocked-loop frame=AllotmentHub$Line.identify
// symptom: waiting saturated-thread
// judge: NAMED: the acceptor hub-door waits for data of a socket in AllotmentHub$Line.identify (called by Hub.run in its accept loop), so nobody else is accepted in the meantime; the read belongs in a desk's thread. SYMPTOM ONLY: controllers wait for the server's first answer (WHO) in Controller.visit / answer; the server is slow; desks are idle; few visits. WRONG: too small a backlog or listen overflow, too few desk threads, Nagle/TCP_NODELAY, the lock of Plot.plan, the sleeps of the controllers as the cause, CPU or collections.
// jdk: 17
// set: twenty-ninth
// jvm:

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;

/** Irrigation controllers of allotments call a hub, say who they are, and get their watering plan. */
public class AllotmentHub {
    static final int CONTROLLERS = 14;
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final long SPAN = Long.getLong("span", 170);
    static final LongAdder visits = new LongAdder();
    static final LongAdder nanos = new LongAdder();

    /** What a plot has had and what it needs. */
    static final class Plot {
        private int litres;
        private int calls;

        synchronized String plan(int moisture) {
            calls++;
            int wanted = Math.max(0, 60 - moisture) * 3;
            litres += wanted;
            return wanted + " " + litres + " " + calls;
        }
    }

    /** One controller on the line. */
    static final class Line {
        final Socket socket;
        final BufferedReader in;
        final OutputStream out;
        String controller;

        Line(Socket socket) throws IOException {
            this.socket = socket;
            socket.setTcpNoDelay(true);
            in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
            out = socket.getOutputStream();
        }

        Line identify() throws IOException {
            say("WHO " + Integer.toHexString(socket.getPort() * 31));
            String hello = in.readLine();
            if (hello == null || !hello.startsWith("CTRL ")) {
                throw new IOException("not a controller: " + hello);
            }
            controller = hello.substring(5);
            return this;
        }

        void say(String text) throws IOException {
            out.write((text + "\n").getBytes(StandardCharsets.US_ASCII));
        }
    }

    /** The hub's side. */
    static final class Hub implements Runnable {
        private final ServerSocket server;
        private final ExecutorService desks = Executors.newFixedThreadPool(CONTROLLERS, r -> {
            Thread t = new Thread(r, "desk");
            t.setDaemon(true);
            return t;
        });
        private final Map<String, Plot> plots = new ConcurrentHashMap<>();

        Hub(ServerSocket server) {
            this.server = server;
        }

        @Override
        public void run() {
            while (!server.isClosed()) {
                try {
                    Line line = new Line(server.accept());
                    if (FIXED) {
                        desks.execute(() -> serve(line, true));
                    } else {
                        line.identify();
                        desks.execute(() -> serve(line, false));
                    }
                } catch (IOException e) {
                    if (!server.isClosed()) {
                        System.out.println("hub: " + e.getMessage());
                    }
                }
            }
        }

        private void serve(Line line, boolean unknown) {
            try (Socket s = line.socket) {
                if (unknown) {
                    line.identify();
                }
                Plot plot = plots.computeIfAbsent(line.controller, c -> new Plot());
                line.say("OK " + line.controller);
                String reading;
                while ((reading = line.in.readLine()) != null && !reading.equals("BYE")) {
                    line.say(plot.plan(Integer.parseInt(reading)));
                }
            } catch (IOException | NumberFormatException e) {
                System.out.println("hub: " + e.getMessage());
            }
        }
    }

    /** A controller in the field; its key card takes a moment to sign. */
    static final class Controller extends Thread {
        private final String name;
        private final int port;
        private final long end;

        Controller(int number, int port, long end) {
            super("controller-" + number);
            this.name = "plot" + number;
            this.port = port;
            this.end = end;
            setDaemon(true);
        }

        @Override
        public void run() {
            try {
                while (System.nanoTime() < end) {
                    long start = System.nanoTime();
                    visit();
                    nanos.add(System.nanoTime() - start);
                    visits.increment();
                    Thread.sleep(ThreadLocalRandom.current().nextInt(20, 60));
                }
            } catch (IOException | InterruptedException e) {
                System.out.println(name + ": " + e.getMessage());
            }
        }

        private void visit() throws IOException, InterruptedException {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                Line line = new Line(socket);
                if (!answer(line).startsWith("WHO ")) {
                    throw new IOException("not a hub");
                }
                Thread.sleep(ThreadLocalRandom.current().nextInt(25, 45));
                line.say("CTRL " + name);
                answer(line);
                for (int i = 0; i < 5; i++) {
                    line.say(String.valueOf(ThreadLocalRandom.current().nextInt(30, 70)));
                    answer(line);
                }
                line.say("BYE");
            }
        }

        private String answer(Line line) throws IOException {
            String text = line.in.readLine();
            if (text == null) {
                throw new IOException("the hub is gone");
            }
            return text;
        }
    }

    public static void main(String[] args) throws Exception {
        ServerSocket server = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
        Thread hub = new Thread(new Hub(server), "hub-door");
        hub.setDaemon(true);
        hub.start();
        long end = System.nanoTime() + SPAN * 1_000_000_000L;
        for (int i = 0; i < CONTROLLERS; i++) {
            new Controller(i, server.getLocalPort(), end).start();
        }
        System.out.println("READY");
        long lastVisits = 0;
        long lastNanos = 0;
        while (System.nanoTime() < end) {
            Thread.sleep(1000);
            long v = visits.sum();
            long n = nanos.sum();
            System.out.printf("measured: %d visits/s, mean %.1f ms%n", v - lastVisits,
                    (n - lastNanos) / 1e6 / Math.max(1, v - lastVisits));
            lastVisits = v;
            lastNanos = n;
        }
        System.exit(0);
    }
}
