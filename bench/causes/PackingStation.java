// SPDX-License-Identifier: Apache-2.0
// cause: PackingStation$ManifestPrinter.run (print, strip) runs on station-clock, the only thread of the ScheduledThreadPoolExecutor, and rests 20 ms between strips (Thread.sleep in PackingStation$ManifestPrinter.strip), about 450 ms at a time; the gate tick (PackingStation$GateControl.run, every 25 ms) and the scale (PackingStation$Scale.run, every 100 ms) are delayed by as much
// share: the manifest has the clock thread for 37 % of the time; about two fifths of the gate ticks begin more than 20 ms late, the worst ones 400 ms and more
// expect: blocked-scheduler task=PackingStation$ManifestPrinter
// symptom: waiting
// judge: NAMED: station-clock, the only thread of its scheduler, is held by the long task PackingStation$ManifestPrinter.run (or print, strip) so that its other tasks are delayed (also if it adds that most of it is Thread.sleep in strip). SYMPTOM ONLY: waiting for a timer (sleep) at PackingStation$ManifestPrinter.strip without a word about the scheduler or the other tasks; station-clock as a saturated thread or busy pool without the task that takes long. WRONG: GateControl, Scale, Intake or the printer's socket as the cause, CPU, GC, locks, anything of the machine, or nothing found.
// jdk: 21
// set: thirty-fifth
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** A packing station: parcels come along a belt, a gate sends each to its lane, a printer writes the manifest of the last pallet. */
public class PackingStation {
    record Parcel(int id, int lane, int grams, double litres) { }

    /** Measures parcels as they come onto the belt. */
    static final class Intake implements Runnable {
        private final ConcurrentLinkedQueue<Parcel> belt;
        private final Random random = new Random(7);

        Intake(ConcurrentLinkedQueue<Parcel> belt) {
            this.belt = belt;
        }

        @Override public void run() {
            for (int id = 1;; id++) {
                belt.add(new Parcel(id, random.nextInt(6), 200 + random.nextInt(9000), volume(id)));
                while (belt.size() > 500) {
                    belt.poll();
                }
                try {
                    Thread.sleep(18);
                } catch (InterruptedException e) {
                    return;
                }
            }
        }

        private double volume(int seed) {
            double sum = 0;
            for (int row = 0; row < 330; row++) {
                for (int column = 0; column < 330; column++) {
                    double edge = Math.hypot(row - 165, column - 165) / (55 + seed % 9);
                    sum += edge < 1 ? Math.sqrt(1 - edge * edge) : 0;
                }
            }
            return sum / 100;
        }
    }

    /** Sets the gate for the parcel in front of it. */
    static final class GateControl implements Runnable {
        static final long PERIOD = 25_000_000;
        private final ConcurrentLinkedQueue<Parcel> belt;
        private final List<Parcel> pallet;
        private final long start = System.nanoTime();
        private long ticks;
        final AtomicLong late = new AtomicLong(), worst = new AtomicLong(), seen = new AtomicLong();

        GateControl(ConcurrentLinkedQueue<Parcel> belt, List<Parcel> pallet) {
            this.belt = belt;
            this.pallet = pallet;
        }

        @Override public void run() {
            long delay = System.nanoTime() - (start + PERIOD * ++ticks);
            seen.incrementAndGet();
            if (delay > 20_000_000) {
                late.incrementAndGet();
            }
            worst.accumulateAndGet(delay, Math::max);
            for (Parcel parcel = belt.poll(); parcel != null; parcel = belt.poll()) {
                synchronized (pallet) {
                    pallet.add(parcel);
                }
            }
        }
    }

    /** Smooths what the load cell says. */
    static final class Scale implements Runnable {
        private double smoothed;

        @Override public void run() {
            for (int i = 0; i < 2000; i++) {
                smoothed += 0.01 * (Math.sin(i + smoothed) - smoothed);
            }
        }
    }

    /** Prints what lies on the pallet, strip by strip, as the printer has room for. */
    static final class ManifestPrinter implements Runnable {
        private final OutputStream printer;
        private final List<Parcel> pallet;
        final AtomicLong busy = new AtomicLong();

        ManifestPrinter(OutputStream printer, List<Parcel> pallet) {
            this.printer = printer;
            this.pallet = pallet;
        }

        @Override public void run() {
            long begin = System.nanoTime();
            try {
                List<Parcel> parcels;
                synchronized (pallet) {
                    parcels = new ArrayList<>(pallet);
                    pallet.clear();
                }
                print(parcels);
            } catch (IOException | InterruptedException e) {
                System.out.println("manifest not printed: " + e);
            }
            busy.addAndGet(System.nanoTime() - begin);
        }

        private void print(List<Parcel> parcels) throws IOException, InterruptedException {
            for (int row = 0; row < 22; row++) {
                StringBuilder text = new StringBuilder();
                for (int i = row; i < parcels.size(); i += 22) {
                    Parcel p = parcels.get(i);
                    text.append(String.format("%08d  lane %d  %5d g  %6.1f l%n", p.id(), p.lane(), p.grams(), p.litres()));
                }
                strip(text.append("--\n").toString());
            }
        }

        private void strip(String text) throws IOException, InterruptedException {
            printer.write(text.getBytes(StandardCharsets.US_ASCII));
            printer.flush();
            Thread.sleep(20);
        }
    }

    public static void main(String[] args) throws Exception {
        ServerSocket device = new ServerSocket(0, 5, InetAddress.getByName("127.0.0.1"));
        Thread paper = new Thread(() -> {
            try (Socket socket = device.accept(); InputStream in = socket.getInputStream()) {
                byte[] buffer = new byte[4096];
                while (in.read(buffer) >= 0) {
                }
            } catch (IOException e) {
                System.out.println("printer: " + e);
            }
        }, "printer");
        paper.setDaemon(true);
        paper.start();
        Socket line = new Socket(device.getInetAddress(), device.getLocalPort());
        line.setTcpNoDelay(true);

        ConcurrentLinkedQueue<Parcel> belt = new ConcurrentLinkedQueue<>();
        List<Parcel> pallet = new ArrayList<>();
        Thread intake = new Thread(new Intake(belt), "intake");
        intake.setDaemon(true);
        intake.start();

        ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(r -> new Thread(r, "station-clock"));
        GateControl gate = new GateControl(belt, pallet);
        ManifestPrinter manifest = new ManifestPrinter(line.getOutputStream(), pallet);
        clock.scheduleAtFixedRate(gate, 25, 25, TimeUnit.MILLISECONDS);
        clock.scheduleAtFixedRate(new Scale(), 100, 100, TimeUnit.MILLISECONDS);
        clock.scheduleWithFixedDelay(manifest, 300, 750, TimeUnit.MILLISECONDS);

        boolean ready = false;
        long sofar = 0;
        for (int second = 1;; second++) {
            Thread.sleep(1000);
            sofar += gate.seen.get();
            if (!ready && second >= 2 && sofar >= 60) {
                ready = true;
                System.out.println("READY");
            }
            long ticks = gate.seen.getAndSet(0), late = gate.late.getAndSet(0);
            System.out.printf("measured: %d gate ticks, %d of them more than 20 ms late, worst %d ms; manifest had the clock for %d ms of the last second%n",
                    ticks, late, gate.worst.getAndSet(0) / 1_000_000, manifest.busy.getAndSet(0) / 1_000_000);
            System.out.flush();
        }
    }
}
