// SPDX-License-Identifier: Apache-2.0
// healthy: three nodes gossip by datagrams five times a second; each waits for the others' with a timeout of a second
// jdk: 17
// set: twelfth
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.SocketTimeoutException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

public final class HealthyGossip {
    private static final class Node {
        private final DatagramSocket socket = new DatagramSocket(0, InetAddress.getLoopbackAddress());
        private final Map<Integer, Long> seen = new ConcurrentHashMap<>();
        private volatile int missed;

        private Node() throws IOException {
            socket.setSoTimeout(1000);
        }

        private void listen() {
            DatagramPacket packet = new DatagramPacket(new byte[512], 512);
            try {
                for (;;) {
                    try {
                        packet.setLength(512);
                        socket.receive(packet);
                        seen.put(packet.getPort(), System.nanoTime());
                    } catch (SocketTimeoutException e) {
                        missed++;
                    }
                }
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }

        private void gossip(Node[] all) {
            byte[] text = ("members " + seen.keySet()).getBytes(java.nio.charset.StandardCharsets.US_ASCII);
            try {
                for (Node other : all) {
                    if (other != this) {
                        socket.send(new DatagramPacket(text, text.length, InetAddress.getLoopbackAddress(),
                            other.socket.getLocalPort()));
                    }
                }
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    public static void main(String[] args) throws IOException {
        Node[] nodes = {new Node(), new Node(), new Node()};
        ScheduledExecutorService timer = Executors.newScheduledThreadPool(1);
        for (Node node : nodes) {
            new Thread(node::listen, "gossip-" + node.socket.getLocalPort()).start();
            timer.scheduleAtFixedRate(() -> node.gossip(nodes), 0, 200, TimeUnit.MILLISECONDS);
        }
        System.out.println("READY");
    }
}
