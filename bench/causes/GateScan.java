// SPDX-License-Identifier: Apache-2.0
// cause: header and body of a request are sent by two small writes on a socket without TCP_NODELAY, so Nagle's algorithm and the delayed ACK stall each request some 40 ms, at GateScan$Scanner.send
// share: faulty: 267 scans/s, 93 % of a scanner's time in check, 41.6 ms each; fixed (TCP_NODELAY, one write): 3600 scans/s, 3 %, 0.1 ms each; 13x
// judge: Names the cause: "small writes in GateScan$Scanner.send with TCP_NODELAY off (Nagle / delayed ACK, ~40 ms each)", "write-write-read on a socket". Only symptom: "the scanners wait in Socket read below Scanner.check", "the CPU is idle", "each request takes about 40 ms". Wrong: "the gate server is slow" (its work takes microseconds), "too few server threads", lock contention, anything about CPU or GC.
// expect: held-back writer=Scanner.send
// symptom: held-back
// jdk: 17
// set: fifteenth
import java.io.*;
import java.net.*;
import java.util.*;
import java.util.concurrent.atomic.LongAdder;

/** Hand scanners at the gates of a stadium ask the admission server whether a ticket may enter. */
public final class GateScan {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final int SCANNERS = 12;
    static final LongAdder scans = new LongAdder(), admitted = new LongAdder(), inCheck = new LongAdder(), total = new LongAdder();

    /** Which of the seats have gone in; one bit for each ticket number. */
    static final class Admissions {
        private final BitSet inside = new BitSet(1 << 20);

        synchronized boolean enter(int ticket) {
            if (inside.get(ticket)) return false;
            inside.set(ticket);
            return true;
        }
    }

    static final class GateServer implements Runnable {
        final Socket socket;
        final Admissions admissions;

        GateServer(Socket socket, Admissions admissions) {
            this.socket = socket;
            this.admissions = admissions;
        }

        @Override public void run() {
            try (socket) {
                socket.setTcpNoDelay(true);
                DataInputStream in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
                OutputStream out = socket.getOutputStream();
                byte[] body = new byte[256], answer = new byte[4];
                while (true) {
                    int kind = in.readUnsignedShort();
                    int length = in.readUnsignedShort();
                    in.readFully(body, 0, length);
                    int ticket = (body[0] & 15) << 16 | (body[1] & 255) << 8 | body[2] & 255;
                    answer[0] = (byte) kind;
                    answer[1] = (byte) (admissions.enter(ticket) ? 1 : 0);
                    out.write(answer);
                }
            } catch (EOFException e) {
                // scanner switched off
            } catch (IOException e) {
                System.err.println(e);
            }
        }
    }

    static final class Scanner implements Runnable {
        final int gate;
        final Socket socket;
        final OutputStream out;
        final DataInputStream in;
        final Random rnd;

        Scanner(int gate, int port) throws IOException {
            this.gate = gate;
            socket = new Socket(InetAddress.getLoopbackAddress(), port);
            if (FIXED) socket.setTcpNoDelay(true);
            out = FIXED ? new BufferedOutputStream(socket.getOutputStream(), 512) : socket.getOutputStream();
            in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
            rnd = new Random(gate);
        }

        void send(int kind, byte[] body) throws IOException {
            byte[] header = {(byte) (kind >> 8), (byte) kind, (byte) (body.length >> 8), (byte) body.length};
            out.write(header);
            out.write(body);
            out.flush();
        }

        boolean check(int ticket) throws IOException {
            byte[] body = new byte[36];
            body[0] = (byte) (ticket >> 16);
            body[1] = (byte) (ticket >> 8);
            body[2] = (byte) ticket;
            body[3] = (byte) gate;
            long now = System.currentTimeMillis();
            for (int i = 0; i < 8; i++) body[4 + i] = (byte) (now >> 8 * i);
            send(7, body);
            int kind = in.readUnsignedByte();
            boolean ok = in.readUnsignedByte() == 1;
            in.readUnsignedShort();
            if (kind != 7) throw new IOException("unexpected answer " + kind);
            return ok;
        }

        @Override public void run() {
            try {
                while (true) {
                    long t0 = System.nanoTime();
                    Thread.sleep(3);                    // the next visitor holds up the ticket
                    long t1 = System.nanoTime();
                    if (check(rnd.nextInt(1 << 20))) admitted.increment();
                    long t2 = System.nanoTime();
                    inCheck.add(t2 - t1);
                    total.add(t2 - t0);
                    scans.increment();
                }
            } catch (IOException | InterruptedException e) {
                System.err.println(e);
            }
        }
    }

    static void daemon(String name, Runnable r) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Admissions admissions = new Admissions();
        daemon("gate-accept", () -> {
            try {
                for (int i = 0; ; i++) daemon("gate-server-" + i, new GateServer(server.accept(), admissions));
            } catch (IOException e) {
                System.err.println(e);
            }
        });
        for (int i = 0; i < SCANNERS; i++) daemon("scanner-" + i, new Scanner(i, server.getLocalPort()));
        System.out.println("READY");
        for (long last = 0; ; ) {
            Thread.sleep(1000);
            long n = scans.sum();
            System.out.printf("measured: %d scans/s, %.0f %% of a scanner's time in check, %.1f ms each%n", n - last,
                    100.0 * inCheck.sum() / Math.max(1, total.sum()), inCheck.sum() / 1e6 / Math.max(1, n));
            last = n;
        }
    }
}
