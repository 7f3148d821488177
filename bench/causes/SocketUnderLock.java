// SPDX-License-Identifier: Apache-2.0
// cause: a client with one connection asks a slow server while it holds the client's lock
// expect: waiting kind=socket frame=SocketUnderLock.ask
// symptom: waiting lock-contention
// jdk: 21
// set: second
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.locks.ReentrantLock;

public final class SocketUnderLock {
    private final ReentrantLock lock = new ReentrantLock();
    private final Socket socket;

    private SocketUnderLock(int port) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
    }

    private int ask(int question) throws IOException {
        lock.lock();
        try {
            socket.getOutputStream().write(question);
            return socket.getInputStream().read();
        } finally {
            lock.unlock();
        }
    }

    private void serve() {
        try {
            for (int i = 0;; i++) {
                ask(i & 127);
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void answer(ServerSocket server) {
        try (Socket s = server.accept()) {
            for (int c; (c = s.getInputStream().read()) >= 0;) {
                Thread.sleep(15);
                s.getOutputStream().write(c);
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws IOException {
        ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        new Thread(() -> answer(server), "server").start();
        SocketUnderLock client = new SocketUnderLock(server.getLocalPort());
        for (int i = 0; i < 7; i++) {
            new Thread(client::serve, "http-" + i).start();
        }
        System.out.println("READY");
    }
}
