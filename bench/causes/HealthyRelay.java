// SPDX-License-Identifier: Apache-2.0
// healthy: a selector answers what little comes, and waits for the rest of the time
// jdk: 17
// set: seventh

import java.io.*;
import java.net.*;
import java.nio.ByteBuffer;
import java.nio.channels.*;

public class HealthyRelay {
    static void loop(Selector selector, ServerSocketChannel server) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocateDirect(512);
        while (true) {
            selector.select();
            for (SelectionKey key : selector.selectedKeys()) {
                if (key.isAcceptable()) {
                    SocketChannel one = server.accept();
                    one.configureBlocking(false);
                    one.register(selector, SelectionKey.OP_READ);
                } else {
                    SocketChannel channel = (SocketChannel) key.channel();
                    buffer.clear();
                    if (channel.read(buffer) < 0) {
                        channel.close();
                        continue;
                    }
                    buffer.flip();
                    channel.write(buffer);
                }
            }
            selector.selectedKeys().clear();
        }
    }

    public static void main(String[] args) throws Exception {
        ServerSocketChannel server = ServerSocketChannel.open();
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        server.configureBlocking(false);
        Selector selector = Selector.open();
        server.register(selector, SelectionKey.OP_ACCEPT);
        int port = ((InetSocketAddress) server.getLocalAddress()).getPort();
        new Thread(() -> {
            try {
                loop(selector, server);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }, "relay").start();
        for (int n = 0; n < 6; n++)
            new Thread(() -> {
                try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                    byte[] line = "good evening to you".getBytes();
                    while (true) {
                        socket.getOutputStream().write(line);
                        socket.getInputStream().readNBytes(line.length);
                        Thread.sleep(20);
                    }
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            }, "member-" + n).start();
        System.out.println("READY");
    }
}
