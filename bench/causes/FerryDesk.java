// SPDX-License-Identifier: Apache-2.0
// cause: a home-made pool of two connections; who has one waits 12 ms for the port's answer, and the others wait for it with wait(200): FerryDesk.lend
// share: of a passenger's time 76 % is waiting for a line in lend(), 23 % for the port in ask()
// expect: waiting frame=FerryDesk.lend | waiting frame=FerryDesk.ask | waiting frame=Line.ask | endpoint-wait frame=FerryDesk.lend | waiting holder=FerryDesk.ask
// judge: right is what names lend() as a wait for one of few connections, or ask() as what those who have one wait for
// symptom: waiting endpoint-wait
// jdk: 11
// set: eleventh
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.LongAdder;

/** The desk of a ferry asks the port for each passenger, over one of its two lines. */
public final class FerryDesk {
    private static final LongAdder LEND = new LongAdder();
    private static final LongAdder ASK = new LongAdder();
    private static final LongAdder ALL = new LongAdder();

    private static final class Line {
        private final DataInputStream in;
        private final DataOutputStream out;

        private Line(Socket socket) throws IOException {
            socket.setTcpNoDelay(true);
            in = new DataInputStream(socket.getInputStream());
            out = new DataOutputStream(socket.getOutputStream());
        }
    }

    private final Deque<Line> free = new ArrayDeque<>();

    private synchronized Line lend() throws InterruptedException {
        while (free.isEmpty()) {
            wait(200);
        }
        return free.pop();
    }

    private synchronized void giveBack(Line line) {
        free.push(line);
        notify();
    }

    private int ask(Line line, int passenger) throws IOException {
        line.out.writeInt(passenger);
        return line.in.readInt();
    }

    private void desk(int number) {
        try {
            for (int passenger = number;; passenger += 10) {
                long start = System.nanoTime();
                Line line = lend();
                long lent = System.nanoTime();
                try {
                    ask(line, passenger);
                } finally {
                    giveBack(line);
                }
                long end = System.nanoTime();
                LEND.add(lent - start);
                ASK.add(end - lent);
                ALL.add(end - start);
                Thread.sleep(10); // the next passenger
            }
        } catch (InterruptedException | IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void port(Socket socket) {
        try (DataInputStream in = new DataInputStream(socket.getInputStream());
                DataOutputStream out = new DataOutputStream(socket.getOutputStream())) {
            for (;;) {
                int passenger = in.readInt();
                Thread.sleep(12); // the port is slow
                out.writeInt(passenger % 9);
            }
        } catch (InterruptedException | IOException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws Exception {
        FerryDesk desk = new FerryDesk();
        try (ServerSocket server = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
            for (int i = 0; i < 2; i++) {
                Line line = new Line(new Socket(server.getInetAddress(), server.getLocalPort()));
                Socket socket = server.accept();
                socket.setTcpNoDelay(true);
                new Thread(() -> port(socket), "port-" + i).start();
                desk.giveBack(line);
            }
        }
        for (int i = 0; i < 10; i++) {
            int number = i;
            new Thread(() -> desk.desk(number), "desk-" + i).start();
        }
        System.out.println("READY");
        for (;;) {
            Thread.sleep(1000);
            long all = ALL.sumThenReset() + 1;
            System.out.println("measured: of a passenger's time " + 100 * LEND.sumThenReset() / all + " % is waiting for a line in lend(), "
                    + 100 * ASK.sumThenReset() / all + " % for the port");
        }
    }
}
