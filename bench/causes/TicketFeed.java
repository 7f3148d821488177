// SPDX-License-Identifier: Apache-2.0
// healthy: a feed of ticket sales that makes many short-lived objects (lines, sales, messages), which a young generation of the right size disposes of for next to nothing; what lives long is small and bounded, and the feed keeps up with the sales arriving
// judge: True and harmless: "allocates some 50 to 100 MB/s in Feed.sale / Feed.message", "young collections, short". Wrong: "allocation pressure / GC is the problem", "heap too small", "memory leak", "pool or reuse objects", "reader blocked in socket read" (it waits for sales), lock contention.
// jdk: 11
// set: fifteenth
import java.io.*;
import java.lang.management.*;
import java.net.*;
import java.nio.charset.StandardCharsets;
import java.time.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/** Turns the sales lines of box offices into messages for the event organisers. */
public final class TicketFeed {
    static final int PER_TICK = 600, TICK_MS = 20;
    static final LongAdder sales = new LongAdder(), messages = new LongAdder(), bytes = new LongAdder(), lag = new LongAdder();

    static final class Sale {
        final long id, sentMicros;
        final Instant at;
        final String event, block;
        final int row, seat, cents;

        Sale(long id, long sentMicros, Instant at, String event, String block, int row, int seat, int cents) {
            this.id = id;
            this.sentMicros = sentMicros;
            this.at = at;
            this.event = event;
            this.block = block;
            this.row = row;
            this.seat = seat;
            this.cents = cents;
        }
    }

    /** Takings of one event; there are forty. */
    static final class Takings {
        int tickets;
        long cents;
        final TreeMap<String, Integer> blocks = new TreeMap<>();

        void add(Sale s) {
            tickets++;
            cents += s.cents;
            blocks.merge(s.block, 1, Integer::sum);
        }
    }

    static final class Feed implements Runnable {
        final BufferedReader in;
        final OutputStream organisers;
        final Map<String, Takings> takings = new HashMap<>();

        Feed(InputStream in, OutputStream organisers) {
            this.in = new BufferedReader(new InputStreamReader(in, StandardCharsets.US_ASCII), 1 << 15);
            this.organisers = organisers;
        }

        Sale sale(String line) {
            int[] cut = new int[8];
            cut[0] = -1;
            for (int i = 1, at = -1; i < 8; i++) cut[i] = at = line.indexOf(';', at + 1);
            return new Sale(number(line, cut, 0), number(line, cut, 1), Instant.ofEpochMilli(number(line, cut, 2)),
                    line.substring(cut[3] + 1, cut[4]), line.substring(cut[4] + 1, cut[5]), (int) number(line, cut, 5), (int) number(line, cut, 6),
                    Integer.parseInt(line, cut[7] + 1, line.length(), 10));
        }

        static long number(String line, int[] cut, int field) { return Long.parseLong(line, cut[field] + 1, cut[field + 1], 10); }

        String message(Sale s, Takings t) {
            return new StringBuilder(256).append("{\"sale\":").append(s.id).append(",\"at\":\"").append(s.at).append("\",\"event\":\"").append(s.event)
                    .append("\",\"block\":\"").append(s.block).append("\",\"row\":").append(s.row).append(",\"seat\":").append(s.seat)
                    .append(",\"cents\":").append(s.cents).append(",\"soldTickets\":").append(t.tickets).append(",\"soldCents\":").append(t.cents)
                    .append(",\"inBlock\":").append(t.blocks.get(s.block)).append("}\n").toString();
        }

        @Override public void run() {
            try {
                for (String line; (line = in.readLine()) != null; ) {
                    Sale s = sale(line);
                    Takings t = takings.computeIfAbsent(s.event, e -> new Takings());
                    t.add(s);
                    byte[] m = message(s, t).getBytes(StandardCharsets.UTF_8);
                    organisers.write(m);
                    if (!in.ready()) organisers.flush();
                    lag.add(System.nanoTime() / 1000 - s.sentMicros);
                    sales.increment();
                }
            } catch (IOException e) {
                System.err.println(e);
            }
        }
    }

    /** Box offices: 600 sales each 20 ms. */
    static void offices(OutputStream out) {
        SplittableRandom rnd = new SplittableRandom(17);
        StringBuilder tick = new StringBuilder(1 << 16);
        long id = 0, due = System.nanoTime();
        try {
            while (true) {
                tick.setLength(0);
                for (int i = 0; i < PER_TICK; i++) {
                    tick.append(++id).append(';').append(System.nanoTime() / 1000).append(';').append(System.currentTimeMillis()).append(";event-")
                        .append(rnd.nextInt(40)).append(";block-").append(rnd.nextInt(25)).append(';').append(rnd.nextInt(60)).append(';')
                        .append(rnd.nextInt(80)).append(';').append(1500 + rnd.nextInt(9000)).append('\n');
                }
                out.write(tick.toString().getBytes(StandardCharsets.US_ASCII));
                due += TICK_MS * 1_000_000L;
                for (long left; (left = due - System.nanoTime()) > 0; ) LockSupport.parkNanos(left);
                if (due - System.nanoTime() < -1_000_000_000L) due = System.nanoTime();
            }
        } catch (IOException e) {
            System.err.println(e);
        }
    }

    /** The organisers' side reads what it gets. */
    static void organisers(InputStream in) {
        byte[] buf = new byte[1 << 15];
        try {
            for (int n; (n = in.read(buf)) >= 0; ) {
                bytes.add(n);
                for (int i = 0; i < n; i++) if (buf[i] == '\n') messages.increment();
            }
        } catch (IOException e) {
            System.err.println(e);
        }
    }

    static void daemon(String name, Runnable r) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        Socket office = new Socket(InetAddress.getLoopbackAddress(), server.getLocalPort()), fromOffice = server.accept();
        Socket toOrganiser = new Socket(InetAddress.getLoopbackAddress(), server.getLocalPort()), organiser = server.accept();
        daemon("organisers", () -> {
            try {
                organisers(organiser.getInputStream());
            } catch (IOException e) {
                System.err.println(e);
            }
        });
        daemon("feed", new Feed(fromOffice.getInputStream(), new BufferedOutputStream(toOrganiser.getOutputStream(), 1 << 15)));
        OutputStream out = office.getOutputStream();
        daemon("offices", () -> offices(out));
        System.out.println("READY");
        long last = 0, lastGc = 0;
        while (true) {
            Thread.sleep(1000);
            long n = sales.sum(), gc = 0;
            for (GarbageCollectorMXBean b : ManagementFactory.getGarbageCollectorMXBeans()) gc += b.getCollectionTime();
            System.out.printf("measured: %d sales/s of %d arriving, %.1f ms behind, %d ms in GC, %d messages%n", n - last, PER_TICK * 1000 / TICK_MS,
                    lag.sum() / 1e3 / Math.max(1, n), gc - lastGc, messages.sum());
            last = n;
            lastGc = gc;
        }
    }
}
