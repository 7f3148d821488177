// SPDX-License-Identifier: Apache-2.0
// cause: the selector is always interested in writing, so that it never waits
// expect: hot-calls frame=ChatRelay.loop | hot-code frame=ChatRelay.loop | saturated-thread thread=relay
// jdk: 17
// set: seventh

import java.io.*;
import java.net.*;
import java.nio.ByteBuffer;
import java.nio.channels.*;
import java.util.*;

public class ChatRelay {
    static final class Peer {
        final ByteBuffer in = ByteBuffer.allocate(512);
        final ArrayDeque<ByteBuffer> out = new ArrayDeque<>();
    }

    static void loop(Selector selector, ServerSocketChannel server) throws IOException {
        while (true) {
            selector.select();
            Iterator<SelectionKey> keys = selector.selectedKeys().iterator();
            while (keys.hasNext()) {
                SelectionKey key = keys.next();
                keys.remove();
                if (key.isAcceptable()) {
                    SocketChannel one = server.accept();
                    one.configureBlocking(false);
                    one.register(selector, SelectionKey.OP_READ | SelectionKey.OP_WRITE, new Peer());
                    continue;
                }
                Peer peer = (Peer) key.attachment();
                SocketChannel channel = (SocketChannel) key.channel();
                if (key.isReadable()) {
                    peer.in.clear();
                    if (channel.read(peer.in) < 0) {
                        channel.close();
                        continue;
                    }
                    peer.in.flip();
                    ByteBuffer copy = ByteBuffer.allocate(peer.in.remaining());
                    copy.put(peer.in).flip();
                    peer.out.add(copy);
                }
                if (key.isWritable() && !peer.out.isEmpty())
                    channel.write(peer.out.poll());
            }
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
        for (int n = 0; n < 8; n++) {
            Thread member = new Thread(() -> {
                try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                    byte[] line = "good morning to you".getBytes();
                    while (true) {
                        socket.getOutputStream().write(line);
                        socket.getInputStream().readNBytes(line.length);
                        Thread.sleep(150);
                    }
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            }, "member-" + n);
            member.setDaemon(true);
            member.start();
        }
        System.out.println("READY");
    }
}
