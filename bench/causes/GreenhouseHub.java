// SPDX-License-Identifier: Apache-2.0
// cause: the virtual threads have one carrier only (-Djdk.virtualThreadScheduler.parallelism=1), and GreenhouseHub$ClimateModel.forecast (relax) computes on it for 100 ms and more at a time: the virtual threads of the sensors (GreenhouseHub$Sensor.run) could run, but wait for the carrier, while the second CPU is free
// share: the only carrier computes all the time; the readings of 80 sensors, due every 30 ms, come 135 to 300 ms late; less than one of 2 CPUs is used
// expect: waiting kind=carrier frame=GreenhouseHub$ | unstarted-threads
// symptom: hot-method hot-calls
// judge: NAMED: virtual threads wait for a carrier (at GreenhouseHub$Sensor.run, also House.run), as the one carrier is taken by GreenhouseHub$ClimateModel.forecast or relax; or the option parallelism=1 as what leaves them only one carrier. SYMPTOM ONLY: computing in ClimateModel.relax (hot-method) without a word of who waits for the carrier. WRONG: Thread.sleep in Sensor.run or House.run, pinned threads (there are none), locks or ConcurrentHashMap of Board, collections, too many threads; lack of CPUs as the main thing (true in part on a crowded machine, but one CPU is free otherwise)
// jdk: 21
// set: thirty-fifth
// jvm: -Djdk.virtualThreadScheduler.parallelism=1
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.LongAdder;

/** Reads the sensors of greenhouses, and forecasts how warm it will be in each of them. */
public class GreenhouseHub {
    record Reading(int sensor, double celsius, double humidity, long at) { }

    /** What was read last, by sensor. */
    static final class Board {
        private final ConcurrentHashMap<Integer, Reading> latest = new ConcurrentHashMap<>();
        private final ConcurrentHashMap<String, Double> forecasts = new ConcurrentHashMap<>();
        final LongAdder readings = new LongAdder();
        final LongAdder lateNanos = new LongAdder();
        final LongAdder alarms = new LongAdder();

        void note(Reading reading, long late) {
            latest.put(reading.sensor(), reading);
            readings.increment();
            lateNanos.add(late);
            if (reading.celsius() > 37.5) {
                alarms.increment();
            }
        }

        double celsius(int sensor) {
            Reading reading = latest.get(sensor);
            return reading == null ? 20 : reading.celsius();
        }

        void forecast(String house, double celsius) {
            forecasts.put(house, celsius);
        }
    }

    static final class Sensor implements Runnable {
        static final long INTERVAL = 30_000_000L;
        private final int number;
        private final Board board;
        private double celsius = 22;
        private long state;

        Sensor(int number, Board board) {
            this.number = number;
            this.board = board;
            this.state = number * 7919L + 3;
        }

        @Override
        public void run() {
            try {
                for (;;) {
                    long due = System.nanoTime() + INTERVAL;
                    Thread.sleep(30);
                    long late = Math.max(0, System.nanoTime() - due);
                    board.note(read(), late);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private Reading read() {
            state = state * 6364136223846793005L + 1442695040888963407L;
            double noise = ((state >>> 33) % 1000) / 1000.0 - 0.5;
            celsius = Math.max(5, Math.min(40, celsius + noise));
            return new Reading(number, celsius, 60 + 10 * noise, System.nanoTime());
        }
    }

    /** Spreads the heat of a house over a grid of its floor, hour by hour. */
    static final class ClimateModel {
        private static final int SIDE = 160;

        double forecast(Board board, int firstSensor, int sensors) {
            double[][] now = new double[SIDE][SIDE];
            double[][] next = new double[SIDE][SIDE];
            for (int s = 0; s < sensors; s++) {
                now[(s * 37 + 11) % SIDE][(s * 53 + 29) % SIDE] = board.celsius(firstSensor + s) * 40;
            }
            for (int step = 0; step < 3900; step++) {
                relax(now, next);
                double[][] swap = now;
                now = next;
                next = swap;
            }
            return mean(now);
        }

        private void relax(double[][] now, double[][] next) {
            for (int y = 1; y < SIDE - 1; y++) {
                for (int x = 1; x < SIDE - 1; x++) {
                    double around = now[y - 1][x] + now[y + 1][x] + now[y][x - 1] + now[y][x + 1];
                    next[y][x] = now[y][x] + 0.2 * (around - 4 * now[y][x]) + 0.0005;
                }
            }
        }

        private double mean(double[][] grid) {
            double sum = 0;
            for (double[] row : grid) {
                for (double celsius : row) {
                    sum += celsius;
                }
            }
            return sum / SIDE / SIDE;
        }
    }

    /** One greenhouse, whose forecast is made anew again and again. */
    static final class House implements Runnable {
        private final String name;
        private final int firstSensor;
        private final Board board;
        private final LongAdder forecasts;
        private final ClimateModel model = new ClimateModel();

        House(String name, int firstSensor, Board board, LongAdder forecasts) {
            this.name = name;
            this.firstSensor = firstSensor;
            this.board = board;
            this.forecasts = forecasts;
        }

        @Override
        public void run() {
            try {
                for (;;) {
                    board.forecast(name, model.forecast(board, firstSensor, 20));
                    forecasts.increment();
                    Thread.sleep(200);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Board board = new Board();
        LongAdder forecasts = new LongAdder();
        List<String> houses = List.of("tomatoes", "orchids", "cucumbers", "seedlings");
        ExecutorService tasks = Executors.newVirtualThreadPerTaskExecutor();
        List<Sensor> sensors = new ArrayList<>();
        for (int i = 0; i < 80; i++) {
            sensors.add(new Sensor(i, board));
        }
        sensors.forEach(tasks::submit);
        for (int h = 0; h < houses.size(); h++) {
            tasks.submit(new House(houses.get(h), h * 20, board, forecasts));
        }
        Thread.sleep(3000);
        System.out.println("READY");
        System.out.flush();
        var os = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        long cpu = os.getProcessCpuTime(), readings = board.readings.sum(), late = board.lateNanos.sum(), made = forecasts.sum(), at = System.nanoTime();
        for (;;) {
            Thread.sleep(1000);
            long cpu2 = os.getProcessCpuTime(), readings2 = board.readings.sum(), late2 = board.lateNanos.sum(), made2 = forecasts.sum(), at2 = System.nanoTime();
            System.out.printf("measured: %d readings of 80 sensors that are due every 30 ms, %.0f ms late each (no carrier); %d forecasts; %.2f CPUs used of %d%n",
                readings2 - readings, (late2 - late) / 1e6 / Math.max(1, readings2 - readings), made2 - made,
                (double) (cpu2 - cpu) / (at2 - at), Runtime.getRuntime().availableProcessors());
            cpu = cpu2;
            readings = readings2;
            late = late2;
            made = made2;
            at = at2;
        }
    }
}
