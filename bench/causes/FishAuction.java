// SPDX-License-Identifier: Apache-2.0
// healthy: one thread serves 80 connections by a selector (NIO); it never blocks in a handler, writes whole answers with TCP_NODELAY, asks for OP_WRITE only while something is left, and rests in select() most of the time; buyers (in this process, by a few threads that rest between bids) are answered in well below a millisecond
// share: nothing to name; 0.1 to 0.5 of 2 CPUs, answers take some 0.1 ms, as measured
// judge: NAMED: no fault (nothing stands out; or only neutral remarks, such as that the buyers' threads wait for answers of this very process, or of where CPU time goes). SYMPTOM ONLY: none. WRONG: any accusation, such as a spinning selector, a blocked or saturated loop, slow accepting, waits for a server's answer as a fault, Nagle's algorithm, too few threads.
// jdk: 25
// set: thirty-fourth
// jvm: -Xmx256m
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.*;
import java.nio.ByteBuffer;
import java.nio.channels.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;

/** A fish auction by wire: buyers ask for lots and bid, and hear of what is sold. */
public class FishAuction {
    static final LongAdder asked = new LongAdder(), latency = new LongAdder(), sold = new LongAdder(), events = new LongAdder();

    static final class Lot {
        final int number;
        final String kind;
        int kilos, best, bids;
        String bidder = "-";

        Lot(int number, Random random) {
            this.number = number;
            kind = new String[] {"cod", "hake", "ling", "sole", "turbot"}[random.nextInt(5)];
            kilos = 20 + random.nextInt(200);
            best = 300;
        }
    }

    /** The lots on the floor; only the loop's thread is here. */
    static final class Floor {
        private final Lot[] lots = new Lot[40];
        private final Map<String, Long> accounts = new TreeMap<>();
        private final Random random = new Random(9);
        private int next = 1;

        Floor() { for (int i = 0; i < lots.length; i++) lots[i] = new Lot(next++, random); }

        String answer(String line) {
            String[] part = line.split(" ");
            switch (part[0]) {
                case "L": return list(Integer.parseInt(part[1]));
                case "B": return bid(part[1], Integer.parseInt(part[2]), Integer.parseInt(part[3]));
                case "A": return "account " + accounts.getOrDefault(part[1], 0L);
                default: return "error " + line;
            }
        }

        private String list(int from) {
            StringBuilder text = new StringBuilder("lots");
            for (int i = from; i < from + 8; i++) {
                Lot lot = lots[i % lots.length];
                text.append(' ').append(lot.number).append(':').append(lot.kind).append(':').append(lot.kilos).append(':').append(lot.best);
            }
            return text.toString();
        }

        private String bid(String buyer, int place, int more) {
            Lot lot = lots[place % lots.length];
            lot.best += more;
            lot.bidder = buyer;
            if (++lot.bids < 8) return "bid " + lot.number + " " + lot.best;
            accounts.merge(buyer, (long) lot.best * lot.kilos, (a, b) -> (a + b) % 1_000_000_000_000L);
            lots[place % lots.length] = new Lot(next++, random);
            sold.increment();
            return "sold " + lot.number + " " + lot.best * lot.kilos;
        }
    }

    /** One buyer's connection: what has come of a line, and what is still to be sent. */
    static final class Line {
        private final ByteBuffer in = ByteBuffer.allocate(1024);
        private final ByteBuffer out = ByteBuffer.allocate(8192);

        void read(SelectionKey key, Floor floor) throws IOException {
            SocketChannel channel = (SocketChannel) key.channel();
            if (channel.read(in) < 0) throw new ClosedChannelException();
            in.flip();
            int start = 0;
            for (int i = 0; i < in.limit(); i++) {
                if (in.get(i) != '\n') continue;
                String line = new String(in.array(), start, i - start, StandardCharsets.US_ASCII);
                out.put((floor.answer(line) + "\n").getBytes(StandardCharsets.US_ASCII));
                start = i + 1;
            }
            in.position(start);
            in.compact();
            write(key);
        }

        void write(SelectionKey key) throws IOException {
            out.flip();
            ((SocketChannel) key.channel()).write(out);
            out.compact();
            int wanted = out.position() > 0 ? SelectionKey.OP_READ | SelectionKey.OP_WRITE : SelectionKey.OP_READ;
            if (key.interestOps() != wanted) key.interestOps(wanted);
        }
    }

    /** The server. */
    static final class Hall implements Runnable {
        private final Selector selector = Selector.open();
        private final ServerSocketChannel door = ServerSocketChannel.open();
        private final Floor floor = new Floor();

        Hall() throws IOException {
            door.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 256);
            door.configureBlocking(false);
            door.register(selector, SelectionKey.OP_ACCEPT);
        }

        SocketAddress address() throws IOException { return door.getLocalAddress(); }

        @Override public void run() {
            try {
                while (true) {
                    selector.select(this::handle);
                }
            } catch (IOException e) {
                System.out.println("hall closed: " + e);
            }
        }

        private void handle(SelectionKey key) {
            events.increment();
            try {
                if (key.isAcceptable()) {
                    for (SocketChannel channel; (channel = door.accept()) != null; ) {
                        channel.configureBlocking(false);
                        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
                        channel.register(selector, SelectionKey.OP_READ, new Line());
                    }
                } else if (key.isReadable()) {
                    ((Line) key.attachment()).read(key, floor);
                } else if (key.isWritable()) {
                    ((Line) key.attachment()).write(key);
                }
            } catch (IOException e) {
                key.cancel();
                try { key.channel().close(); } catch (IOException ignored) { }
            }
        }
    }

    /** A room of buyers who share a thread: now one, now another one asks. */
    static final class Room implements Runnable {
        private final SocketChannel[] seats = new SocketChannel[20];
        private final String name;
        private final ByteBuffer buffer = ByteBuffer.allocate(4096);
        private final Map<String, Integer> prices = new HashMap<>();

        Room(String name, SocketAddress hall) throws IOException {
            this.name = name;
            for (int i = 0; i < seats.length; i++) {
                seats[i] = SocketChannel.open(hall);
                seats[i].setOption(StandardSocketOptions.TCP_NODELAY, true);
            }
        }

        private String ask(int seat, String question) throws IOException {
            long begin = System.nanoTime();
            seats[seat].write(ByteBuffer.wrap((question + "\n").getBytes(StandardCharsets.US_ASCII)));
            buffer.clear();
            do {
                if (seats[seat].read(buffer) < 0) throw new ClosedChannelException();
            } while (buffer.get(buffer.position() - 1) != '\n');
            latency.add(System.nanoTime() - begin);
            asked.increment();
            return new String(buffer.array(), 0, buffer.position() - 1, StandardCharsets.US_ASCII);
        }

        @Override public void run() {
            try {
                while (true) {
                    int seat = ThreadLocalRandom.current().nextInt(seats.length), place = ThreadLocalRandom.current().nextInt(40);
                    for (String lot : ask(seat, "L " + place).substring(5).split(" ")) {
                        String[] part = lot.split(":");
                        prices.merge(part[1], Integer.parseInt(part[3]), (a, b) -> (a * 7 + b) / 8);
                    }
                    if (ThreadLocalRandom.current().nextInt(3) == 0) ask(seat, "B " + name + seat + " " + place + " " + (5 + prices.size()));
                    if (ThreadLocalRandom.current().nextInt(20) == 0) ask(seat, "A " + name + seat);
                    Thread.sleep(1 + ThreadLocalRandom.current().nextInt(2));
                }
            } catch (IOException e) {
                System.out.println(name + " left: " + e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        var os = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        Hall hall = new Hall();
        new Thread(hall, "hall").start();
        for (int i = 0; i < 4; i++) new Thread(new Room("room-" + i + "-", hall.address()), "room-" + i).start();
        long cpu = os.getProcessCpuTime(), time = System.nanoTime(), done = 0, took = 0, seen = 0;
        for (int second = 1; ; second++) {
            Thread.sleep(1000);
            long c = os.getProcessCpuTime(), t = System.nanoTime(), d = asked.sum(), l = latency.sum(), e = events.sum();
            System.out.printf(Locale.ROOT, "measured: %d questions/s, %.2f CPUs, answered within %d us on average, %.2f events for each, %d lots sold%n",
                (d - done) * 1_000_000_000L / (t - time), (c - cpu) / (double) (t - time), (l - took) / 1000 / Math.max(1, d - done),
                (e - seen) / (double) Math.max(1, d - done), sold.sum());
            cpu = c; time = t; done = d; took = l; seen = e;
            if (second == 3) System.out.println("READY");
            System.out.flush();
        }
    }
}
