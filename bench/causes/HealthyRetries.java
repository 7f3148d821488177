// SPDX-License-Identifier: Apache-2.0
// healthy: one call in 16 is refused and tried again after 15 to 45 ms; all bookings are done within 200 ms
// jdk: 21
// set: ninth
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;

public final class HealthyRetries {
    private static final LongAdder BOOKINGS = new LongAdder();
    private static final LongAdder RETRIES = new LongAdder();
    private static final LongAdder LATE = new LongAdder();
    private static volatile int last;

    private static final class Refused extends Exception {
        private static final long serialVersionUID = 1;
    }

    private static int call(DataOutputStream out, DataInputStream in, int seat) throws IOException, Refused {
        out.writeInt(seat);
        int answer = in.readInt();
        if (answer < 0) {
            throw new Refused();
        }
        return answer;
    }

    private static int reserve(DataOutputStream out, DataInputStream in, int seat)
            throws IOException, InterruptedException {
        for (;;) {
            try {
                return call(out, in, seat);
            } catch (Refused e) {
                RETRIES.increment();
                Thread.sleep(ThreadLocalRandom.current().nextInt(15, 45));
            }
        }
    }

    private static void shop(int port) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setTcpNoDelay(true);
            DataOutputStream out = new DataOutputStream(socket.getOutputStream());
            DataInputStream in = new DataInputStream(socket.getInputStream());
            for (int seat = 1;; seat++) {
                long start = System.nanoTime();
                last = reserve(out, in, seat);
                BOOKINGS.increment();
                if (System.nanoTime() - start > 200_000_000L) {
                    LATE.increment();
                }
                Thread.sleep(40); // the next customer
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void answer(Socket socket) {
        try (socket; DataInputStream in = new DataInputStream(socket.getInputStream());
                DataOutputStream out = new DataOutputStream(socket.getOutputStream())) {
            for (;;) {
                int seat = in.readInt();
                out.writeInt(ThreadLocalRandom.current().nextInt(16) == 0 ? -1 : seat * 7 & 0xffff);
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        for (int i = 0; i < 4; i++) {
            new Thread(() -> shop(server.getLocalPort()), "shop-" + i).start();
            Socket socket = server.accept();
            socket.setTcpNoDelay(true);
            new Thread(() -> answer(socket), "booking-" + i).start();
        }
        System.out.println("READY");
        for (;;) {
            Thread.sleep(1000);
            System.out.println("measured: " + LATE.sum() + " of " + BOOKINGS.sum() + " bookings late, " + RETRIES.sum()
                    + " retries");
        }
    }
}
