// SPDX-License-Identifier: Apache-2.0
// healthy: a selector thread answers small requests over loopback, clients think in between
// jdk: 25
// set: third
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

public final class HealthyEcho {
    private static void serve(Selector selector, ServerSocketChannel server) {
        ByteBuffer buffer = ByteBuffer.allocate(1024);
        try {
            for (;;) {
                selector.select();
                for (SelectionKey key : selector.selectedKeys()) {
                    if (key.isAcceptable()) {
                        SocketChannel client = server.accept();
                        client.configureBlocking(false);
                        client.register(selector, SelectionKey.OP_READ);
                    } else {
                        buffer.clear();
                        ((SocketChannel) key.channel()).read(buffer);
                        buffer.flip();
                        ((SocketChannel) key.channel()).write(buffer);
                    }
                }
                selector.selectedKeys().clear();
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static void ask(int port) {
        byte[] line = new byte[64];
        try (Socket s = new Socket(InetAddress.getLoopbackAddress(), port)) {
            for (;;) {
                s.getOutputStream().write(line);
                s.getInputStream().read(line);
                Thread.sleep(10);
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws Exception {
        Selector selector = Selector.open();
        ServerSocketChannel server = ServerSocketChannel.open();
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        server.configureBlocking(false);
        server.register(selector, SelectionKey.OP_ACCEPT);
        new Thread(() -> serve(selector, server), "loop").start();
        for (int i = 0; i < 6; i++) {
            new Thread(() -> ask(server.socket().getLocalPort()), "client-" + i).start();
        }
        System.out.println("READY");
    }
}
