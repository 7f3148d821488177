// SPDX-License-Identifier: Apache-2.0
// cause: the silo ledger's ReentrantLock is created fair (GrainElevator.<init>), and GrainElevator.post takes it for a very short section thousands of times a second from 10 threads: every hand-over parks one thread and wakes the next (lock convoy).
// share: nearly all of the throughput; 18600 weighings/s against 4540000/s with -Dfixed=true (ratio over 200; about 76 on a heavily loaded machine)
// judge: must say that the fair ReentrantLock (fairness / strict hand-over / convoy of parks and wake-ups) used in GrainElevator.post is the cause. "Contended lock in post, critical section too long" is only a symptom (the section is about a microsecond); context switches alone are only a symptom.
// expect: waiting frame=GrainElevator.post handed=0
// symptom: waiting
// set: twentieth
// jdk: 8
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

public class GrainElevator {
    static final String[] CROPS = {"wheat", "barley", "rye", "oats", "maize", "rapeseed"};

    static final class Silo {
        long kilos;
        long deliveries;
        double moisture;
    }

    final Lock ledger;
    final Silo[] silos = new Silo[48];
    final AtomicLong posted = new AtomicLong();

    GrainElevator(boolean ordered) {
        ledger = new ReentrantLock(ordered);
        for (int i = 0; i < silos.length; i++) {
            silos[i] = new Silo();
        }
    }

    static double dryMatter(int kilos, double moisture, int crop) {
        double shrink = 1.0;
        for (int i = 0; i < 60; i++) {
            shrink = shrink * 0.999 + Math.sqrt(moisture + i) * 0.0001;
        }
        return kilos * shrink * (1.0 - moisture / 100.0) + CROPS[crop].length();
    }

    void post(int silo, int kilos, double moisture) {
        ledger.lock();
        try {
            Silo s = silos[silo];
            s.moisture = (s.moisture * s.deliveries + moisture) / (s.deliveries + 1);
            s.deliveries++;
            s.kilos += kilos;
        } finally {
            ledger.unlock();
        }
    }

    void weighbridge() {
        ThreadLocalRandom r = ThreadLocalRandom.current();
        while (true) {
            int crop = r.nextInt(CROPS.length);
            int kilos = 4000 + r.nextInt(21000);
            double moisture = 11 + r.nextDouble() * 8;
            double dry = dryMatter(kilos, moisture, crop);
            post(r.nextInt(silos.length), (int) dry, moisture);
            posted.incrementAndGet();
        }
    }

    public static void main(String[] args) throws Exception {
        final GrainElevator house = new GrainElevator(!Boolean.getBoolean("fixed"));
        for (int i = 0; i < 10; i++) {
            Thread t = new Thread(new Runnable() {
                @Override
                public void run() {
                    house.weighbridge();
                }
            }, "weighbridge-" + i);
            t.setDaemon(true);
            t.start();
        }
        System.out.println("READY");
        long last = 0;
        for (int s = 0; s < 240; s++) {
            Thread.sleep(1000);
            long now = house.posted.get();
            System.out.println("measured: " + (now - last) + " weighings/s");
            last = now;
        }
    }
}
