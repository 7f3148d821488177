// SPDX-License-Identifier: Apache-2.0
// healthy: a request asks who the user is and then for the user's account; both answer within a ms, and users are few
// jdk: 17
// set: eighth
import java.io.BufferedReader;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import wick.Scope;
import wick.Wick;

public final class HealthyTwoStep {
    private static volatile int balance;

    private final DataInputStream in;
    private final DataOutputStream out;

    private HealthyTwoStep(int port) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
        in = new DataInputStream(socket.getInputStream());
        out = new DataOutputStream(socket.getOutputStream());
    }

    private int ask(int question) throws IOException {
        out.writeInt(question);
        return in.readInt();
    }

    private void request(int token) {
        try (Scope span = Wick.span("GET /account")) {
            int user = ask(token);
            balance = ask(user);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void answer(Socket socket) {
        try (DataInputStream in = new DataInputStream(socket.getInputStream());
                DataOutputStream out = new DataOutputStream(socket.getOutputStream())) {
            for (;;) {
                out.writeInt(in.readInt() * 31 & 0xffff);
            }
        } catch (IOException e) {
            return;
        }
    }

    private static void services() throws IOException {
        ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        System.out.println(server.getLocalPort());
        new Thread(() -> {
            try {
                for (;;) {
                    Socket socket = server.accept();
                    socket.setTcpNoDelay(true);
                    new Thread(() -> answer(socket)).start();
                }
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }).start();
        System.in.transferTo(OutputStream.nullOutputStream());
        System.exit(0);
    }

    public static void main(String[] args) throws Exception {
        if (args.length > 0) {
            services();
        }
        Process child = new ProcessBuilder(System.getProperty("java.home") + "/bin/java", "-Xmx16m", "-cp",
                System.getProperty("java.class.path"), "HealthyTwoStep", "services").start();
        int port = Integer.parseInt(new BufferedReader(new InputStreamReader(child.getInputStream())).readLine());
        ExecutorService workers = Executors.newFixedThreadPool(3, task -> new Thread(task, "worker"));
        ThreadLocal<HealthyTwoStep> links = ThreadLocal.withInitial(() -> {
            try {
                return new HealthyTwoStep(port);
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
        System.out.println("READY");
        for (int token = 1;; token++) {
            int one = token;
            workers.execute(() -> links.get().request(one));
            Thread.sleep(60); // the next user
        }
    }
}
