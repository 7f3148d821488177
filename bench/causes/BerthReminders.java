// SPDX-License-Identifier: Apache-2.0
// cause: BerthReminders.main schedules the manifest submission, which waits about 330 ms for a remote answer (Manifest.submit), on the one thread of the java.util.Timer that also has to send the berth notices, so every notice due in that time is delayed.
// share: faulty: 123 notices/s, mean lateness 109 ms, max 328 ms; fixed (submission on a thread of its own): 123 notices/s, mean lateness 0.25 ms, max 1-4 ms (lateness about 400 times better).
// expect: blocked-scheduler thread=harbour-timer
// symptom: waiting frame=Manifest.submit
// judge: NAMED: the single timer thread "harbour-timer" is held up about two thirds of the time by a blocking task (Manifest.submit / socket read) that runs on it, so the other timer tasks start late; move it off the timer thread. SYMPTOM ONLY: the thread harbour-timer waits in a socket read / the registry answers in 330 ms, without saying that this holds up other timer tasks. WRONG: lock contention on Manifest.submit, CPU, GC, sleeping desk/registry thread, too little bandwidth.
// jdk: 8
// set: twenty-seventh
// jvm: -Xmx64m -XX:+UseSerialGC
import java.io.*;
import java.net.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class BerthReminders {
    static final long START = System.nanoTime();
    static final boolean OPTION = Boolean.getBoolean("fixed");
    static final AtomicLong sent = new AtomicLong(), delay = new AtomicLong(), top = new AtomicLong(), rollups = new AtomicLong();

    static final class Registry implements Runnable {
        final ServerSocket socket;
        Registry() throws IOException { socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress()); }
        public void run() {
            try {
                Socket s = socket.accept();
                s.setTcpNoDelay(true);
                DataInputStream in = new DataInputStream(new BufferedInputStream(s.getInputStream()));
                DataOutputStream out = new DataOutputStream(s.getOutputStream());
                while (true) {
                    int n = in.readInt();
                    byte[] b = new byte[n];
                    in.readFully(b);
                    int sum = 0;
                    for (byte x : b) sum = sum * 31 + x;
                    Thread.sleep(330);
                    out.writeInt(sum);
                }
            } catch (Exception e) { /* closed at exit */ }
        }
    }

    static final class Manifest {
        final DataInputStream in;
        final DataOutputStream out;
        final byte[] body = new byte[4096];
        Manifest(int port) throws IOException {
            Socket s = new Socket(InetAddress.getLoopbackAddress(), port);
            s.setTcpNoDelay(true);
            in = new DataInputStream(new BufferedInputStream(s.getInputStream()));
            out = new DataOutputStream(new BufferedOutputStream(s.getOutputStream(), 8192));
        }
        synchronized void submit() {
            try {
                ThreadLocalRandom.current().nextBytes(body);
                out.writeInt(body.length);
                out.write(body);
                out.flush();
                in.readInt();
                rollups.incrementAndGet();
            } catch (IOException e) { throw new UncheckedIOException(e); }
        }
    }

    static final class Notice extends TimerTask {
        final long due = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(200);
        final int berth;
        Notice(int berth) { this.berth = berth; }
        public void run() {
            long d = System.nanoTime() - due;
            String text = "Berth " + berth + ": pilot on board in 30 minutes, tug " + (berth % 7);
            if (text.hashCode() == 0) System.out.print("");
            sent.incrementAndGet();
            delay.addAndGet(Math.max(0, d));
            long t;
            while (d > (t = top.get()) && !top.compareAndSet(t, d)) { }
        }
    }

    public static void main(String[] a) throws Exception {
        long span = Long.getLong("span", 170);
        Registry reg = new Registry();
        Thread rt = new Thread(reg, "registry");
        rt.setDaemon(true);
        rt.start();
        final Manifest manifest = new Manifest(reg.socket.getLocalPort());
        final Timer timer = new Timer("harbour-timer", true);
        final ExecutorService office = Executors.newSingleThreadExecutor(new ThreadFactory() {
            public Thread newThread(Runnable r) { Thread t = new Thread(r, "office"); t.setDaemon(true); return t; }
        });
        timer.scheduleAtFixedRate(new TimerTask() {
            public void run() {
                if (OPTION) office.execute(new Runnable() { public void run() { manifest.submit(); } });
                else manifest.submit();
            }
        }, 500, 500);
        Thread desk = new Thread("berth-desk") {
            public void run() {
                try {
                    for (int i = 0; ; i++) {
                        timer.schedule(new Notice(i % 60), 200);
                        Thread.sleep(8);
                    }
                } catch (InterruptedException e) { }
            }
        };
        desk.setDaemon(true);
        desk.start();
        Thread.sleep(4000);
        System.out.println("READY");
        sent.set(0); delay.set(0); top.set(0); rollups.set(0);
        while (System.nanoTime() - START < span * 1000000000L) {
            Thread.sleep(1000);
            long n = sent.getAndSet(0), d = delay.getAndSet(0), t = top.getAndSet(0);
            System.out.printf(Locale.ROOT, "measured: %d notices/s, %d manifests/s, mean lateness %.1f ms, max %.1f ms%n", n, rollups.getAndSet(0), n == 0 ? 0.0 : d / 1e6 / n, t / 1e6);
        }
    }
}
