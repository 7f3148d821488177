// SPDX-License-Identifier: Apache-2.0
// cause: OrchardSheets$Session.send answers each request by two writes (title, then the rows) on a SocketChannel without TCP_NODELAY: Nagle's algorithm holds the rows back until the client's delayed acknowledgement of the title, about 40 ms, in which the session waits in Session.next for the next request and the stand in Stand.sheet for the rows
// share: 42 to 43 ms to fetch a sheet, of which making it takes 0.5 ms; stands and sessions spend more than 90 % of their time in these waits; 0.17 CPUs used
// expect: held-back frame=OrchardSheets
// symptom: waiting
// judge: NAMED: held back by Nagle's algorithm (or delayed acknowledgement, two small writes, no TCP_NODELAY), at OrchardSheets$Session.next/fill/run (where the server waits) or with writes at OrchardSheets$Session.send, or at Stand.sheet/fill if it says held back. SYMPTOM ONLY: stands wait for data of a socket or a server's answer at Stand.sheet/fill, of this process, without Nagle. WRONG: computing in SheetBook.rows, a lock, a pool, CPUs, collections, sleep at Stand.run.
// jdk: 17
// set: thirty-fifth
// jvm: -Xmx256m

import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.concurrent.atomic.LongAdder;

/** Market stands of an orchard fetch the sheets of varieties, with prices and stock. */
public class OrchardSheets {
    static final int STANDS = 12;
    static final LongAdder sheets = new LongAdder(), fetching = new LongAdder(), making = new LongAdder();

    static void fill(SocketChannel channel, ByteBuffer buffer) throws IOException {
        while (buffer.hasRemaining()) if (channel.read(buffer) < 0) throw new EOFException();
        buffer.flip();
    }

    static final class SheetBook {
        static final String[] KINDS = {"Boskoop", "Elstar", "Topaz", "Rubinette", "Gravensteiner", "Berlepsch"};

        byte[] title(int variety) {
            return (KINDS[variety % KINDS.length] + " no. " + variety).getBytes(StandardCharsets.US_ASCII);
        }

        byte[] rows(int variety) {
            StringBuilder text = new StringBuilder();
            double price = 2.1;
            for (int size = 55; size < 95; size += 5) {
                for (int day = 0; day < 5000; day++) price += Math.sin(day * 0.3 + variety) * 0.0001;
                text.append(size).append("mm ").append(Math.round(price * 100)).append("ct ").append((variety * 31 + size) % 400).append("kg\n");
            }
            return text.toString().getBytes(StandardCharsets.US_ASCII);
        }
    }

    static final class SheetServer implements Runnable {
        final ServerSocketChannel door;
        final SheetBook book = new SheetBook();

        SheetServer() throws IOException {
            door = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0), 64);
        }

        int port() throws IOException {
            return ((InetSocketAddress) door.getLocalAddress()).getPort();
        }

        @Override
        public void run() {
            try {
                for (int n = 0;; n++) {
                    Thread t = new Thread(new Session(door.accept(), book), "sheet-session-" + n);
                    t.setDaemon(true);
                    t.start();
                }
            } catch (IOException e) {
                System.err.println("door: " + e);
            }
        }
    }

    static final class Session implements Runnable {
        final SocketChannel channel;
        final SheetBook book;
        final ByteBuffer request = ByteBuffer.allocateDirect(8), head = ByteBuffer.allocateDirect(64), body = ByteBuffer.allocateDirect(4096);

        Session(SocketChannel channel, SheetBook book) {
            this.channel = channel;
            this.book = book;
        }

        int next() throws IOException {
            request.clear();
            fill(channel, request);
            request.getInt();
            return request.getInt();
        }

        void send(byte[] title, byte[] rows) throws IOException {
            head.clear();
            head.putInt(title.length).putInt(rows.length).put(title);
            head.flip();
            while (head.hasRemaining()) channel.write(head);
            body.clear();
            body.put(rows).flip();
            while (body.hasRemaining()) channel.write(body);
        }

        @Override
        public void run() {
            try {
                while (true) {
                    int variety = next();
                    long begin = System.nanoTime();
                    byte[] title = book.title(variety);
                    byte[] rows = book.rows(variety);
                    making.add(System.nanoTime() - begin);
                    send(title, rows);
                }
            } catch (IOException e) {
                System.err.println("session: " + e);
            }
        }
    }

    static final class Stand implements Runnable {
        final int number, port;

        Stand(int number, int port) {
            this.number = number;
            this.port = port;
        }

        int sheet(SocketChannel channel, int variety, ByteBuffer ask, ByteBuffer lengths) throws IOException {
            ask.clear();
            ask.putInt(number).putInt(variety).flip();
            while (ask.hasRemaining()) channel.write(ask);
            lengths.clear();
            fill(channel, lengths);
            ByteBuffer text = ByteBuffer.allocate(lengths.getInt() + lengths.getInt());
            fill(channel, text);
            return text.remaining();
        }

        @Override
        public void run() {
            Random random = new Random(number);
            ByteBuffer ask = ByteBuffer.allocate(8), lengths = ByteBuffer.allocate(8);
            try (SocketChannel channel = SocketChannel.open(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), port))) {
                while (true) {
                    long begin = System.nanoTime();
                    sheet(channel, random.nextInt(500), ask, lengths);
                    fetching.add(System.nanoTime() - begin);
                    sheets.increment();
                    Thread.sleep(3);
                }
            } catch (IOException | InterruptedException e) {
                System.err.println("stand " + number + ": " + e);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        SheetServer server = new SheetServer();
        Thread door = new Thread(server, "sheet-door");
        door.setDaemon(true);
        door.start();
        for (int i = 0; i < STANDS; i++) {
            Thread t = new Thread(new Stand(i, server.port()), "stand-" + i);
            t.setDaemon(true);
            t.start();
        }
        Thread.sleep(2000);
        System.out.println("READY");
        System.out.flush();
        while (true) {
            long n = sheets.sum(), f = fetching.sum(), k = making.sum();
            Thread.sleep(1000);
            long m = Math.max(1, sheets.sum() - n);
            System.out.printf("measured: %d sheets/s, %.1f ms to fetch one, of which making it takes %.2f ms%n",
                    m, (fetching.sum() - f) / 1e6 / m, (making.sum() - k) / 1e6 / m);
        }
    }
}
