// SPDX-License-Identifier: Apache-2.0
// healthy: nearly all threads wait by design (gauges send one reading each 250 ms, the forecast runs each second on schedule); every reading is taken at once and every tick is on time, so there is nothing to speed up.
// judge: wrong: blaming the blocked socket reads in listen, the sleeping gauges, the waits on the reading queue or scheduler, the thread count, or calling the process idle because of a bottleneck; any claim of lock contention, missing notify or Nagle delay
// set: eighteenth
// jdk: 11
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

public class TideGaugePoller {
    static final int GAUGES = 12;
    static final AtomicLong readings = new AtomicLong();
    static final AtomicLong delayNanos = new AtomicLong();
    static final AtomicLong tickLate = new AtomicLong();
    static volatile double highest;

    static final class Reading {
        final int gauge;
        final double level;
        final long sent;

        Reading(int gauge, double level, long sent) {
            this.gauge = gauge;
            this.level = level;
            this.sent = sent;
        }
    }

    private final BlockingQueue<Reading> queue = new ArrayBlockingQueue<>(256);
    private final Map<Integer, double[]> series = new ConcurrentHashMap<>();
    private final ServerSocket station;
    private final long start = System.nanoTime();

    TideGaugePoller() throws IOException {
        station = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    }

    private void gauge(int no) {
        try (Socket s = new Socket(InetAddress.getLoopbackAddress(), station.getLocalPort())) {
            s.setTcpNoDelay(true);
            DataOutputStream out = new DataOutputStream(new java.io.BufferedOutputStream(s.getOutputStream()));
            long due = System.nanoTime();
            for (int i = 0; ; i++) {
                out.writeInt(no);
                out.writeDouble(3 + Math.sin(i * 0.02 + no) * 1.8 + Math.sin(i * 0.7) * 0.05);
                out.writeLong(System.nanoTime());
                out.flush();
                due += TimeUnit.MILLISECONDS.toNanos(250);
                LockSupport.parkNanos(due - System.nanoTime());
            }
        } catch (IOException e) {
            System.out.println("gauge " + no + ": " + e);
        }
    }

    private void admit() {
        try {
            while (true) {
                Socket s = station.accept();
                daemon(() -> listen(s), "gauge-link-" + s.getPort());
            }
        } catch (IOException e) {
            System.out.println("station closed");
        }
    }

    private void listen(Socket s) {
        try {
            DataInputStream in = new DataInputStream(new java.io.BufferedInputStream(s.getInputStream()));
            while (true) {
                int no = in.readInt();
                double level = in.readDouble();
                queue.put(new Reading(no, level, in.readLong()));
            }
        } catch (IOException e) {
            System.out.println("link closed");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void record() {
        try {
            while (true) {
                Reading r = queue.take();
                double[] s = series.computeIfAbsent(r.gauge, k -> new double[512]);
                System.arraycopy(s, 1, s, 0, s.length - 1);
                s[s.length - 1] = r.level;
                delayNanos.addAndGet(System.nanoTime() - r.sent);
                readings.incrementAndGet();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void forecast(long tick) {
        long due = start + TimeUnit.SECONDS.toNanos(tick);
        tickLate.set(Math.max(0, System.nanoTime() - due));
        double top = 0;
        for (double[] s : series.values()) {
            for (int h = 1; h <= 24; h++) {
                double re = 0;
                double im = 0;
                for (int i = 0; i < s.length; i++) {
                    double w = 2 * Math.PI * h * i / s.length;
                    re += s[i] * Math.cos(w);
                    im += s[i] * Math.sin(w);
                }
                top = Math.max(top, Math.hypot(re, im) / s.length);
            }
        }
        highest = top;
    }

    private static void daemon(Runnable r, String name) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        TideGaugePoller p = new TideGaugePoller();
        daemon(p::admit, "station");
        daemon(p::record, "recorder");
        for (int i = 1; i <= GAUGES; i++) {
            int no = i;
            daemon(() -> p.gauge(no), "gauge-" + i);
        }
        ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(r -> {
            Thread t = new Thread(r, "forecast");
            t.setDaemon(true);
            return t;
        });
        AtomicLong ticks = new AtomicLong();
        long first = p.start + TimeUnit.SECONDS.toNanos(1) - System.nanoTime();
        clock.scheduleAtFixedRate(() -> p.forecast(ticks.incrementAndGet()), first, 1_000_000_000L, TimeUnit.NANOSECONDS);
        System.out.println("READY");
        long before = 0;
        long delay = 0;
        for (int s = 0; s < 240; s++) {
            Thread.sleep(1000);
            long now = readings.get();
            long d = delayNanos.get();
            System.out.println("measured: readings/s=" + (now - before) + " of " + GAUGES * 4 + " delay_us="
                    + (d - delay) / Math.max(1, now - before) / 1000 + " tick_late_us=" + tickLate.get() / 1000);
            before = now;
            delay = d;
        }
    }
}
