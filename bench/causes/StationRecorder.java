// SPDX-License-Identifier: Apache-2.0
// healthy: recorders of a weather station read, from pipes, the lines that the instruments' drivers (three processes) print now and then, and append each to a file: they wait for lines because there are none yet, take each within a fraction of a millisecond, and the forecast beside them has a fifth of a CPU of ordinary work
// share: 7 or 8 lines a second, each recorded within 0.1 ms after it is read, none missing; 0.18 CPUs for the nowcast
// judge: right: nothing stands out; neutral remarks that threads wait for data of a pipe (they follow what others write), or where the CPU time goes (Nowcast.step). WRONG: accusing the waits for data of a pipe, for files (file-read) or for processes at StationRecorder$Recorder.run / Recorder.follow, or the drivers as slow; that processes are started too often (three at the start only, each for as long as the program runs); file writes, locks, collections, the machine.
// jdk: 8
// set: thirty-sixth
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.File;
import java.io.FileWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** Records what the instruments of a weather station measure, and works out how it goes on. */
public class StationRecorder {
    static final AtomicLong lines = new AtomicLong();
    static final AtomicLong handleNanos = new AtomicLong();
    static final AtomicLong missing = new AtomicLong();
    static final AtomicLong steps = new AtomicLong();
    static final List<Process> drivers = new ArrayList<Process>();

    /** The latest values of one instrument, and how they have gone lately. */
    static final class Gauge {
        final String name;
        private final double[] recent = new double[120];
        private int count;
        Gauge(String name) {
            this.name = name;
        }
        synchronized void add(double value) {
            recent[count++ % recent.length] = value;
        }
        synchronized double mean() {
            int n = Math.min(count, recent.length);
            double sum = 0;
            for (int i = 0; i < n; i++) sum += recent[i];
            return n == 0 ? 0 : sum / n;
        }
    }

    /** Follows the driver of one instrument. */
    static final class Recorder implements Runnable {
        private final Gauge gauge;
        private final Process driver;
        private final File file;
        Recorder(Gauge gauge, Process driver, File file) {
            this.gauge = gauge;
            this.driver = driver;
            this.file = file;
        }
        @Override public void run() {
            try (BufferedReader in = new BufferedReader(new InputStreamReader(driver.getInputStream(), "US-ASCII"));
                 Writer out = new BufferedWriter(new FileWriter(file))) {
                follow(in, out);
            } catch (IOException e) {
                System.err.println(gauge.name + ": " + e.getMessage());
            }
        }
        private void follow(BufferedReader in, Writer out) throws IOException {
            long expected = 1, kept = 0;
            String line;
            while ((line = in.readLine()) != null) {
                long t0 = System.nanoTime();
                int space = line.indexOf(' ');
                long sequence = Long.parseLong(line.substring(0, space));
                double value = Integer.parseInt(line.substring(space + 1)) / 10.0;
                if (sequence != expected) missing.addAndGet(Math.abs(sequence - expected));
                expected = sequence + 1;
                gauge.add(value);
                out.write(System.currentTimeMillis() + ";" + gauge.name + ";" + value + "\n");
                out.flush();
                if (++kept % 100000 == 0) System.err.println(gauge.name + ": " + kept + " values");
                handleNanos.addAndGet(System.nanoTime() - t0);
                lines.incrementAndGet();
            }
        }
    }

    /** The next hour's weather on a grid around the station, anew every quarter of a second. */
    static final class Nowcast implements Runnable {
        private final List<Gauge> gauges;
        private double[] field = new double[200 * 200], next = new double[200 * 200];
        Nowcast(List<Gauge> gauges) {
            this.gauges = gauges;
        }
        @Override public void run() {
            long due = System.nanoTime();
            while (true) {
                double wind = gauges.get(0).mean() / 100, warmth = gauges.get(1).mean(), pressure = gauges.get(2).mean();
                for (int i = 0; i < 900; i++) step(wind, warmth, pressure);
                steps.addAndGet(900);
                due = Math.max(due + 250000000L, System.nanoTime());
                for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) LockSupport.parkNanos(left);
            }
        }
        private void step(double wind, double warmth, double pressure) {
            field[100 * 200 + 100] = warmth + (pressure - 1000) / 50;
            for (int y = 1; y < 199; y++) {
                for (int x = 1; x < 199; x++) {
                    int i = y * 200 + x;
                    double spread = field[i - 1] + field[i + 1] + field[i - 200] + field[i + 200] - 4 * field[i];
                    next[i] = field[i] + 0.2 * spread - wind * 0.1 * (field[i] - field[i - 1]);
                }
            }
            double[] swap = field;
            field = next;
            next = swap;
        }
    }

    /** Starts the driver of an instrument, which prints a number and a value in each turn until it is ended. */
    static Process driver(int base, int spread, String pause) throws IOException {
        String script = "n=0; while n=$((n+1)); do echo $n $((" + base + " + (n * 7919) % " + spread + ")); sleep " + pause + "; done";
        Process process = new ProcessBuilder("/bin/sh", "-c", script).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        process.getOutputStream().close();
        drivers.add(process);
        return process;
    }

    public static void main(String[] args) throws Exception {
        Runtime.getRuntime().addShutdownHook(new Thread(new Runnable() {
            @Override public void run() {
                for (Process process : drivers) process.destroy();
            }
        }));
        String[] names = {"wind", "temperature", "pressure"};
        int[] base = {20, 120, 9950}, spread = {90, 40, 200};
        String[] pause = {"0.2", "0.5", "1"};
        List<Gauge> gauges = new ArrayList<Gauge>();
        for (int i = 0; i < names.length; i++) {
            Gauge gauge = new Gauge(names[i]);
            gauges.add(gauge);
            File file = File.createTempFile("station-" + names[i], ".csv");
            file.deleteOnExit();
            new Thread(new Recorder(gauge, driver(base[i], spread[i], pause[i]), file), "recorder-" + names[i]).start();
        }
        Thread nowcast = new Thread(new Nowcast(gauges), "nowcast");
        nowcast.setDaemon(true);
        nowcast.start();
        while (lines.get() < 12) Thread.sleep(50);
        System.out.println("READY");
        System.out.flush();
        com.sun.management.OperatingSystemMXBean os = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        long n0 = lines.get(), h0 = handleNanos.get(), s0 = steps.get(), c0 = os.getProcessCpuTime();
        while (true) {
            Thread.sleep(1000);
            long n = lines.get(), h = handleNanos.get(), s = steps.get(), c = os.getProcessCpuTime();
            System.out.println(String.format(Locale.ROOT, "measured: %d lines (8 or fewer are printed a second), each recorded within %.0f us, %d missing; %d steps of the nowcast; %.2f CPUs",
                n - n0, (h - h0) / 1e3 / Math.max(1, n - n0), missing.get(), s - s0, (c - c0) / 1e9));
            n0 = n; h0 = h; s0 = s; c0 = c;
        }
    }
}
