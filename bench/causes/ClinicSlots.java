// SPDX-License-Identifier: Apache-2.0
// cause: ClinicSlots$Roster.claim holds the roster's ReentrantLock while CoverPolicy asks the insurer's server over a socket (Insurer.authorise), so that one booking at a time gets on
// share: medians of 1 s on a busy machine of 2 CPUs: 200 bookings/s, 50.31 ms each, 95 refused in all; with -Dfixed=true: 1714 bookings/s, 4.77 ms each, 877 refused in all
// expect: waiting chain=Roster.claim | waiting waiter=Roster.claim
// symptom: waiting | pool-busy
// judge: NAMED: the lock of Roster.claim is held while its holder waits for the insurer's answer at Insurer.authorise / Line.ask; SYMPTOM ONLY: waiting for futures at the front desks, pool booking busy, waiting for the lock without what the holder does, waiting for a server's answer without the lock; WRONG: more threads in the pool, CPU, GC, more lines to the insurer
// jdk: 25
// set: twenty-eighth
// jvm: -Xmx64m -XX:+UseG1GC
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;

public class ClinicSlots {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final long SPAN = Long.getLong("span", 170) * 1000000000L;
    static final LongAdder done = new LongAdder(), nanos = new LongAdder(), refused = new LongAdder();

    static final ThreadFactory CLERKS = Thread.ofPlatform().daemon().name("booking-", 0).factory();

    record Wish(int doctor, int slot, int patient, boolean insured) {
    }

    /** The insurer answers after some milliseconds. */
    static final class InsurerHouse {
        final ServerSocket door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());

        InsurerHouse() throws IOException {
            Thread.ofPlatform().daemon().name("insurer-door").start(() -> {
                try {
                    while (true) {
                        Socket s = door.accept();
                        s.setTcpNoDelay(true);
                        Thread.ofPlatform().daemon().name("insurer-line").start(() -> serve(s));
                    }
                } catch (IOException e) {
                    return;
                }
            });
        }

        void serve(Socket s) {
            try (s; var in = new DataInputStream(new BufferedInputStream(s.getInputStream()));
                    var out = new DataOutputStream(new BufferedOutputStream(s.getOutputStream()))) {
                while (true) {
                    int patient = in.readInt();
                    Thread.sleep(5);
                    out.writeBoolean(patient % 11 != 0);
                    out.flush();
                }
            } catch (IOException | InterruptedException e) {
                return;
            }
        }
    }

    static final class Line {
        final DataInputStream in;
        final DataOutputStream out;

        Line(int port) throws IOException {
            Socket s = new Socket(InetAddress.getLoopbackAddress(), port);
            s.setTcpNoDelay(true);
            in = new DataInputStream(new BufferedInputStream(s.getInputStream()));
            out = new DataOutputStream(new BufferedOutputStream(s.getOutputStream()));
        }

        boolean ask(int patient) throws IOException {
            out.writeInt(patient);
            out.flush();
            return in.readBoolean();
        }
    }

    static final class Insurer {
        final ArrayBlockingQueue<Line> lines = new ArrayBlockingQueue<>(16);

        Insurer(int port) throws IOException {
            for (int i = 0; i < 16; i++) lines.add(new Line(port));
        }

        boolean authorise(int patient) {
            Line line = lines.remove();
            try {
                return line.ask(patient);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } finally {
                lines.add(line);
            }
        }
    }

    static final class CoverPolicy {
        final Insurer insurer;

        CoverPolicy(Insurer insurer) {
            this.insurer = insurer;
        }

        boolean covers(Wish w) {
            return !w.insured() || insurer.authorise(w.patient());
        }
    }

    static final class Roster {
        final ReentrantLock lock = new ReentrantLock();
        final Map<Integer, BitSet> taken = new HashMap<>();
        final CoverPolicy policy;

        Roster(CoverPolicy policy) {
            this.policy = policy;
        }

        boolean claim(Wish w) {
            boolean covered = FIXED && policy.covers(w);
            lock.lock();
            try {
                BitSet day = taken.computeIfAbsent(w.doctor(), d -> new BitSet());
                int slot = day.nextClearBit(w.slot());
                if (slot > 60) {
                    day.clear();
                    slot = 0;
                }
                if (FIXED ? !covered : !policy.covers(w)) return false;
                day.set(slot);
                return true;
            } finally {
                lock.unlock();
            }
        }
    }

    static final class Reception {
        final Roster roster;
        final ExecutorService booking = Executors.newFixedThreadPool(12, CLERKS);

        Reception(Roster roster) {
            this.roster = roster;
        }

        String letter(Wish w, boolean ok) {
            StringBuilder b = new StringBuilder();
            for (int i = 0; i < 40; i++) b.append("patient ").append(w.patient()).append(ok ? " is booked " : " is asked to call ").append(i).append('\n');
            return b.toString();
        }

        String book(Wish w) throws Exception {
            return booking.submit(() -> {
                boolean ok = roster.claim(w);
                if (!ok) refused.increment();
                return letter(w, ok);
            }).get();
        }
    }

    public static void main(String[] args) throws Exception {
        long until = System.nanoTime() + SPAN;
        InsurerHouse house = new InsurerHouse();
        Reception reception = new Reception(new Roster(new CoverPolicy(new Insurer(house.door.getLocalPort()))));
        for (int i = 0; i < 10; i++) {
            int desk = i;
            Thread.ofPlatform().daemon().name("front-desk-" + i).start(() -> {
                Random r = new Random(desk);
                try {
                    while (true) {
                        long t = System.nanoTime();
                        reception.book(new Wish(r.nextInt(20), r.nextInt(50), r.nextInt(90000), r.nextInt(10) > 0));
                        nanos.add(System.nanoTime() - t);
                        done.increment();
                        Thread.sleep(1);
                    }
                } catch (Exception e) {
                    e.printStackTrace();
                }
            });
        }
        Thread.sleep(2000);
        System.out.println("READY");
        done.sumThenReset();
        nanos.sumThenReset();
        while (System.nanoTime() < until) {
            Thread.sleep(1000);
            long n = done.sumThenReset();
            System.out.printf("measured: %d bookings/s, %.2f ms each, %d refused in all%n", n, nanos.sumThenReset() / 1e6 / Math.max(1, n), refused.sum());
        }
    }
}
