// SPDX-License-Identifier: Apache-2.0
// healthy: a consumer asks a broker for work, and pauses longer each time there is none, up to half a second
// jdk: 11
// set: eighth
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** There is work twice a second, and what it takes is a ms; the broker answers at once. */
public final class HealthyBackOff {
    private static volatile long done;

    private static int poll(DataOutputStream out, DataInputStream in) throws IOException {
        out.writeByte(1);
        return in.readInt();
    }

    private static void work(int items) {
        long sum = 0;
        for (int i = 0; i < items * 100000; i++) {
            sum += i ^ sum >>> 3;
        }
        done += sum;
    }

    private static void consume(int port) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setTcpNoDelay(true);
            DataInputStream in = new DataInputStream(socket.getInputStream());
            DataOutputStream out = new DataOutputStream(socket.getOutputStream());
            long pause = 20;
            for (;;) {
                int items = poll(out, in);
                if (items > 0) {
                    work(items);
                    pause = 20;
                } else {
                    Thread.sleep(pause);
                    pause = Math.min(500, pause * 2);
                }
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void broker(Socket socket) {
        try (socket; DataInputStream in = new DataInputStream(socket.getInputStream());
                DataOutputStream out = new DataOutputStream(socket.getOutputStream())) {
            long due = System.nanoTime();
            for (;;) {
                in.readByte();
                boolean some = System.nanoTime() >= due;
                if (some) {
                    due += 500_000_000L;
                }
                out.writeInt(some ? 3 : 0);
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws IOException {
        ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        new Thread(() -> consume(server.getLocalPort()), "consumer").start();
        Socket socket = server.accept();
        socket.setTcpNoDelay(true);
        new Thread(() -> broker(socket), "broker").start();
        System.out.println("READY");
    }
}
