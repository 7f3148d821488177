// SPDX-License-Identifier: Apache-2.0
// cause: each request makes a connection of its own to the cache
// expect: hot-code kind=connecting frame=ConnectionPerRequest.get | waiting kind=connect frame=ConnectionPerRequest.get
// symptom: hot-method hot-calls waiting
// jdk: 17
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

public final class ConnectionPerRequest {
    private static volatile int hits;

    private static int get(int port, int key) throws IOException {
        try (Socket s = new Socket(InetAddress.getLoopbackAddress(), port)) {
            s.setSoLinger(true, 0); /* no ports in TIME_WAIT */
            return key;
        }
    }

    private static void accept(ServerSocket cache) {
        try {
            for (;;) {
                cache.accept().close();
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws IOException {
        ServerSocket cache = new ServerSocket(0, 500, InetAddress.getLoopbackAddress());
        new Thread(() -> accept(cache), "cache").start();
        System.out.println("READY");
        for (int key = 0;; key++) {
            hits += get(cache.getLocalPort(), key);
        }
    }
}
