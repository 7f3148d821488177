// SPDX-License-Identifier: Apache-2.0
// cause: the licence server loses every third datagram, and a request asks again only after 250 ms: Licences.ask
// expect: endpoint-wait kind=socket frame=LostDatagram$Licences | waiting kind=socket frame=LostDatagram$Licences | endpoint-wait kind=socket-read frame=LostDatagram$Licences | waiting kind=socket-read frame=LostDatagram$Licences
// symptom: waiting endpoint-wait
// judge: right is what says that requests (or threads) wait for the network, a socket or a datagram at LostDatagram$Licences.ask or what it calls; symptom: waits described as anything else
// jdk: 17
// set: twelfth
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import wick.Scope;
import wick.Wick;

public final class LostDatagram {
    private static volatile int rendered;

    /** Its part in another process, mostly; every third datagram gets lost. */
    private static final class Server implements Runnable {
        private final DatagramSocket socket;

        private Server() throws IOException {
            socket = new DatagramSocket(0, InetAddress.getLoopbackAddress());
        }

        @Override
        public void run() {
            DatagramPacket packet = new DatagramPacket(new byte[256], 256);
            try {
                for (int n = 0;; n++) {
                    packet.setLength(256);
                    socket.receive(packet);
                    if (n % 3 != 0) {
                        socket.send(packet);
                    }
                }
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private static final class Licences {
        private final DatagramSocket socket = new DatagramSocket(0, InetAddress.getLoopbackAddress());
        private final int port;

        private Licences(int port) throws IOException {
            this.port = port;
            socket.setSoTimeout(250);
        }

        private boolean ask(String product) throws IOException {
            byte[] question = product.getBytes(StandardCharsets.US_ASCII);
            DatagramPacket answer = new DatagramPacket(new byte[256], 256);
            for (;;) {
                socket.send(new DatagramPacket(question, question.length, InetAddress.getLoopbackAddress(), port));
                try {
                    socket.receive(answer);
                    return answer.getLength() == question.length;
                } catch (SocketTimeoutException e) {
                    rendered += 0; // lost: once more
                }
            }
        }
    }

    private static int render(int scene) {
        int hash = scene;
        for (int i = 0; i < 200_000; i++) {
            hash = hash * 31 + (hash >>> 7) + i;
        }
        return hash;
    }

    private static void client(Licences licences) {
        try {
            for (int scene = 0;; scene++) {
                try (Scope request = Wick.span("POST /render")) {
                    if (licences.ask("renderer")) {
                        rendered += render(scene);
                    }
                }
                Thread.sleep(10);
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws IOException {
        Server server = new Server();
        Thread thread = new Thread(server, "licence-server");
        thread.setDaemon(true);
        thread.start();
        for (int i = 0; i < 5; i++) {
            Licences licences = new Licences(server.socket.getLocalPort());
            new Thread(() -> client(licences), "http-" + i).start();
        }
        System.out.println("READY");
    }
}
