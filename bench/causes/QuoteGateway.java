// SPDX-License-Identifier: Apache-2.0
// cause: the selector waits for sockets that can be written to although nothing is to be written, so it returns at once: QuoteGateway.serve
// share: 72 of 241000 selects had something to read; the thread is always on a CPU
// expect: hot-method frame=QuoteGateway.serve | hot-method caller=QuoteGateway.serve | hot-calls frame=QuoteGateway.serve | hot-calls caller=QuoteGateway.serve | hot-code frame=QuoteGateway.serve | endpoint-cpu frame=QuoteGateway.serve | busy-wait frame=QuoteGateway.serve | spinning frame=QuoteGateway.serve | saturated-thread frame=QuoteGateway.serve | saturated-thread caller=QuoteGateway.serve
// judge: right is what names serve() or the select() called by it as what takes the CPU
// symptom: hot-method hot-calls hot-code
// jdk: 17
// set: tenth
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.Queue;
import java.util.concurrent.atomic.LongAdder;

/** Terminals ask for quotes of instruments over connections that stay open. */
public final class QuoteGateway {
    private static final LongAdder SELECTS = new LongAdder();
    private static final LongAdder WITH_DATA = new LongAdder();

    private static final class Terminal {
        final ByteBuffer in = ByteBuffer.allocate(64);
        final Queue<ByteBuffer> out = new ArrayDeque<>();
    }

    private static ByteBuffer quote(int instrument) {
        double mid = 100;
        for (int i = 0; i < 500; i++) {
            mid += Math.sin(instrument + i) / 50;
        }
        ByteBuffer answer = ByteBuffer.allocate(12);
        answer.putInt(instrument).putDouble(mid).flip();
        return answer;
    }

    private static void accept(Selector selector, ServerSocketChannel server) throws IOException {
        SocketChannel channel = server.accept();
        channel.configureBlocking(false);
        channel.register(selector, SelectionKey.OP_READ, new Terminal());
    }

    /** Whether anything came. */
    private static boolean read(SelectionKey key) throws IOException {
        Terminal terminal = (Terminal) key.attachment();
        int n = ((SocketChannel) key.channel()).read(terminal.in);
        if (n < 0) {
            key.channel().close();
            return false;
        }
        terminal.in.flip();
        while (terminal.in.remaining() >= 4) {
            terminal.out.add(quote(terminal.in.getInt()));
        }
        terminal.in.compact();
        key.interestOps(SelectionKey.OP_READ | SelectionKey.OP_WRITE);
        return true;
    }

    private static void write(SelectionKey key) throws IOException {
        Terminal terminal = (Terminal) key.attachment();
        SocketChannel channel = (SocketChannel) key.channel();
        while (!terminal.out.isEmpty()) {
            channel.write(terminal.out.peek());
            if (terminal.out.peek().hasRemaining()) {
                return;
            }
            terminal.out.remove();
        }
    }

    private static void serve(Selector selector, ServerSocketChannel server) {
        try {
            for (;;) {
                selector.select();
                SELECTS.increment();
                boolean data = false;
                Iterator<SelectionKey> keys = selector.selectedKeys().iterator();
                while (keys.hasNext()) {
                    SelectionKey key = keys.next();
                    keys.remove();
                    if (key.isAcceptable()) {
                        accept(selector, server);
                        continue;
                    }
                    if (key.isReadable()) {
                        data |= read(key);
                    }
                    if (key.isValid() && key.isWritable()) {
                        write(key);
                    }
                }
                if (data) {
                    WITH_DATA.increment();
                }
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void terminal(int port, int number) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setTcpNoDelay(true);
            DataInputStream in = new DataInputStream(socket.getInputStream());
            DataOutputStream out = new DataOutputStream(socket.getOutputStream());
            byte[] answer = new byte[12];
            for (int i = number;; i = (i + 7) % 900) {
                out.writeInt(i);
                in.readFully(answer);
                Thread.sleep(25);
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws Exception {
        Selector selector = Selector.open();
        ServerSocketChannel server = ServerSocketChannel.open();
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        server.configureBlocking(false);
        server.register(selector, SelectionKey.OP_ACCEPT);
        int port = ((InetSocketAddress) server.getLocalAddress()).getPort();
        new Thread(() -> serve(selector, server), "gateway").start();
        for (int i = 0; i < 8; i++) {
            int number = i;
            new Thread(() -> terminal(port, number), "terminal-" + i).start();
        }
        System.out.println("READY");
        for (;;) {
            Thread.sleep(1000);
            System.out.println("measured: " + WITH_DATA.sumThenReset() + " of " + SELECTS.sumThenReset()
                    + " selects of a second had something to read");
        }
    }
}
