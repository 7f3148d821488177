// SPDX-License-Identifier: Apache-2.0
// healthy: an NIO server takes tickets from paced scanners; a writer journals them in groups, one force each 200 ms; ~20 %
// judge: of a CPU. Nothing is wrong; every finding is wrong.
// jdk: 11
// set: thirteenth

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;

public class TicketJournal {
    static final LongAdder tickets = new LongAdder(), groups = new LongAdder();

    static long check(long ticket) {
        long x = ticket;
        for (int i = 0; i < 3000; i++) {
            x = x * 6364136223846793005L + 1442695040888963407L;
            x ^= x >>> 29;
        }
        return x & 0xffff;
    }

    static void journal(BlockingQueue<long[]> queue, Path file) {
        try (FileChannel out = FileChannel.open(file, StandardOpenOption.WRITE, StandardOpenOption.CREATE)) {
            ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 16);
            List<long[]> group = new ArrayList<>();
            while (true) {
                Thread.sleep(200);
                group.add(queue.take());
                queue.drainTo(group, 4000);
                buffer.clear();
                for (long[] t : group) {
                    buffer.putLong(t[0]).putLong(t[1]);
                }
                buffer.flip();
                if (out.position() > 8 << 20) {
                    out.position(0);
                }
                out.write(buffer);
                out.force(false);
                groups.increment();
                group.clear();
            }
        } catch (IOException | InterruptedException e) {
            e.printStackTrace();
        }
    }

    static void serve(Selector selector, ServerSocketChannel listener, BlockingQueue<long[]> journal) throws IOException {
        while (true) {
            selector.select();
            for (Iterator<SelectionKey> keys = selector.selectedKeys().iterator(); keys.hasNext(); ) {
                SelectionKey key = keys.next();
                keys.remove();
                if (key.isAcceptable()) {
                    SocketChannel c = listener.accept();
                    c.configureBlocking(false);
                    c.register(selector, SelectionKey.OP_READ, ByteBuffer.allocate(16));
                    continue;
                }
                SocketChannel c = (SocketChannel) key.channel();
                ByteBuffer b = (ByteBuffer) key.attachment();
                b.limit(8);
                if (c.read(b) < 0) {
                    c.close();
                } else if (b.position() == 8) {
                    long ticket = b.getLong(0), code = check(ticket);
                    journal.add(new long[] {ticket, code});
                    b.clear();
                    b.putLong(code).flip();
                    c.write(b);
                    b.clear();
                    tickets.increment();
                }
            }
        }
    }

    static void scanner(InetSocketAddress to) {
        ByteBuffer b = ByteBuffer.allocate(8);
        try (SocketChannel c = SocketChannel.open(to)) {
            while (true) {
                b.clear();
                b.putLong(ThreadLocalRandom.current().nextLong()).flip();
                c.write(b);
                b.clear();
                while (b.hasRemaining() && c.read(b) >= 0) {
                    Thread.onSpinWait();
                }
                Thread.sleep(2 + ThreadLocalRandom.current().nextInt(6));
            }
        } catch (IOException | InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws Exception {
        Path file = Files.createTempFile("tickets", ".journal");
        file.toFile().deleteOnExit();
        BlockingQueue<long[]> queue = new LinkedBlockingQueue<>();
        new Thread(() -> journal(queue, file), "journal").start();
        Selector selector = Selector.open();
        ServerSocketChannel listener = ServerSocketChannel.open();
        listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        listener.configureBlocking(false);
        listener.register(selector, SelectionKey.OP_ACCEPT);
        new Thread(() -> {
            try {
                serve(selector, listener, queue);
            } catch (IOException e) {
                e.printStackTrace();
            }
        }, "gates").start();
        InetSocketAddress address = (InetSocketAddress) listener.getLocalAddress();
        for (int i = 0; i < 10; i++) {
            new Thread(() -> scanner(address), "scanner-" + i).start();
        }
        System.out.println("READY");
        while (true) {
            Thread.sleep(1000);
            System.out.printf("measured: %d tickets/s in %d groups/s%n", tickets.sumThenReset(), groups.sumThenReset());
        }
    }
}
