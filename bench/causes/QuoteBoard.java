// SPDX-License-Identifier: Apache-2.0
// cause: QuoteBoard.flush never removes SelectionKey.OP_WRITE from the key's interest set after the answer has been written completely, so each idle connection is always "ready to write", Selector.select returns at once and the thread "board-io" spins in the select loop with a full core for almost no traffic.
// share: faulty about 226 quotes/s with 3 500 us process CPU per quote, fixed about 231 quotes/s with 205 us CPU per quote (factor 17 in CPU per quote; throughput is set by the clients and equal).
// expect: hot-code kind=selector-spin
// symptom: hot-calls
// judge: NAMED: the selector loop of QuoteBoard (QuoteBoard.serve / flush, thread board-io) spins because write interest (OP_WRITE) stays registered when there is nothing to write; "select returns immediately without work, interest ops never cleared" is right. SYMPTOM ONLY: high CPU in Selector.select / EPoll.wait / system CPU / thread board-io is hot, without the write interest or the empty wake-ups being named. WRONG: too many requests, slow clients, the price calculation, lock contention, GC, select timeout too short, a JDK epoll bug.
// jdk: 17
// set: twenty-fifth
// jvm:

import java.io.*;
import java.lang.management.ManagementFactory;
import java.net.*;
import java.nio.ByteBuffer;
import java.nio.channels.*;
import java.util.*;
import java.util.concurrent.atomic.*;

public class QuoteBoard {
    static final class Desk {
        final ByteBuffer in = ByteBuffer.allocate(64);
        final Deque<ByteBuffer> out = new ArrayDeque<>();
        int asked;
    }

    final boolean variant = Boolean.getBoolean("fixed");
    final Selector selector = Selector.open();
    final ServerSocketChannel server = ServerSocketChannel.open();
    final Map<Integer, Long> prices = new HashMap<>();
    final AtomicLong answered = new AtomicLong();
    final AtomicLong nanos = new AtomicLong();
    volatile boolean open = true;

    QuoteBoard() throws IOException {
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        server.configureBlocking(false);
        server.register(selector, SelectionKey.OP_ACCEPT);
        Random rnd = new Random(5);
        for (int i = 0; i < 4000; i++) {
            prices.put(i, 1000L + rnd.nextInt(90000));
        }
    }

    void serve() {
        try {
            while (open) {
                selector.select(1000);
                Iterator<SelectionKey> it = selector.selectedKeys().iterator();
                while (it.hasNext()) {
                    SelectionKey key = it.next();
                    it.remove();
                    if (!key.isValid()) {
                        continue;
                    }
                    if (key.isAcceptable()) {
                        accept();
                    }
                    if (key.isValid() && key.isReadable()) {
                        receive(key);
                    }
                    if (key.isValid() && key.isWritable()) {
                        flush(key);
                    }
                }
            }
        } catch (IOException e) {
            System.out.println("board closed: " + e);
        }
    }

    void accept() throws IOException {
        SocketChannel ch = server.accept();
        if (ch != null) {
            ch.configureBlocking(false);
            ch.setOption(StandardSocketOptions.TCP_NODELAY, true);
            ch.register(selector, SelectionKey.OP_READ, new Desk());
        }
    }

    void receive(SelectionKey key) throws IOException {
        Desk desk = (Desk) key.attachment();
        SocketChannel ch = (SocketChannel) key.channel();
        if (ch.read(desk.in) < 0) {
            key.cancel();
            ch.close();
            return;
        }
        desk.in.flip();
        while (desk.in.remaining() >= 8) {
            int paper = desk.in.getInt();
            int amount = desk.in.getInt();
            ByteBuffer b = ByteBuffer.allocate(8);
            b.putLong(prices.getOrDefault(paper, 0L) * amount).flip();
            desk.out.add(b);
            desk.asked++;
        }
        desk.in.compact();
        key.interestOps(SelectionKey.OP_READ | SelectionKey.OP_WRITE);
    }

    void flush(SelectionKey key) throws IOException {
        Desk desk = (Desk) key.attachment();
        SocketChannel ch = (SocketChannel) key.channel();
        ByteBuffer b;
        while ((b = desk.out.peek()) != null) {
            ch.write(b);
            if (b.hasRemaining()) {
                return;
            }
            desk.out.poll();
        }
        if (variant) {
            key.interestOps(SelectionKey.OP_READ);
        }
    }

    void trader(int no) {
        Random rnd = new Random(no);
        try (Socket s = new Socket(InetAddress.getLoopbackAddress(), server.socket().getLocalPort())) {
            s.setTcpNoDelay(true);
            DataOutputStream out = new DataOutputStream(new BufferedOutputStream(s.getOutputStream()));
            DataInputStream in = new DataInputStream(new BufferedInputStream(s.getInputStream()));
            while (open) {
                long t0 = System.nanoTime();
                out.writeInt(rnd.nextInt(4000));
                out.writeInt(1 + rnd.nextInt(100));
                out.flush();
                if (in.readLong() < 0) {
                    throw new IOException("bad price");
                }
                nanos.addAndGet(System.nanoTime() - t0);
                answered.incrementAndGet();
                Thread.sleep(20 + rnd.nextInt(60));
            }
        } catch (IOException | InterruptedException e) {
            System.out.println("trader left: " + e);
        }
    }

    static void daemon(Runnable r, String name) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        QuoteBoard board = new QuoteBoard();
        daemon(board::serve, "board-io");
        for (int i = 0; i < 12; i++) {
            int no = i;
            daemon(() -> board.trader(no), "trader-" + i);
        }
        System.out.println("READY");
        var os = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        long last = 0, lastNanos = 0, lastCpu = os.getProcessCpuTime();
        for (int s = 0; s < 168; s++) {
            Thread.sleep(1000);
            long c = board.answered.get(), n = board.nanos.get(), cpu = os.getProcessCpuTime();
            long d = Math.max(1, c - last);
            System.out.println("measured: " + (c - last) + " quotes/s, CPU per quote " + (cpu - lastCpu) / d / 1000
                    + " us, mean latency " + (n - lastNanos) / d / 1000 + " us");
            last = c;
            lastNanos = n;
            lastCpu = cpu;
        }
    }
}
