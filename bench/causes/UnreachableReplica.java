// SPDX-License-Identifier: Apache-2.0
// cause: the first of two replicas accepts no connections: each request tries for 400 ms, then asks the other
// expect: endpoint-wait kind=connect frame=UnreachableReplica | waiting kind=connect frame=UnreachableReplica
// symptom: listen-overflow
// jdk: 17
// set: fifth
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import wick.Scope;
import wick.Wick;

/** The backlog of the first replica is full: the kernel drops what would connect to it. */
public final class UnreachableReplica {
    private static final int WORKERS = 6;
    private static final int CONNECT_MS = 400;
    private static volatile int stock;

    private final List<Socket> hung = new ArrayList<>();
    private final ServerSocket first;
    private final ServerSocket second;

    private UnreachableReplica() throws IOException {
        first = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        second = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    }

    /** Connects to the first replica, which never accepts, until that does not succeed any more. */
    private void fillBacklog() throws IOException {
        for (int i = 0; i < 16; i++) {
            Socket socket = new Socket();
            hung.add(socket);
            try {
                socket.connect(first.getLocalSocketAddress(), 300);
            } catch (SocketTimeoutException e) {
                return;
            }
        }
        throw new IOException("the backlog has no end");
    }

    private void replica() {
        try {
            for (int n = 0;; n++) {
                try (Socket client = second.accept()) {
                    client.getOutputStream().write(n & 0x7f);
                }
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Socket open(ServerSocket replica) throws IOException {
        Socket socket = new Socket();
        try {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), replica.getLocalPort()), CONNECT_MS);
            return socket;
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    private Socket openAny() throws IOException {
        try {
            return open(first);
        } catch (SocketTimeoutException e) {
            return open(second);
        }
    }

    private int ask() throws IOException {
        try (Socket socket = openAny()) {
            return socket.getInputStream().read();
        }
    }

    private void serve() {
        try {
            for (;;) {
                try (Scope request = Wick.span("GET /stock")) {
                    stock += ask();
                }
                Thread.sleep(20); // the next request
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws IOException {
        UnreachableReplica shop = new UnreachableReplica();
        shop.fillBacklog();
        Thread replica = new Thread(shop::replica, "replica");
        replica.setDaemon(true);
        replica.start();
        for (int i = 0; i < WORKERS; i++) {
            new Thread(shop::serve, "http-" + i).start();
        }
        System.out.println("READY");
    }
}
