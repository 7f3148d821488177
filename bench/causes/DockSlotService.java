// SPDX-License-Identifier: Apache-2.0
// cause: virtual threads stay pinned to their carrier (2 on 2 CPUs) while DockSlotService$DockLink.exchange waits for the socket inside a synchronized method (JDK 21)
// share: faulty: 66 bookings/s, 93 % of a session's time spent waiting for a carrier; fixed (ReentrantLock): 960 bookings/s, 4 %; 14.5x
// judge: Names the cause: "virtual threads pinned / carrier threads blocked in a synchronized method DockLink.exchange", "all carriers are blocked in a socket read below DockLink.exchange". Only symptom: "waits for the network in SocketInputStream/NioSocketImpl.read", "CPU is mostly idle", "few virtual threads run at once". Wrong: "lock contention on DockLink" (each truck has a dock of its own, the monitor is never contended), "the yard server is slow" (25 ms is its normal time), "the pool of yard server threads is too large/small".
// expect: waiting kind=pinned frame=DockLink.exchange | waiting frame=truckSession holder=DockLink.exchange
// symptom: waiting
// jdk: 21
// set: fifteenth
import java.io.*;
import java.net.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.concurrent.locks.*;

/** Trucks book unloading slots; every dock has one terminal, reached by one long-lived connection. */
public final class DockSlotService {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final int DOCKS = 32;
    static final LongAdder booked = new LongAdder(), refused = new LongAdder(), runnable = new LongAdder(), turn = new LongAdder();

    record Slot(int dock, int minute, boolean granted) { }

    interface Link { String exchange(String line) throws IOException; }

    /** One connection to one dock terminal; the terminal answers one question at a time. */
    static final class DockLink implements Link {
        private final BufferedReader in;
        private final Writer out;

        DockLink(int port) throws IOException {
            Socket s = new Socket(InetAddress.getLoopbackAddress(), port);
            s.setTcpNoDelay(true);
            in = new BufferedReader(new InputStreamReader(s.getInputStream()));
            out = new BufferedWriter(new OutputStreamWriter(s.getOutputStream()));
        }

        String talk(String line) throws IOException {
            out.write(line);
            out.write('\n');
            out.flush();
            String answer = in.readLine();
            if (answer == null) throw new EOFException("terminal closed");
            return answer;
        }

        @Override public synchronized String exchange(String line) throws IOException {
            return talk(line);
        }
    }

    /** The same link, guarded by a java.util.concurrent lock. */
    static final class GuardedLink implements Link {
        private final DockLink link;
        private final ReentrantLock guard = new ReentrantLock();

        GuardedLink(DockLink link) { this.link = link; }

        @Override public String exchange(String line) throws IOException {
            guard.lock();
            try {
                return link.talk(line);
            } finally {
                guard.unlock();
            }
        }
    }

    /** The yard's terminals: a platform thread per connection, 25 ms for a check of the bay sensors. */
    static void terminal(Socket s) {
        try (s; BufferedReader in = new BufferedReader(new InputStreamReader(s.getInputStream()));
             Writer out = new BufferedWriter(new OutputStreamWriter(s.getOutputStream()))) {
            s.setTcpNoDelay(true);
            BitSet taken = new BitSet(1440);
            for (String line; (line = in.readLine()) != null; ) {
                String[] f = line.split(" ");
                int minute = Integer.parseInt(f[2]);
                Thread.sleep(25);
                boolean free = !taken.get(minute);
                taken.set(minute);
                if (taken.cardinality() > 700) taken.clear();
                out.write((free ? "GRANTED " : "REFUSED ") + f[1] + ' ' + minute + '\n');
                out.flush();
            }
        } catch (IOException | InterruptedException e) {
            // the truck's side has gone
        }
    }

    static Slot book(Link link, int dock, int minute) throws IOException {
        String[] f = link.exchange("SLOT " + dock + ' ' + minute).split(" ");
        return new Slot(Integer.parseInt(f[1]), Integer.parseInt(f[2]), f[0].equals("GRANTED"));
    }

    static void truckSession(Link link, int dock) {
        Random rnd = new Random(dock);
        try {
            while (true) {
                long t0 = System.nanoTime();
                Thread.sleep(5);                       // the dispatcher's own time between two questions
                long t1 = System.nanoTime();
                Slot slot = book(link, dock, rnd.nextInt(1440));
                long t2 = System.nanoTime();
                (slot.granted() ? booked : refused).increment();
                runnable.add(Math.max(0, t1 - t0 - 5_000_000L));
                turn.add(t2 - t0);
            }
        } catch (IOException | InterruptedException e) {
            System.err.println(e);
        }
    }

    public static void main(String[] args) throws Exception {
        ServerSocket yard = new ServerSocket(0, 64, InetAddress.getLoopbackAddress());
        Thread.ofPlatform().daemon().name("yard-accept").start(() -> {
            try {
                for (int i = 0; ; i++) {
                    Socket s = yard.accept();
                    Thread.ofPlatform().daemon().name("terminal-" + i).start(() -> terminal(s));
                }
            } catch (IOException e) {
                System.err.println(e);
            }
        });
        List<Link> links = new ArrayList<>();
        for (int i = 0; i < DOCKS; i++) {
            DockLink link = new DockLink(yard.getLocalPort());
            links.add(FIXED ? new GuardedLink(link) : link);
        }
        for (int i = 0; i < DOCKS; i++) {
            int dock = i;
            Thread.ofVirtual().name("truck-" + i).start(() -> truckSession(links.get(dock), dock));
        }
        System.out.println("READY");
        long last = 0;
        while (true) {
            Thread.sleep(1000);
            long n = booked.sum() + refused.sum();
            System.out.printf("measured: %d bookings/s, %.0f %% of a session's time is waiting for a carrier%n",
                    n - last, 100.0 * runnable.sum() / Math.max(1, turn.sum()));
            last = n;
        }
    }
}
