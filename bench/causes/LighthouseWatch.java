// SPDX-License-Identifier: Apache-2.0
// cause: LighthouseWatch$StationLine.ask is synchronized and waits within that for the answer of a station's controller (a read of a socket, 40 to 80 ms): on JDK 21 the virtual thread keeps its carrier in that time, so that the few carriers are all taken and the virtual threads of other polls do not even begin
// share: of 48 polls under way some 43 have not begun at any moment: they begin 1350 to 1470 ms late on average, and take 60 ms themselves; 29 to 34 polls a second in place of 480, with two carriers
// expect: unstarted-threads | waiting kind=pinned frame=LighthouseWatch$StationLine | waiting kind=carrier frame=LighthouseWatch
// symptom: waiting pool-busy
// judge: NAMED: unstarted-threads (virtual threads started that have not run, no carrier free), with or without LighthouseWatch$StationLine.ask as what takes the carriers; also waiting of kind pinned at StationLine.ask (a virtual thread that keeps its carrier in a synchronized method), or waiting for a carrier that says so. SYMPTOM ONLY: waiting for data of a socket or a server's answer at StationLine.ask without a word of carriers; a pool (of carriers) that is busy without saying what it does. WRONG: the simulator's sleep (Simulator.answer) as the cause, lock contention at StationLine.ask (each line is asked by one thread at a time), too few CPUs, Nagle's algorithm, the scheduler watch, no fault (nor that it did next to nothing)
// jdk: 21
// set: thirty-fifth
// jvm: -Xmx256m
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Polls the lamps, horns and batteries of a coast's lighthouses, each over a line of its own. */
public class LighthouseWatch {
    static final AtomicInteger notBegun = new AtomicInteger();
    static final AtomicLong polls = new AtomicLong();
    static final AtomicLong lateNanos = new AtomicLong();
    static final AtomicLong askNanos = new AtomicLong();
    static final AtomicLong skipped = new AtomicLong();

    record Status(int station, int lampHours, int millivolts, boolean lit) {
    }

    /** A line to the controller of one station: one question at a time. */
    static final class StationLine {
        private final int station;
        private final Socket socket;
        private final BufferedReader in;
        private final OutputStream out;

        StationLine(int station, int port) throws IOException {
            this.station = station;
            socket = new Socket(InetAddress.getLoopbackAddress(), port);
            socket.setTcpNoDelay(true);
            in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
            out = socket.getOutputStream();
        }

        synchronized Status ask() throws IOException {
            out.write(("STATUS " + station + "\n").getBytes(StandardCharsets.US_ASCII));
            String answer = in.readLine();
            if (answer == null) {
                throw new IOException("station " + station + " has closed its line");
            }
            String[] fields = answer.split(" ");
            return new Status(station, Integer.parseInt(fields[0]), Integer.parseInt(fields[1]), "1".equals(fields[2]));
        }
    }

    /** Controllers of the stations, as the simulator in the training room has them. */
    static final class Simulator implements Runnable {
        private final ServerSocket server;

        Simulator() throws IOException {
            server = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
        }

        int port() {
            return server.getLocalPort();
        }

        @Override
        public void run() {
            try {
                for (int n = 1; ; n++) {
                    Socket socket = server.accept();
                    socket.setTcpNoDelay(true);
                    Thread controller = new Thread(() -> answer(socket), "controller-" + n);
                    controller.setDaemon(true);
                    controller.start();
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private void answer(Socket socket) {
            try (BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII))) {
                OutputStream out = socket.getOutputStream();
                int hours = 1000;
                for (String line = in.readLine(); line != null; line = in.readLine()) {
                    int station = Integer.parseInt(line.substring(line.indexOf(' ') + 1));
                    TimeUnit.MILLISECONDS.sleep(40 + station * 7 % 40);
                    out.write((hours++ + " " + (12_000 + station) + " 1\n").getBytes(StandardCharsets.US_ASCII));
                }
            } catch (IOException e) {
                System.err.println("line lost: " + e.getMessage());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static final class Station {
        final StationLine line;
        final AtomicBoolean polled = new AtomicBoolean();

        Station(StationLine line) {
            this.line = line;
        }
    }

    /** Each station is to be polled ten times a second; one that has not answered yet is left out. */
    static final class Watch implements Runnable {
        private final List<Station> stations;
        private final ConcurrentHashMap<Integer, Status> board = new ConcurrentHashMap<>();
        private final ExecutorService tasks = Executors.newVirtualThreadPerTaskExecutor();

        Watch(List<Station> stations) {
            this.stations = stations;
        }

        @Override
        public void run() {
            for (Station station : stations) {
                if (!station.polled.compareAndSet(false, true)) {
                    skipped.incrementAndGet();
                    continue;
                }
                long due = System.nanoTime();
                notBegun.incrementAndGet();
                tasks.execute(() -> poll(station, due));
            }
        }

        private void poll(Station station, long due) {
            notBegun.decrementAndGet();
            long begin = System.nanoTime();
            try {
                Status status = station.line.ask();
                board.put(status.station(), status);
            } catch (IOException e) {
                System.err.println("no answer: " + e.getMessage());
            } finally {
                station.polled.set(false);
                lateNanos.addAndGet(begin - due);
                askNanos.addAndGet(System.nanoTime() - begin);
                polls.incrementAndGet();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Simulator simulator = new Simulator();
        Thread door = new Thread(simulator, "simulator");
        door.setDaemon(true);
        door.start();
        List<Station> stations = new ArrayList<>();
        for (int i = 0; i < 48; i++) {
            stations.add(new Station(new StationLine(i, simulator.port())));
        }
        Watch watch = new Watch(stations);
        Executors.newSingleThreadScheduledExecutor(task -> new Thread(task, "watch"))
                .scheduleWithFixedDelay(watch, 0, 100, TimeUnit.MILLISECONDS);
        while (polls.get() < 40) {
            Thread.sleep(20);
        }
        System.out.println("READY");
        System.out.flush();
        long[] last = {polls.get(), lateNanos.get(), askNanos.get(), skipped.get()};
        while (true) {
            Thread.sleep(1000);
            long[] now = {polls.get(), lateNanos.get(), askNanos.get(), skipped.get()};
            long count = Math.max(1, now[0] - last[0]);
            System.out.printf("measured: %d polls, begun %d ms late on average, %d ms each, %d left out, %d not begun now%n", count,
                    (now[1] - last[1]) / count / 1_000_000, (now[2] - last[2]) / count / 1_000_000, now[3] - last[3], notBegun.get());
            System.out.flush();
            last = now;
        }
    }
}
