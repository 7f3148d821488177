// SPDX-License-Identifier: Apache-2.0
// healthy: Every second each of 80 water meters is read once over its own connection, all in parallel on virtual threads; a meter needs 120 ms to answer (its protocol), and every round is complete in little more than that, far before the next one is due.
// judge: Wrong: to call the socket waits in WaterMeters.read a bottleneck (they overlap and end in time), to demand more threads, pooling or batching, or to report pinning or starvation of carrier threads; the remaining time is the deliberate pause between rounds.
// set: twentieth
// jdk: 25
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

public class WaterMeters {
    static final int METERS = 80;

    static final class Line implements AutoCloseable {
        private final Socket socket;
        private final DataInputStream in;
        private final DataOutputStream out;

        Line(Socket socket) throws IOException {
            this.socket = socket;
            socket.setTcpNoDelay(true);
            in = new DataInputStream(socket.getInputStream());
            out = new DataOutputStream(socket.getOutputStream());
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    static void meter(Socket s) {
        try (Line line = new Line(s)) {
            long litres = 1000;
            while (true) {
                int register = line.in.readInt();
                Thread.sleep(120);
                litres += register % 7;
                line.out.writeLong(litres);
            }
        } catch (IOException | InterruptedException e) {
            System.err.println("meter: " + e);
        }
    }

    static long read(Line line, int register) throws IOException {
        line.out.writeInt(register);
        return line.in.readLong();
    }

    static void accept(ServerSocket server) {
        try {
            while (true) {
                Socket s = server.accept();
                Thread.ofVirtual().name("meter").start(() -> meter(s));
            }
        } catch (IOException e) {
            System.err.println("field bus: " + e);
        }
    }

    public static void main(String[] args) throws Exception {
        ServerSocket server = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
        Thread.ofPlatform().daemon().name("field-bus").start(() -> accept(server));
        List<Line> lines = new ArrayList<>();
        for (int i = 0; i < METERS; i++) {
            lines.add(new Line(new Socket(InetAddress.getLoopbackAddress(), server.getLocalPort())));
        }
        System.out.println("READY");
        try (var readers = Executors.newVirtualThreadPerTaskExecutor()) {
            long due = System.nanoTime();
            for (int round = 0; round < 220; round++) {
                due += 1_000_000_000L;
                long start = System.nanoTime();
                List<Callable<Long>> orders = new ArrayList<>();
                for (Line line : lines) {
                    int register = round * 13 + orders.size();
                    orders.add(() -> read(line, register));
                }
                long litres = 0;
                for (Future<Long> f : readers.invokeAll(orders)) {
                    litres += f.get();
                }
                long ms = (System.nanoTime() - start) / 1_000_000;
                System.out.println("measured: " + METERS + " meters in " + ms + " ms, " + litres + " l");
                Thread.sleep(Math.max(0, (due - System.nanoTime()) / 1_000_000));
            }
        }
    }
}
