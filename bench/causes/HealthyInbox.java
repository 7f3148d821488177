// SPDX-License-Identifier: Apache-2.0
// healthy: four sensors fill a bounded inbox that two threads empty as soon as something is in it
// jvm: -XX:+UseShenandoahGC -Xmx128m
// jdk: 17
// set: fifth
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;

/** A thousand readings a second of 70 us of work each: each of the two threads is busy for 4 % of the time. */
public final class HealthyInbox {
    private static final int SENSORS = 4;
    private static final int CAPACITY = 256;

    private final BlockingQueue<Reading> inbox = new ArrayBlockingQueue<>(CAPACITY);
    private final ConcurrentMap<String, Mean> means = new ConcurrentHashMap<>();

    private static final class Reading {
        private final String sensor;
        private final double value;

        private Reading(String sensor, double value) {
            this.sensor = sensor;
            this.value = value;
        }
    }

    private static final class Mean {
        private double sum;
        private int count;

        private synchronized double add(double value) {
            sum = sum * 0.99 + value;
            count++;
            return sum / Math.min(count, 100);
        }
    }

    private static double calibrate(double raw) {
        double value = raw;
        for (int i = 1; i < 1500; i++) {
            value += Math.sin(raw * i) / i;
        }
        return value;
    }

    private static double smooth(double value) {
        double old = value;
        for (int i = 0; i < 6000; i++) {
            old = (old * 7 + value) / 8;
        }
        return old;
    }

    private static int mark(double value) {
        long bits = Double.doubleToLongBits(value);
        for (int i = 0; i < 12_000; i++) {
            bits = (bits ^ bits >>> 31) * 0x94d049bb133111ebL;
        }
        return (int) bits;
    }

    private static String unit(double value) {
        return value > 1000 ? "kPa " + value / 1000 : "Pa " + value;
    }

    private void sense(int number) {
        String name = "sensor-" + number;
        try {
            for (int n = 0;; n++) {
                if (!inbox.offer(new Reading(name, 900 + n % 200), 1, TimeUnit.SECONDS)) {
                    System.out.println("the inbox is full");
                }
                Thread.sleep(4);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void evaluate() {
        int shown = 0;
        try {
            for (;;) {
                Reading reading = inbox.take();
                double value = smooth(calibrate(reading.value));
                double mean = means.computeIfAbsent(reading.sensor, s -> new Mean()).add(value);
                shown += unit(mean).length() + mark(value) % 2;
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(shown + " characters", e);
        }
    }

    public static void main(String[] args) {
        HealthyInbox station = new HealthyInbox();
        for (int i = 0; i < 2; i++) {
            new Thread(station::evaluate, "evaluate-" + i).start();
        }
        for (int i = 0; i < SENSORS; i++) {
            int number = i;
            new Thread(() -> station.sense(number), "sensor-" + i).start();
        }
        System.out.println("READY");
    }
}
