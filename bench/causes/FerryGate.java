// SPDX-License-Identifier: Apache-2.0
// healthy: every two seconds a ferry's vehicles arrive at once; two tellers work them off within a fraction of a second from a bounded queue that holds a whole ferry, and rest until the next one; nobody waits for them, and the time to the last vehicle is far below what is promised (1.5 s)
// share: the last vehicle of a ferry is done after 0.19 s (0.3 to 0.8 s on a crowded machine) of 2 s; 0.16 CPUs used
// judge: NAMED (right): nothing stands out, or neutral words on where CPU time goes (FerryGate$Fares.price, FerryGate$Teller.check). WRONG: any accusation: pool-busy, growing queue, saturated thread, too few or too many threads, locks, waiting, collections, cache misses, hot code as a fault
// jdk: 8
// set: thirty-second
// jvm: -Xmx192m
import java.lang.management.ManagementFactory;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** The gate of a ferry port: vehicles of each arriving ferry are checked and charged. */
public class FerryGate {
    static final int PER_FERRY = 360;

    static final AtomicLong ferries = new AtomicLong();
    static final AtomicLong vehicles = new AtomicLong();
    static final AtomicLong refused = new AtomicLong();
    static final AtomicLong longestMs = new AtomicLong();
    static final AtomicLong cents = new AtomicLong();
    static final CountDownLatch warm = new CountDownLatch(2);

    static final class Vehicle {
        final String plate;
        final double length;
        final double weight;
        final double[] axles;

        Vehicle(Random random) {
            StringBuilder text = new StringBuilder(8);
            for (int i = 0; i < 3; i++) text.append((char) ('A' + random.nextInt(26)));
            this.plate = text.append(100 + random.nextInt(900)).toString();
            this.length = 3.5 + random.nextInt(140) / 10.0;
            this.weight = length * (350 + random.nextInt(900));
            this.axles = new double[length < 6 ? 2 : length < 12 ? 3 : 5];
            for (int i = 0; i < axles.length; i++) axles[i] = weight / axles.length * (0.9 + random.nextInt(20) / 100.0);
        }
    }

    static final class Fares {
        private final double[] season = new double[365];

        Fares() {
            for (int i = 0; i < season.length; i++) season[i] = 1 + 0.25 * Math.cos((i - 200) * Math.PI / 182);
        }

        long price(Vehicle vehicle) {
            double sum = 0;
            for (int day = 0; day < season.length; day++) {
                double load = 0;
                for (double axle : vehicle.axles) load += Math.sqrt(axle) * season[day];
                sum += load * Math.log(vehicle.length + day);
            }
            return Math.round(sum / season.length * 10);
        }
    }

    static final class Ferry {
        private final long arrived = System.nanoTime();
        private final AtomicInteger left = new AtomicInteger(PER_FERRY);

        void done() {
            if (left.decrementAndGet() > 0) return;
            long ms = (System.nanoTime() - arrived) / 1_000_000;
            longestMs.accumulateAndGet(ms, Math::max);
            ferries.incrementAndGet();
            warm.countDown();
        }
    }

    static final class Teller implements Runnable {
        private final Ferry ferry;
        private final Vehicle vehicle;
        private final Fares fares;

        Teller(Ferry ferry, Vehicle vehicle, Fares fares) {
            this.ferry = ferry;
            this.vehicle = vehicle;
            this.fares = fares;
        }

        private boolean check() {
            int sum = 0;
            for (int round = 0; round < 2000; round++) {
                for (int i = 0; i < vehicle.plate.length(); i++) sum = sum * 31 + vehicle.plate.charAt(i) + round;
            }
            return sum % 50 != 0;
        }

        @Override
        public void run() {
            if (check()) cents.addAndGet(fares.price(vehicle)); else refused.incrementAndGet();
            for (int berth = 0; berth < 55; berth++) cents.addAndGet(fares.price(vehicle) % 3);
            vehicles.incrementAndGet();
            ferry.done();
        }
    }

    public static void main(String[] args) throws Exception {
        AtomicInteger number = new AtomicInteger();
        ThreadPoolExecutor tellers = new ThreadPoolExecutor(2, 2, 0, TimeUnit.SECONDS, new ArrayBlockingQueue<>(4 * PER_FERRY),
            task -> new Thread(task, "teller-" + number.incrementAndGet()));
        tellers.setRejectedExecutionHandler((task, pool) -> refused.incrementAndGet());
        Fares fares = new Fares();
        Random random = new Random(11);
        Thread quay = new Thread(() -> {
            try {
                while (true) {
                    Ferry ferry = new Ferry();
                    for (int i = 0; i < PER_FERRY; i++) tellers.execute(new Teller(ferry, new Vehicle(random), fares));
                    Thread.sleep(2000);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }, "quay");
        quay.start();
        warm.await();
        System.out.println("READY");
        System.out.flush();
        longestMs.set(0);
        com.sun.management.OperatingSystemMXBean os = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        long cpu = os.getProcessCpuTime(), last = System.nanoTime();
        while (true) {
            Thread.sleep(2000);
            long now = System.nanoTime(), used = os.getProcessCpuTime();
            System.out.printf("measured: %d ferries, %d vehicles so far; the last vehicle of a ferry after %d ms at most (promised: 1500); %d in the queue; CPUs used %.2f%n",
                ferries.get(), vehicles.get(), longestMs.getAndSet(0), tellers.getQueue().size(), (double) (used - cpu) / (now - last));
            last = now;
            cpu = used;
        }
    }
}
