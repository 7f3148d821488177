// SPDX-License-Identifier: Apache-2.0
// healthy: fifteen hundred virtual threads sleep nearly all the time and share eight modem lines by a semaphore, but every meter is due only every five seconds, the lines are used less than half, and meters are read within milliseconds of their due time.
// share: measures e.g. "300 meters/s, answered on average 8.3 ms after due, at most 10.6 ms"
// judge: Right is: no fault (threads sleep until their due time by design; lines not exhausted; lateness small); naming Thread.sleep, the semaphore in ModemRack, the number of threads or the idle CPU as a fault is wrong.
// set: twenty-first
// jdk: 21
import java.time.Duration;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

/** District heating: every meter is read over a modem line once in five seconds, as the contract says. */
public class HeatMeterRounds {
    static final int METERS = 1500;
    static final Duration ROUND = Duration.ofSeconds(5);
    static final LongAdder READ = new LongAdder();
    static final LongAdder LATE_NANOS = new LongAdder();
    static final AtomicLong LATEST = new AtomicLong();

    sealed interface Telegram permits Consumption, Fault { }

    record Consumption(int meter, long kilowattHours, int supplyDeci, int returnDeci) implements Telegram { }

    record Fault(int meter, String code) implements Telegram { }

    /** The modem lines to the streets; a meter answers within ten milliseconds. */
    static final class ModemRack {
        private final Semaphore lines = new Semaphore(8, true);

        Telegram ask(int meter) throws InterruptedException {
            lines.acquire();
            try {
                Thread.sleep(6 + meter % 5);
                var r = ThreadLocalRandom.current();
                if (r.nextInt(400) == 0) {
                    return new Fault(meter, "E" + r.nextInt(9));
                }
                return new Consumption(meter, r.nextLong(90_000), 650 + r.nextInt(200), 380 + r.nextInt(90));
            } finally {
                lines.release();
            }
        }
    }

    /** Last values of all meters. */
    static final class Station {
        private final AtomicReferenceArray<Telegram> last = new AtomicReferenceArray<>(METERS);
        private final LongAdder faults = new LongAdder();
        private final DoubleAdder spread = new DoubleAdder();

        void note(Telegram telegram) {
            switch (telegram) {
                case Consumption(int meter, long kwh, int supply, int back) -> {
                    last.set(meter, telegram);
                    spread.add((supply - back) / 10.0);
                }
                case Fault f -> faults.increment();
            }
        }
    }

    static void attend(int meter, long start, ModemRack rack, Station station) {
        long due = start + ROUND.toNanos() * meter / METERS;
        try {
            while (true) {
                long wait = due - System.nanoTime();
                if (wait > 0) {
                    Thread.sleep(Duration.ofNanos(wait));
                }
                long asked = System.nanoTime();
                Telegram telegram = rack.ask(meter);
                station.note(telegram);
                long late = System.nanoTime() - due;
                READ.increment();
                LATE_NANOS.add(late);
                LATEST.accumulateAndGet(late, Math::max);
                due += ROUND.toNanos();
                if (asked > due) {
                    due = asked;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws Exception {
        var rack = new ModemRack();
        var station = new Station();
        long start = System.nanoTime() + 500_000_000L;
        var rounds = Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("meter-", 0).factory());
        for (int i = 0; i < METERS; i++) {
            int meter = i;
            rounds.execute(() -> attend(meter, start, rack, station));
        }
        Thread.sleep(3000);
        System.out.println("READY");
        READ.sumThenReset();
        LATE_NANOS.sumThenReset();
        LATEST.set(0);
        for (int s = 0; s < 240; s++) {
            Thread.sleep(1000);
            long n = READ.sumThenReset();
            long ns = LATE_NANOS.sumThenReset();
            System.out.printf("measured: %d meters/s, answered on average %.1f ms after due, at most %.1f ms%n", n,
                n == 0 ? 0.0 : ns / 1e6 / n, LATEST.getAndSet(0) / 1e6);
        }
        System.exit(0);
    }
}
