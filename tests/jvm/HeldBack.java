// SPDX-License-Identifier: Apache-2.0
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.concurrent.locks.LockSupport;

/** Threads that ask a server over loopback, each in its way; the server takes its time for those that wait for it. */
public class HeldBack {
    private static final int QUESTION = 48;
    private static final byte SLOW = 1;
    private static final int PIECE = 64 << 10;

    private static void serve(Socket s) {
        try (Socket closed = s) {
            s.setTcpNoDelay(true);
            DataInputStream in = new DataInputStream(s.getInputStream());
            OutputStream out = s.getOutputStream();
            byte[] question = new byte[QUESTION];
            while (true) {
                in.readFully(question);
                if (question[0] == SLOW)
                    LockSupport.parkNanos(40_000_000L);
                out.write(question, 0, 4);
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void ask(int port, boolean inTwo, boolean noDelay, boolean slow, int timeout) {
        try (Socket s = new Socket(InetAddress.getLoopbackAddress(), port)) {
            s.setTcpNoDelay(noDelay);
            s.setSoTimeout(timeout);
            InputStream in = s.getInputStream();
            OutputStream out = s.getOutputStream();
            byte[] question = new byte[QUESTION];
            question[0] = slow ? SLOW : 0;
            while (true) {
                if (inTwo) {
                    out.write(question, 0, 8);
                    out.write(question, 8, QUESTION - 8);
                } else {
                    out.write(question);
                }
                for (int got = 0; got < 4;)
                    got += in.read(question, 4, 4 - got);
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void send(Socket s, int timeout) {
        try (Socket closed = s) {
            s.setSoTimeout(timeout);
            s.getInputStream().read();
            while (true)
                s.getOutputStream().write(new byte[PIECE]);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void drain(Socket s) {
        try (Socket closed = s) {
            s.getOutputStream().write(1);
            byte[] piece = new byte[PIECE];
            while (true) {
                LockSupport.parkNanos(40_000_000L);
                s.getInputStream().read(piece);
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Two that send to an end which reads slowly: one has connected, the other one has accepted the connection. */
    private static void stream(String name, int timeout) throws IOException {
        try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Socket first = new Socket(InetAddress.getLoopbackAddress(), server.getLocalPort());
            Socket firstPeer = server.accept();
            Socket second = new Socket(InetAddress.getLoopbackAddress(), server.getLocalPort());
            Socket secondPeer = server.accept();
            go("sends" + name, () -> send(first, timeout));
            go("drain", () -> drain(firstPeer));
            go("serves" + name, () -> send(secondPeer, timeout));
            go("drain", () -> drain(second));
        }
    }

    private static void connect(int port, int timeout) {
        try (Socket s = new Socket()) {
            s.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), timeout);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Two that connect to who does not accept, and whose queue is full: their first packets are dropped. */
    private static ServerSocket unanswered() throws IOException {
        ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        for (boolean room = true; room;) {
            Socket s = new Socket();
            try {
                s.connect(full.getLocalSocketAddress(), 500);
            } catch (SocketTimeoutException e) {
                s.close();
                room = false;
            }
        }
        go("connects", () -> connect(full.getLocalPort(), 0));
        go("connects-timeout", () -> connect(full.getLocalPort(), 600_000));
        return full;
    }

    private static void go(String name, Runnable work) {
        Thread t = new Thread(work, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws IOException {
        try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress()); ServerSocket full = unanswered()) {
            int port = server.getLocalPort();
            go("nagle", () -> ask(port, true, false, false, 0));
            go("nagle-timeout", () -> ask(port, true, false, false, 60_000));
            go("no-delay", () -> ask(port, true, true, true, 0));
            go("one-write", () -> ask(port, false, false, true, 0));
            stream("", 0);
            stream("-timeout", 60_000);
            System.out.println("up");
            while (true) {
                Socket s = server.accept();
                go("server", () -> serve(s));
            }
        }
    }
}
