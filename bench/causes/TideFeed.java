// SPDX-License-Identifier: Apache-2.0
// healthy: subscribers wait for data of sockets nearly all of their time because gauges send news only now and then; each reading arrives within a fraction of a millisecond after it was published, and no thread waits for an answer
// share: 400 readings/s arrive 0.3 to 0.6 ms after they were sent, none is under way at the end of a second; harbours wait 97 % or more of their time for the next one; 0.1 to 0.2 CPUs
// judge: RIGHT: nothing stands out, or a neutral statement that time goes to waiting for data of sockets which come when they come (TideFeed$Harbour.listen, TideFeed$Session.listen), or to computing (TideFeed$Tide.height), without a fault. WRONG: any accusation: waiting for a server's answer at Harbour.listen or Session.listen, Nagle, the publisher's pauses, locks of sessions, the tide's arithmetic as a fault, CPUs.
// jdk: 8
// set: thirty-third
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** Distributes the readings of tide gauges to harbours, which subscribe by a connection that they keep. */
public class TideFeed {
    static final int HARBOURS = 24;
    static final int GAUGES = 12;
    static final LongAdder received = new LongAdder();
    static final LongAdder delayNanos = new LongAdder();
    static final LongAdder listenNanos = new LongAdder();
    static final LongAdder published = new LongAdder();

    static void start(Runnable work, String name) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }

    /** Height of the water by harmonic constituents. */
    static final class Tide {
        private final double[] amplitude = new double[37];
        private final double[] speed = new double[37];
        private final double[] phase = new double[37];

        Tide(long seed) {
            SplittableRandom random = new SplittableRandom(seed);
            for (int i = 0; i < amplitude.length; i++) {
                amplitude[i] = random.nextDouble() / (1 + i);
                speed[i] = 0.01 + random.nextDouble();
                phase[i] = random.nextDouble() * 6;
            }
        }

        double height(double hour) {
            double sum = 0;
            for (int i = 0; i < amplitude.length; i++) {
                sum += amplitude[i] * Math.cos(speed[i] * hour + phase[i]);
            }
            return sum;
        }
    }

    /** The feed's side of a harbour's connection. */
    static final class Session implements Runnable {
        private final Socket socket;
        private final DataInputStream in;
        private final DataOutputStream out;
        private volatile long gauges;
        private volatile boolean open = true;

        Session(Socket socket) throws IOException {
            this.socket = socket;
            socket.setTcpNoDelay(true);
            in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
            out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
        }

        void listen() throws IOException {
            while (true) {
                gauges = in.readLong();
            }
        }

        void send(int gauge, double hour, double height) throws IOException {
            if ((gauges >>> gauge & 1) != 0) {
                synchronized (out) {
                    out.writeInt(gauge);
                    out.writeDouble(hour);
                    out.writeDouble(height);
                    out.writeLong(System.nanoTime());
                    out.flush();
                }
                published.increment();
            }
        }

        @Override
        public void run() {
            try {
                listen();
            } catch (IOException e) {
                open = false;
            } finally {
                close();
            }
        }

        void close() {
            open = false;
            try {
                socket.close();
            } catch (IOException e) {
                // closed anyway
            }
        }
    }

    static final class Feed {
        private final List<Session> sessions = new CopyOnWriteArrayList<Session>();
        private final Tide[] tides = new Tide[GAUGES];
        private final SplittableRandom random = new SplittableRandom(3);
        private double hour;

        Feed() {
            for (int i = 0; i < GAUGES; i++) {
                tides[i] = new Tide(i);
            }
        }

        void accept(ServerSocket door) {
            try {
                for (int number = 1;; number++) {
                    Session session = new Session(door.accept());
                    sessions.add(session);
                    start(session, "session-" + number);
                }
            } catch (IOException e) {
                System.out.println("no more sessions: " + e);
            }
        }

        /** One gauge has a new reading. */
        void publish() {
            int gauge = random.nextInt(GAUGES);
            hour += 0.01;
            double height = tides[gauge].height(hour) + random.nextDouble() * 0.05;
            for (Session session : sessions) {
                try {
                    session.send(gauge, hour, height);
                } catch (IOException e) {
                    session.close();
                }
                if (!session.open) {
                    sessions.remove(session);
                }
            }
        }
    }

    /** A subscriber: follows a few gauges and forecasts the next high water. */
    static final class Harbour implements Runnable {
        private final int number;
        private final int port;
        private final Tide[] tides = new Tide[GAUGES];
        private final double[] deviation = new double[GAUGES];
        private double nextHigh;

        Harbour(int number, int port) {
            this.number = number;
            this.port = port;
            for (int i = 0; i < GAUGES; i++) {
                tides[i] = new Tide(i);
            }
        }

        private void forecast(int gauge, double hour, double height) {
            Tide tide = tides[gauge];
            deviation[gauge] += 0.1 * (height - tide.height(hour) - deviation[gauge]);
            double best = Double.NEGATIVE_INFINITY;
            for (int step = 0; step < 600; step++) {
                double expected = tide.height(hour + step * 0.025) + deviation[gauge];
                if (expected > best) {
                    best = expected;
                    nextHigh = hour + step * 0.025;
                }
            }
        }

        private void listen(DataInputStream in) throws IOException {
            while (true) {
                long begin = System.nanoTime();
                int gauge = in.readInt();
                double hour = in.readDouble(), height = in.readDouble();
                long sent = in.readLong(), now = System.nanoTime();
                listenNanos.add(now - begin);
                delayNanos.add(now - sent);
                received.increment();
                forecast(gauge, hour, height);
            }
        }

        private void subscribe(Socket socket) throws IOException {
            DataOutputStream out = new DataOutputStream(socket.getOutputStream());
            out.writeLong(7L << number % 10);
        }

        @Override
        public void run() {
            while (nextHigh < Double.MAX_VALUE) {
                try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                    subscribe(socket);
                    listen(new DataInputStream(new BufferedInputStream(socket.getInputStream())));
                } catch (IOException e) {
                    System.out.println("harbour " + number + " connects again: " + e);
                }
            }
        }
    }

    public static void main(String[] args) throws Exception {
        final ServerSocket door = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
        final Feed feed = new Feed();
        start(() -> feed.accept(door), "feed-door");
        for (int i = 1; i <= HARBOURS; i++) {
            start(new Harbour(i, door.getLocalPort()), "harbour-" + i);
        }
        ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "feed-clock");
            thread.setDaemon(true);
            return thread;
        });
        clock.scheduleWithFixedDelay(feed::publish, 500, 15, TimeUnit.MILLISECONDS);
        while (received.sum() < 500) {
            Thread.sleep(50);
        }
        System.out.println("READY");
        System.out.flush();
        long lastReceived = received.sum(), lastDelay = delayNanos.sum(), lastListen = listenNanos.sum(), last = System.nanoTime();
        while (true) {
            Thread.sleep(1000);
            long r = received.sum(), d = delayNanos.sum(), l = listenNanos.sum(), now = System.nanoTime();
            System.out.printf("measured: %d readings/s received, %.3f ms after they were sent; harbours wait for the next one %.0f %% of their time; %d under way%n", r - lastReceived,
                    (d - lastDelay) / 1e6 / Math.max(1, r - lastReceived), 100.0 * (l - lastListen) / HARBOURS / (now - last), published.sum() - r);
            System.out.flush();
            lastReceived = r;
            lastDelay = d;
            lastListen = l;
            last = now;
        }
    }
}
