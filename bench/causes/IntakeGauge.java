// SPDX-License-Identifier: Apache-2.0
// cause: before each offer the size of a ConcurrentLinkedQueue is asked, which counts its elements: IntakeGauge.offer
// expect: hot-method frame=IntakeGauge.offer | hot-method caller=IntakeGauge.offer | hot-calls frame=IntakeGauge.offer | hot-code frame=IntakeGauge.offer | endpoint-cpu frame=IntakeGauge.offer
// symptom: hot-method hot-calls hot-code
// jdk: 11
// set: ninth
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;

/** Events are stored in batches; if 50000 wait, more are refused. */
public final class IntakeGauge {
    private static final int LIMIT = 50_000;
    private static final LongAdder OFFERING = new LongAdder();
    private static final LongAdder ALL = new LongAdder();
    private static volatile long stored;
    private static volatile int waiting;

    private final ConcurrentLinkedQueue<String> events = new ConcurrentLinkedQueue<>();

    private boolean offer(String event) {
        if (events.size() >= LIMIT) {
            return false;
        }
        return events.offer(event);
    }

    private void receive(int sensor) {
        try {
            for (int i = 0;; i++) {
                long start = System.nanoTime();
                String event = "sensor-" + sensor + "," + i % 100_000 + "," + i * 37 % 1000;
                long parsed = System.nanoTime();
                boolean accepted = offer(event);
                long end = System.nanoTime();
                OFFERING.add(end - parsed);
                ALL.add(end - start);
                if (!accepted || i % 500 == 0) {
                    Thread.sleep(1);
                }
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void store() {
        try {
            for (;;) {
                Thread.sleep(100);
                int batch = 0;
                long sum = 0;
                for (String event = events.poll(); event != null; event = events.poll()) {
                    sum += event.length();
                    if (++batch == 10_000) {
                        break;
                    }
                }
                stored += sum;
                waiting = batch;
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        IntakeGauge intake = new IntakeGauge();
        for (int i = 0; i < 3; i++) {
            int sensor = i;
            new Thread(() -> intake.receive(sensor), "receive-" + i).start();
        }
        new Thread(intake::store, "store").start();
        System.out.println("READY");
        for (;;) {
            Thread.sleep(1000);
            System.out.println("measured: " + 100 * OFFERING.sum() / (ALL.sum() + 1) + " % of an event is offer(), "
                    + waiting + " events in a batch");
        }
    }
}
