// SPDX-License-Identifier: Apache-2.0
// cause: whether the machine has room is read from the operating system for every call: AdmissionDesk.admits
// share: 99 % of a call is admits()
// expect: hot-method frame=AdmissionDesk.admits | hot-method caller=AdmissionDesk.admits | hot-calls frame=AdmissionDesk.admits | hot-calls caller=AdmissionDesk.admits | hot-code frame=AdmissionDesk.admits | endpoint-cpu frame=AdmissionDesk.admits
// judge: right is what names admits() or the OperatingSystemMXBean called by it
// symptom: hot-method hot-calls hot-code
// jdk: 21
// set: tenth
import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.LongAdder;

/** Calls are routed to agents; under heavy load those of guests are refused. */
public final class AdmissionDesk {
    private static final LongAdder ADMITTING = new LongAdder();
    private static final LongAdder ALL = new LongAdder();
    private static final LongAdder CALLS = new LongAdder();
    private static final long MEGABYTE = 1 << 20;

    private record Call(long number, boolean guest, String from) {
    }

    private final OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private final BlockingQueue<Call> calls = new ArrayBlockingQueue<>(64);
    private final Deque<String> recent = new ArrayDeque<>();

    private boolean admits(Call call) {
        double load = system.getCpuLoad();
        long free = system.getFreeMemorySize();
        return !call.guest() || load < 0.98 && free > 10 * MEGABYTE;
    }

    private int agent(Call call) {
        int hash = 17;
        for (int i = 0; i < call.from().length(); i++) {
            hash = hash * 31 + call.from().charAt(i);
        }
        synchronized (recent) {
            recent.addLast(call.from());
            if (recent.size() > 100) {
                recent.removeFirst();
            }
        }
        return Math.floorMod(hash, 12);
    }

    private void work() {
        long[] perAgent = new long[12];
        try {
            for (;;) {
                Call call = calls.take();
                long start = System.nanoTime();
                boolean admitted = admits(call);
                ADMITTING.add(System.nanoTime() - start);
                if (admitted) {
                    perAgent[agent(call)]++;
                }
                ALL.add(System.nanoTime() - start);
                CALLS.increment();
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void ring(int exchange) {
        try {
            for (long number = exchange;; number += 2) {
                calls.put(new Call(number, number % 7 == 0, "+49 40 " + number % 100_003));
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        AdmissionDesk desk = new AdmissionDesk();
        for (int i = 0; i < 2; i++) {
            int exchange = i;
            new Thread(() -> desk.ring(exchange), "exchange-" + i).start();
            new Thread(desk::work, "desk-" + i).start();
        }
        System.out.println("READY");
        for (;;) {
            Thread.sleep(1000);
            long all = ALL.sumThenReset();
            System.out.println("measured: " + 100 * ADMITTING.sumThenReset() / (all + 1) + " % of a call is admits(), "
                    + all / (CALLS.sumThenReset() + 1) / 1000 + " us a call");
        }
    }
}
