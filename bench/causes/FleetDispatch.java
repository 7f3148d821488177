// SPDX-License-Identifier: Apache-2.0
// cause: timeouts of answered requests stay in the DelayQueue until due (2.5 s), hold the requests: heap full, GC
// expect: gc-pauses holder=FleetDispatch$Timeout | allocation-stall holder=FleetDispatch$Timeout | gc-cpu holder=FleetDispatch$Timeout
// symptom: allocation-stall gc-pauses gc-cpu promotion live-set
// share: mean 4-5 ms, 8-10% above 20 ms, against 0.1 ms, 0% fixed; full GC of 60-80 ms every 0.6 s
// judge: right: FleetDispatch$Timeouts/Timeout: cancelled timeouts stay in the DelayQueue and retain their Requests
// judge: symptom: much GC, heap nearly full, Requests/HashMap nodes retained, long pauses, without timeouts' queue
// judge: wrong: heap too small as such, allocation in answer()/encode() as cause, routes, lock contention, SerialGC
// jvm: -Xmx64m -XX:+UseSerialGC
// jdk: 25
// set: fourteenth
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/** Dispatch of vehicles: position reports come in at a fixed rate and are answered with the next leg. */
public class FleetDispatch {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final int RATE = Integer.getInteger("rate", 5000);
    static final int BUS = 8 * Integer.getInteger("bus", 24);
    static final String[] NAMES = new String[64];
    static final LongAdder answered = new LongAdder();
    static final LongAdder totalNanos = new LongAdder();
    static final LongAdder slow = new LongAdder();
    static final LongAdder timedOut = new LongAdder();

    static final class Request {
        final int vehicle;
        final byte[] body;
        final Map<String, String> readings;
        final long due;
        final CompletableFuture<String> answer = new CompletableFuture<>();
        Timeout timeout;

        Request(int vehicle, byte[] body, long due) {
            this.vehicle = vehicle;
            this.body = body;
            this.readings = readings(body);
            this.due = due;
        }
    }

    static final class Timeout implements Delayed {
        private final long at = System.nanoTime() + 2_500_000_000L;
        private volatile Request request;
        private volatile boolean cancelled;

        Timeout(Request request) {
            this.request = request;
        }

        void cancel() {
            cancelled = true;
            if (FIXED) request = null;
        }

        @Override public long getDelay(TimeUnit unit) {
            return unit.convert(at - System.nanoTime(), TimeUnit.NANOSECONDS);
        }

        @Override public int compareTo(Delayed o) {
            return Long.compare(at, ((Timeout) o).at);
        }
    }

    static final class Timeouts implements Runnable {
        private final DelayQueue<Timeout> queue = new DelayQueue<>();

        void watch(Request r) {
            r.timeout = new Timeout(r);
            queue.add(r.timeout);
        }

        @Override public void run() {
            try {
                while (true) {
                    Timeout t = queue.take();
                    if (t.cancelled) continue;
                    if (t.request.answer.complete("timeout of " + t.request.vehicle)) timedOut.increment();
                }
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    static final Timeouts timeouts = new Timeouts();
    static final BlockingQueue<Request> work = new ArrayBlockingQueue<>(2000);
    static final float[][] routes = new float[256][512];

    /** A report: the last positions, and the readings of the vehicle's bus since the report before. */
    static byte[] encode(int vehicle) {
        ThreadLocalRandom r = ThreadLocalRandom.current();
        ByteBuffer b = ByteBuffer.allocate(4 + 20 * 8 + BUS);
        b.putInt(vehicle);
        for (int i = 0; i < 20; i++) b.putFloat(48 + r.nextFloat()).putFloat(11 + r.nextFloat());
        while (b.hasRemaining()) b.putLong(r.nextLong());
        return b.array();
    }

    static Map<String, String> readings(byte[] body) {
        ByteBuffer b = ByteBuffer.wrap(body, 164, BUS);
        Map<String, String> m = new HashMap<>();
        for (int i = 0; b.hasRemaining(); i++) m.put(NAMES[i], Long.toHexString(b.getLong()));
        return m;
    }

    static String answer(Request r) {
        ByteBuffer b = ByteBuffer.wrap(r.body);
        int vehicle = b.getInt();
        float[] route = routes[vehicle & 255];
        StringBuilder legs = new StringBuilder();
        float distance = 0;
        float x = b.getFloat();
        float y = b.getFloat();
        for (int i = 1; i < 20; i++) {
            float nextX = b.getFloat();
            float nextY = b.getFloat();
            distance += (float) Math.hypot(nextX - x, nextY - y);
            legs.append("leg ").append(i).append(" to ").append(nextX).append(' ').append(nextY).append(", ");
            x = nextX;
            y = nextY;
        }
        int faults = 0;
        for (String reading : r.readings.values()) if (reading.endsWith("f0f")) faults++;
        route[vehicle & 511] = distance;
        return legs.append((int) distance).append(" km").append(faults > 1 ? ", service soon" : "").toString();
    }

    static void dispatcher() {
        try {
            while (true) {
                Request r = work.take();
                r.answer.complete(answer(r));
                r.timeout.cancel();
                long n = System.nanoTime() - r.due;
                totalNanos.add(n);
                answered.increment();
                if (n > 20_000_000) slow.increment();
            }
        } catch (InterruptedException e) {
            return;
        }
    }

    static void vehicles() {
        long step = 1_000_000_000L / RATE;
        ThreadLocalRandom r = ThreadLocalRandom.current();
        try {
            for (long due = System.nanoTime(); ; due += step) {
                long early = due - System.nanoTime();
                if (early > 0) LockSupport.parkNanos(early);
                if (early < -2_000_000_000L) due = System.nanoTime();
                int vehicle = r.nextInt(100_000);
                Request q = new Request(vehicle, encode(vehicle), due);
                timeouts.watch(q);
                work.put(q);
            }
        } catch (InterruptedException e) {
            return;
        }
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < NAMES.length; i++) NAMES[i] = "bus." + i;
        for (int i = 0; i < 2; i++) {
            Thread.ofPlatform().daemon().name("dispatcher-" + i).start(FleetDispatch::dispatcher);
        }
        Thread.ofPlatform().daemon().name("request-timeouts").start(timeouts);
        Thread.ofPlatform().daemon().name("vehicles").start(FleetDispatch::vehicles);
        System.out.println("READY");
        while (true) {
            Thread.sleep(1000);
            long n = answered.sumThenReset();
            System.out.printf("measured: %d requests/s, mean %.2f ms, %.1f%% above 20 ms, %d timed out, %d MB used%n",
                    n, totalNanos.sumThenReset() / 1e6 / Math.max(1, n), 100.0 * slow.sumThenReset() / Math.max(1, n),
                    timedOut.sum(), (Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory()) >> 20);
        }
    }
}
