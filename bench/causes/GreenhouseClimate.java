// SPDX-License-Identifier: Apache-2.0
// cause: the one thread of the java.util.Timer "climate" runs GreenhouseClimate$ValveCalibration.run, which sleeps 450 ms in GreenhouseClimate$Valve.settle while a valve comes to rest, about once every 0.9 s; the vents, mist and frost tasks of the same timer cannot run in that time
// share: the timer thread is in ValveCalibration.run for 45 to 50 % of the time; vents, due every 50 ms, are not moved for up to 500 ms (see "measured")
// expect: blocked-scheduler task=GreenhouseClimate$ValveCalibration
// symptom: waiting
// judge: NAMED: the only thread of the timer/scheduler (climate) is held for about half of the time by GreenhouseClimate$ValveCalibration.run (or its sleep in Valve.settle/ValveCalibration.run), which delays the other tasks. SYMPTOM ONLY: that GreenhouseClimate$Valve.settle or ValveCalibration sleeps, without that other tasks of the timer wait for it. WRONG: anything else as the cause: the sensor lines (GreenhouseClimate$SensorLine, their CPU time, arithmetic or sleeps), House monitors, collections, the machine; a neutral remark about where CPU time goes is not counted.
// jdk: 8
// set: thirty-fourth
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.atomic.AtomicLong;

public class GreenhouseClimate {
    /** What one house of glass measures and how its actuators stand. */
    static final class House {
        final String name;
        private double temperature = 21, humidity = 60, vent, mist;

        House(String name) { this.name = name; }

        synchronized void measured(double t, double h) {
            temperature += (t - temperature) * 0.05;
            humidity += (h - humidity) * 0.05;
        }

        synchronized double temperature() { return temperature; }

        synchronized double humidity() { return humidity; }

        synchronized void vent(double opening) {
            vent = Math.max(0, Math.min(1, opening));
        }

        synchronized void mist(double flow) {
            mist = Math.max(0, Math.min(1, flow));
        }

        synchronized String line() {
            return String.format(Locale.ROOT, "%s %.1f C %.0f %% vent %.2f mist %.2f", name, temperature, humidity, vent, mist);
        }
    }

    /** A mixing valve of the heating: its flow is known once the water has come to rest. */
    static final class Valve {
        private final Random random = new Random(7);
        private double position, offset;

        void move(double to) {
            position = to;
        }

        void settle() throws InterruptedException {
            Thread.sleep(450);
        }

        double flow() {
            return position * 4.2 + random.nextGaussian() * 0.01 + 0.12;
        }

        void correct(double by) {
            offset = offset * 0.9 + by * 0.1;
        }
    }

    static final class VentControl extends TimerTask {
        private final List<House> houses;
        private long before;
        final AtomicLong worstNs = new AtomicLong(), runs = new AtomicLong();

        VentControl(List<House> houses) { this.houses = houses; }

        @Override public void run() {
            long now = System.nanoTime();
            if (before != 0) {
                worstNs.accumulateAndGet(now - before, Math::max);
            }
            before = now;
            runs.incrementAndGet();
            for (House h : houses) {
                h.vent((h.temperature() - 20) / 8);
            }
        }
    }

    static final class MistControl extends TimerTask {
        private final List<House> houses;

        MistControl(List<House> houses) { this.houses = houses; }

        @Override public void run() {
            for (House h : houses) {
                h.mist((70 - h.humidity()) / 40);
            }
        }
    }

    static final class FrostWatch extends TimerTask {
        private final List<House> houses;
        int alarms;

        FrostWatch(List<House> houses) { this.houses = houses; }

        @Override public void run() {
            for (House h : houses) {
                if (h.temperature() < 4) {
                    alarms++;
                }
            }
        }
    }

    static final class ValveCalibration extends TimerTask {
        private final Valve[] valves;
        private int next;
        final AtomicLong spentNs = new AtomicLong();

        ValveCalibration(int n) {
            valves = new Valve[n];
            for (int i = 0; i < n; i++) {
                valves[i] = new Valve();
            }
        }

        @Override public void run() {
            long from = System.nanoTime();
            Valve v = valves[next++ % valves.length];
            v.move(0.5);
            try {
                v.settle();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
            v.correct(v.flow() - 2.1);
            spentNs.addAndGet(System.nanoTime() - from);
        }
    }

    /** Reads the raw values of the probes of some houses and filters them. */
    static final class SensorLine extends Thread {
        private final List<House> houses;
        private final Random random = new Random(3);

        SensorLine(int n, List<House> houses) {
            super("sensor-line-" + n);
            this.houses = houses;
            setDaemon(true);
        }

        @Override public void run() {
            try {
                while (true) {
                    for (House h : houses) {
                        double t = 0, w = 0;
                        for (int i = 0; i < 1500; i++) {
                            double k = 1 + Math.cos(i / 1500.0 * Math.PI);
                            t += k * (22 + random.nextGaussian());
                            w += k;
                        }
                        h.measured(t / w, 58 + random.nextInt(8));
                    }
                    Thread.sleep(20);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        List<House> houses = new ArrayList<>();
        for (int i = 1; i <= 12; i++) {
            houses.add(new House("house-" + i));
        }
        for (int i = 0; i < 2; i++) {
            new SensorLine(i, houses.subList(i * 6, i * 6 + 6)).start();
        }
        Timer timer = new Timer("climate", true);
        VentControl vents = new VentControl(houses);
        ValveCalibration calibration = new ValveCalibration(8);
        timer.schedule(vents, 10, 50);
        timer.schedule(new MistControl(houses), 20, 80);
        timer.schedule(new FrostWatch(houses), 30, 100);
        timer.schedule(calibration, 200, 900);
        Thread.sleep(2000);
        System.out.println("READY");
        System.out.flush();
        long at = System.nanoTime(), spent = calibration.spentNs.get(), runs = vents.runs.get();
        for (int n = 0;; n++) {
            Thread.sleep(2000);
            long now = System.nanoTime(), s = calibration.spentNs.get(), r = vents.runs.get();
            System.out.printf(Locale.ROOT, "measured: timer busy with calibration %.0f %%, vents moved %.1f times a second (due: 20), longest gap %d ms; %s%n",
                100.0 * (s - spent) / (now - at), (r - runs) * 1e9 / (now - at), vents.worstNs.getAndSet(0) / 1000000, houses.get(n % houses.size()).line());
            at = now;
            spent = s;
            runs = r;
        }
    }
}
