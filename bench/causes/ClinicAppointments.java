// SPDX-License-Identifier: Apache-2.0
// cause: the virtual threads of requests wait for the insurer's answer (socket read, 20 ms, InsurerLine.confirm) within the synchronized method Calendar.book, which pins them to their carriers on JDK 21, so that only as many requests as there are carriers (CPUs) are under way at a time.
// share: faulty about 96 appointments/s, mean latency 247 ms; fixed about 1150 appointments/s, 20.7 ms (12 times)
// expect: waiting kind=pinned monitor=Calendar.book
// symptom: waiting unstarted-threads
// judge: NAMED: virtual threads are pinned by the synchronized method Calendar.book while they wait for the insurer (InsurerLine.confirm) and so occupy all carriers. SYMPTOM ONLY: virtual threads are started and do not run, no carrier is free; requests wait for a socket or the insurer; permits of the front door are taken (Front.open, a limit of requests under way, by design). WRONG: contention for the monitor of Calendar (60 clinics, one monitor each), pool of lines too small (24 lines, two in use), CPU shortage, too many threads.
// jdk: 21
// set: twenty-fifth
// jvm:
import java.io.*;
import java.net.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.concurrent.locks.ReentrantLock;

public class ClinicAppointments {
    static final boolean REVISED = Boolean.getBoolean("fixed");

    static class Insurer implements Runnable {
        final ServerSocket door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Insurer() throws IOException { }
        @Override public void run() {
            try {
                for (int n = 0; ; n++) {
                    Socket s = door.accept();
                    platform(() -> serve(s), "insurer-" + n);
                }
            } catch (IOException e) {
                e.printStackTrace();
            }
        }
        void serve(Socket s) {
            try (s) {
                s.setTcpNoDelay(true);
                BufferedReader in = new BufferedReader(new InputStreamReader(s.getInputStream()));
                OutputStream out = s.getOutputStream();
                for (String line; (line = in.readLine()) != null; ) {
                    Thread.sleep(20);
                    out.write((line.hashCode() % 17 == 0 ? "NO\n" : "YES\n").getBytes());
                }
            } catch (Exception e) {
                e.printStackTrace();
            }
        }
    }

    record Line(BufferedReader in, OutputStream out) { }

    static class InsurerLine {
        private final BlockingQueue<Line> lines = new LinkedBlockingQueue<>();
        InsurerLine(int n, int port) throws IOException {
            for (int i = 0; i < n; i++) {
                Socket s = new Socket(InetAddress.getLoopbackAddress(), port);
                s.setTcpNoDelay(true);
                lines.add(new Line(new BufferedReader(new InputStreamReader(s.getInputStream())), s.getOutputStream()));
            }
        }
        boolean confirm(String patient, int minutes) throws IOException, InterruptedException {
            Line l = lines.take();
            try {
                l.out().write((patient + ' ' + minutes + '\n').getBytes());
                return "YES".equals(l.in().readLine());
            } finally {
                lines.put(l);
            }
        }
    }

    interface Agenda {
        int book(String patient, int minutes) throws Exception;
    }

    static class Calendar implements Agenda {
        final BitSet slots = new BitSet(480);
        final InsurerLine insurer;
        Calendar(InsurerLine insurer) {
            this.insurer = insurer;
        }
        @Override public synchronized int book(String patient, int minutes) throws Exception {
            return reserve(patient, minutes);
        }
        protected int reserve(String patient, int minutes) throws Exception {
            int at = slots.nextClearBit(0);
            if (at + minutes > 480) {
                slots.clear();
                at = 0;
            }
            if (!insurer.confirm(patient, minutes)) return -1;
            slots.set(at, at + minutes);
            return at;
        }
    }

    static class RevisedCalendar extends Calendar {
        private final ReentrantLock lock = new ReentrantLock();
        RevisedCalendar(InsurerLine insurer) {
            super(insurer);
        }
        @Override public int book(String patient, int minutes) throws Exception {
            lock.lock();
            try {
                return reserve(patient, minutes);
            } finally {
                lock.unlock();
            }
        }
    }

    static class Front {
        final List<Agenda> clinics = new ArrayList<>();
        final Semaphore open = new Semaphore(24);
        final LongAdder done = new LongAdder(), nanos = new LongAdder(), refused = new LongAdder();
        Front(InsurerLine insurer) {
            for (int i = 0; i < 60; i++) clinics.add(REVISED ? new RevisedCalendar(insurer) : new Calendar(insurer));
        }
        void admit(long number) throws InterruptedException {
            open.acquire();
            long t = System.nanoTime();
            Thread.ofVirtual().name("visit-" + number).start(() -> {
                try {
                    if (handle(number) < 0) refused.increment();
                } catch (Exception e) {
                    e.printStackTrace();
                } finally {
                    nanos.add(System.nanoTime() - t);
                    done.increment();
                    open.release();
                }
            });
        }
        int handle(long number) throws Exception {
            String patient = "P" + Long.toHexString(number * 0x9E3779B97F4A7C15L);
            int clinic = Math.floorMod(number * 7, clinics.size());
            return clinics.get(clinic).book(patient, 10 + patient.length() % 20);
        }
    }

    public static void main(String[] args) throws Exception {
        Insurer insurer = new Insurer();
        platform(insurer, "insurer-door");
        Front front = new Front(new InsurerLine(24, insurer.door.getLocalPort()));
        platform(() -> {
            try {
                for (long n = 0; ; n++) front.admit(n);
            } catch (InterruptedException e) {
                return;
            }
        }, "front-door");
        System.out.println("READY");
        for (long end = System.nanoTime() + 170_000_000_000L; System.nanoTime() < end; ) {
            Thread.sleep(1000);
            long d = front.done.sumThenReset(), t = front.nanos.sumThenReset();
            System.out.printf("measured: %d appointments/s, mean latency %.2f ms, refused %d%n", d, d == 0 ? 0 : t / 1e6 / d, front.refused.sumThenReset());
        }
        System.exit(0);
    }

    static void platform(Runnable r, String name) {
        Thread.ofPlatform().daemon().name(name).start(r);
    }
}
