// SPDX-License-Identifier: Apache-2.0
// cause: reserve() calls the payment host inside ConcurrentHashMap.compute, so bookings of a hot venue queue up
// expect: waiting frame=TableBooking$DepositLine.hold
// symptom: waiting lock-contention
// share: 205 bookings/s, mean 79 ms; fixed: 2250/s, mean 7.1 ms
// judge: right: TableBooking.reserve: blocking deposit call within ConcurrentHashMap.compute holds the entry's lock
// judge: symptom: guests' threads are blocked on the monitor of a ConcurrentHashMap node
// judge: wrong: the payment host is slow; too few payment lines; map too small; GC; CPU
// jdk: 25
// set: fourteenth
import java.io.*;
import java.net.*;
import java.time.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class TableBooking {
    static final boolean FIXED = Boolean.getBoolean("fixed");

    record Request(String venue, String guest, int seats, int slot) {}
    record Entry(String guest, int seats, String deposit) {}

    static final class Evening {
        private final Map<Integer, Deque<Entry>> slots = new TreeMap<>();
        Evening with(Request q, String deposit) {
            Deque<Entry> d = slots.computeIfAbsent(q.slot, k -> new ArrayDeque<>());
            d.addLast(new Entry(q.guest, q.seats, deposit));
            while (d.size() > 8) d.removeFirst();
            return this;
        }
    }

    static final class DepositLine {
        final DataInputStream in; final DataOutputStream out;
        DepositLine(int port) throws IOException {
            Socket s = new Socket(InetAddress.getLoopbackAddress(), port);
            s.setTcpNoDelay(true);
            in = new DataInputStream(new BufferedInputStream(s.getInputStream()));
            out = new DataOutputStream(new BufferedOutputStream(s.getOutputStream()));
        }
        String hold(String guest, int cents) throws IOException {
            out.writeUTF(guest);
            out.writeInt(cents);
            out.flush();
            return in.readUTF();
        }
    }

    static final class Deposits {
        final BlockingQueue<DepositLine> lines = new LinkedBlockingQueue<>();
        Deposits(int n, int port) throws IOException { for (int i = 0; i < n; i++) lines.add(new DepositLine(port)); }
        String hold(Request q) {
            DepositLine line = null;
            try {
                line = lines.take();
                return line.hold(q.guest, q.seats * 1500);
            } catch (InterruptedException | IOException e) {
                throw new IllegalStateException(e);
            } finally { if (line != null) lines.add(line); }
        }
    }

    static void paymentHost(Socket s) {
        try (s; DataInputStream in = new DataInputStream(new BufferedInputStream(s.getInputStream()))) {
            DataOutputStream out = new DataOutputStream(new BufferedOutputStream(s.getOutputStream()));
            while (true) {
                String guest = in.readUTF();
                int cents = in.readInt();
                Thread.sleep(7);
                out.writeUTF("H" + Integer.toUnsignedString(guest.hashCode() * 31 + cents, 36));
                out.flush();
            }
        } catch (Exception e) { /* closed */ }
    }

    final ConcurrentHashMap<String, Evening> evenings = new ConcurrentHashMap<>(1024);
    final LongAdder done = new LongAdder(), nanos = new LongAdder(), payNanos = new LongAdder();
    final Deposits deposits;

    TableBooking(Deposits deposits) { this.deposits = deposits; }

    String deposit(Request q) {
        long t = System.nanoTime();
        String d = deposits.hold(q);
        payNanos.add(System.nanoTime() - t);
        return d;
    }

    String reserve(Request q) {
        if (FIXED) {
            String d = deposit(q);
            evenings.compute(q.venue, (k, e) -> (e == null ? new Evening() : e).with(q, d));
        } else {
            evenings.compute(q.venue, (k, e) -> (e == null ? new Evening() : e).with(q, deposit(q)));
        }
        return "booked " + q.guest + " at " + q.venue + " " + LocalTime.of(17, 0).plusMinutes(15L * q.slot);
    }

    public static void main(String[] args) throws Exception {
        ServerSocket server = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
        Thread.ofPlatform().daemon().name("sim-payment-accept").start(() -> {
            for (int n = 0; ; n++) {
                try {
                    Socket s = server.accept();
                    s.setTcpNoDelay(true);
                    Thread.ofPlatform().daemon().name("sim-payment-" + n).start(() -> paymentHost(s));
                } catch (IOException e) { return; }
            }
        });
        TableBooking booking = new TableBooking(new Deposits(16, server.getLocalPort()));
        for (int g = 0; g < 16; g++) {
            Random r = new Random(g);
            Thread.ofPlatform().name("http-" + g).start(() -> {
                while (true) {
                    String venue = r.nextInt(10) < 7 ? "Harbour Grill" : "venue-" + r.nextInt(300);
                    Request q = new Request(venue, "guest" + r.nextInt(100_000), 1 + r.nextInt(6), r.nextInt(20));
                    long t = System.nanoTime();
                    if (booking.reserve(q).isEmpty()) throw new IllegalStateException();
                    booking.done.increment();
                    booking.nanos.add(System.nanoTime() - t);
                }
            });
        }
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
        AtomicInteger seats = new AtomicInteger();
        timer.scheduleWithFixedDelay(() -> {
            int sum = 0;
            for (String v : booking.evenings.keySet())
                if (!v.startsWith("Harbour")) sum += booking.evenings.get(v).slots.size();
            seats.set(sum);
        }, 1, 1, TimeUnit.SECONDS);
        Thread.sleep(1500);
        System.out.println("READY");
        for (long d0 = booking.done.sum(), n0 = booking.nanos.sum(), p0 = booking.payNanos.sum(); ; ) {
            Thread.sleep(1000);
            long d = booking.done.sum(), n = booking.nanos.sum(), p = booking.payNanos.sum(), k = Math.max(1, d - d0);
            System.out.printf(Locale.ROOT, "measured: %d bookings/s, mean %.1f ms, of it deposit %.1f ms, slots %d%n",
                    d - d0, (n - n0) / 1e6 / k, (p - p0) / 1e6 / k, seats.get());
            d0 = d; n0 = n; p0 = p;
        }
    }
}
