// SPDX-License-Identifier: Apache-2.0
// cause: an order is read from a database with a query for each of its forty lines
// expect: endpoint-wait kind=socket frame=NPlusOneQueries.query | waiting kind=socket frame=NPlusOneQueries.query
// symptom: endpoint-wait waiting hot-calls hot-code hot-method
// jdk: 17
// set: fourth
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import wick.Scope;
import wick.Wick;

public final class NPlusOneQueries {
    private static final int LINES = 40;
    private static volatile long total;

    private final DataInputStream in;
    private final DataOutputStream out;

    private NPlusOneQueries(int port) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
        in = new DataInputStream(socket.getInputStream());
        out = new DataOutputStream(socket.getOutputStream());
    }

    private long query(long key) throws IOException {
        out.writeLong(key);
        return in.readLong();
    }

    private long order(int id) throws IOException {
        long lines = query(id);
        long sum = 0;
        for (int line = 0; line < lines; line++) {
            sum += query(((long) id << 32) + line);
        }
        return sum;
    }

    private static void serve(int port) {
        try {
            NPlusOneQueries database = new NPlusOneQueries(port);
            for (int id = 0;; id++) {
                try (Scope span = Wick.span("GET /orders")) {
                    total += database.order(id);
                }
                Thread.sleep(10); // the next client
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void answer(Socket socket) {
        try (DataInputStream in = new DataInputStream(socket.getInputStream());
                DataOutputStream out = new DataOutputStream(socket.getOutputStream())) {
            for (;;) {
                long key = in.readLong();
                Thread.sleep(1); // the table is elsewhere
                out.writeLong(key >>> 32 == 0 && key >= 0 ? LINES : key & 0xff);
            }
        } catch (EOFException e) {
            return;
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void listen(ServerSocket server) {
        try {
            for (int i = 0;; i++) {
                Socket socket = server.accept();
                socket.setTcpNoDelay(true);
                new Thread(() -> answer(socket), "database-" + i).start();
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws IOException {
        ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        new Thread(() -> listen(server), "listener").start();
        for (int i = 0; i < 4; i++) {
            new Thread(() -> serve(server.getLocalPort()), "http-" + i).start();
        }
        System.out.println("READY");
    }
}
