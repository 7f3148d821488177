// SPDX-License-Identifier: Apache-2.0
// cause: HubLine.report writes each report in two pieces (the head line, flushed, then the body, flushed) to a socket without TCP_NODELAY and then reads the answer: Nagle's algorithm holds the body back until the hub's delayed acknowledgement (about 40 ms) of the head
// share: 44 ms for each report, of which the hub works 0.2 ms; lockers wait for it 90 % of their time (13 of 14 on average); 0.11 CPUs used
// expect: held-back frame=LockerReports$HubLine
// symptom: waiting
// judge: NAMED: held back by Nagle's algorithm (or delayed acknowledgement, or two small writes without TCP_NODELAY), with the wait at LockerReports$HubLine.report or .answer (what reads below it) and, if given, the writes at HubLine.report. SYMPTOM ONLY: waiting for a server's answer or data of a socket at HubLine.answer/report without Nagle. WRONG: Hub or Hub$Conversation is slow, waits at Conversation.run as the cause, a lock, sleep at Locker.run, CPUs, collections, too few threads.
// jdk: 8
// set: thirty-fifth
// jvm: -Xmx256m

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.concurrent.atomic.LongAdder;

/** Parcel lockers report which doors are open and what lies behind them to the hub of their town. */
public class LockerReports {
    static final int LOCKERS = 14;
    static final LongAdder reports = new LongAdder(), roundTrip = new LongAdder(), hubWork = new LongAdder();

    static final class Hub implements Runnable {
        final ServerSocket door;

        Hub() throws IOException {
            door = new ServerSocket(0, 64, InetAddress.getByName("127.0.0.1"));
        }

        @Override
        public void run() {
            try {
                while (true) {
                    Socket s = door.accept();
                    s.setTcpNoDelay(true);
                    Thread t = new Thread(new Conversation(s), "hub-" + s.getPort());
                    t.setDaemon(true);
                    t.start();
                }
            } catch (IOException e) {
                System.err.println("hub: " + e);
            }
        }
    }

    /** The courier's next round, by how long parcels are likely to lie. */
    static final class Round {
        double freeBy(String door, int hour) {
            String[] parts = door.split(":");
            double days = Integer.parseInt(parts[2]) / 10.0;
            return parts[1].equals("open") ? 1 : 1 - Math.exp(-(hour + 1) / (24 * (0.5 + days)));
        }

        String stops(byte[] body) {
            String[] doors = new String(body, StandardCharsets.US_ASCII).split(";");
            int best = 0;
            double most = 0;
            for (int hour = 0; hour < 36; hour++) {
                double free = -0.2 * hour;
                for (String door : doors) free += freeBy(door, hour);
                if (free > most) {
                    most = free;
                    best = hour;
                }
            }
            return best + "h " + Math.round(most);
        }
    }

    static final class Conversation implements Runnable {
        final Socket socket;
        final Round round = new Round();

        Conversation(Socket socket) {
            this.socket = socket;
        }

        String head(InputStream in) throws IOException {
            StringBuilder line = new StringBuilder();
            for (int c = in.read(); c != '\n'; c = in.read()) {
                if (c < 0) return null;
                line.append((char) c);
            }
            return line.toString();
        }

        @Override
        public void run() {
            try {
                DataInputStream in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), 8192));
                OutputStream out = socket.getOutputStream();
                for (String head = head(in); head != null; head = head(in)) {
                    int length = Integer.parseInt(head.substring(head.lastIndexOf(' ') + 1));
                    byte[] body = new byte[length];
                    in.readFully(body);
                    long begin = System.nanoTime();
                    byte[] answer = ("ok " + round.stops(body) + "\n").getBytes(StandardCharsets.US_ASCII);
                    hubWork.add(System.nanoTime() - begin);
                    out.write(answer);
                }
            } catch (IOException e) {
                System.err.println("conversation: " + e);
            }
        }
    }

    /** The line of a locker to its hub. */
    static final class HubLine {
        final OutputStream out;
        final BufferedReader in;

        HubLine(int port) throws IOException {
            Socket socket = new Socket(InetAddress.getByName("127.0.0.1"), port);
            out = socket.getOutputStream();
            in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
        }

        String report(String locker, byte[] doors) throws IOException {
            out.write(("REPORT " + locker + " " + doors.length + "\n").getBytes(StandardCharsets.US_ASCII));
            out.flush();
            out.write(doors);
            out.flush();
            return answer();
        }

        String answer() throws IOException {
            String line = in.readLine();
            if (line == null || !line.startsWith("ok ")) throw new IOException("refused: " + line);
            return line.substring(3);
        }
    }

    static final class Locker implements Runnable {
        final String name;
        final int port;
        final Random doors;

        Locker(int number, int port) {
            this.name = "L" + (4100 + number);
            this.port = port;
            this.doors = new Random(number);
        }

        byte[] state() {
            StringBuilder text = new StringBuilder();
            for (int d = 0; d < 36; d++)
                text.append(d).append(doors.nextInt(9) == 0 ? ":open:" : ":shut:").append(doors.nextInt(40)).append(';');
            return text.toString().getBytes(StandardCharsets.US_ASCII);
        }

        @Override
        public void run() {
            try {
                HubLine line = new HubLine(port);
                while (true) {
                    byte[] state = state();
                    long begin = System.nanoTime();
                    line.report(name, state);
                    roundTrip.add(System.nanoTime() - begin);
                    reports.increment();
                    Thread.sleep(4);
                }
            } catch (IOException | InterruptedException e) {
                System.err.println(name + ": " + e);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Hub hub = new Hub();
        Thread accept = new Thread(hub, "hub-door");
        accept.setDaemon(true);
        accept.start();
        for (int i = 0; i < LOCKERS; i++) {
            Thread t = new Thread(new Locker(i, hub.door.getLocalPort()), "locker-" + i);
            t.setDaemon(true);
            t.start();
        }
        Thread.sleep(2000);
        System.out.println("READY");
        System.out.flush();
        while (true) {
            long n = reports.sum(), r = roundTrip.sum(), h = hubWork.sum();
            Thread.sleep(1000);
            long m = Math.max(1, reports.sum() - n);
            System.out.printf("measured: %d reports/s, %.1f ms each from the first write to the answer, of which the hub works %.2f ms%n",
                    m, (roundTrip.sum() - r) / 1e6 / m, (hubWork.sum() - h) / 1e6 / m);
        }
    }
}
