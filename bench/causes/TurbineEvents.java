// SPDX-License-Identifier: Apache-2.0
// cause: the window of recent events is a ConcurrentLinkedQueue whose size() is asked for every event; size() walks all of the 20000 linked nodes each time
// share: without: about 4,500-8,600 events/s; fixed: about 1,700,000 events/s (over 200 times)
// expect: hot-code callee=ConcurrentLinkedQueue.size
// symptom: hot-code hot-method hot-calls
// judge: right = names ConcurrentLinkedQueue.size() called in Window.add for every event (O(n) walk); only symptom = "CPU busy in Window.add / succ / first" without size, "cache misses", "event allocation", "GC"
// set: twenty-first
// jdk: 25
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

public class TurbineEvents {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final long RUN_MILLIS = 220_000L;
    static final int KEEP = 20_000;

    enum Kind { PITCH, YAW, BRAKE, GRID, WIND }

    record Event(int turbine, Kind kind, long at, double value) {
        static Event parse(String line) {
            String[] f = line.split(",");
            return new Event(Integer.parseInt(f[0]), Kind.valueOf(f[1]), Long.parseLong(f[2]), Double.parseDouble(f[3]));
        }
    }

    /** The latest events of the park, for the operators' screens; written by the feeds, read by the screens. */
    static final class Window {
        private final Queue<Event> recent = new ConcurrentLinkedQueue<>();
        private final AtomicInteger held = new AtomicInteger();

        void add(Event event) {
            recent.add(event);
            if (FIXED) {
                if (held.incrementAndGet() > KEEP && recent.poll() != null) {
                    held.decrementAndGet();
                }
            } else {
                while (recent.size() > KEEP) {
                    recent.poll();
                }
            }
        }

        double[] meanByKind() {
            double[] sum = new double[Kind.values().length];
            int[] count = new int[sum.length];
            for (Event e : recent) {
                sum[e.kind().ordinal()] += e.value();
                count[e.kind().ordinal()]++;
            }
            for (int i = 0; i < sum.length; i++) {
                sum[i] = count[i] == 0 ? 0 : sum[i] / count[i];
            }
            return sum;
        }
    }

    static final class Feed implements Runnable {
        private final int first;
        private final Window window;
        private final LongAdder taken;
        private final ConcurrentHashMap<Integer, Event> lastOf;

        Feed(int first, Window window, LongAdder taken, ConcurrentHashMap<Integer, Event> lastOf) {
            this.first = first;
            this.window = window;
            this.taken = taken;
            this.lastOf = lastOf;
        }

        @Override
        public void run() {
            Kind[] kinds = Kind.values();
            for (long n = 0; !Thread.currentThread().isInterrupted(); n++) {
                String line = (first + n % 80) + "," + kinds[(int) (n % kinds.length)] + "," + n + "," + (n % 997) / 10.0;
                Event event = Event.parse(line);
                lastOf.put(event.turbine(), event);
                window.add(event);
                taken.increment();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Window window = new Window();
        LongAdder taken = new LongAdder();
        ConcurrentHashMap<Integer, Event> lastOf = new ConcurrentHashMap<>();
        Thread.ofPlatform().daemon().name("feed-north").start(new Feed(0, window, taken, lastOf));
        ScheduledExecutorService screens = Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().name("screens").factory());
        double[][] shown = new double[1][];
        screens.scheduleAtFixedRate(() -> shown[0] = window.meanByKind(), 500, 500, TimeUnit.MILLISECONDS);
        while (taken.sum() < KEEP * 5 / 4) {
            Thread.sleep(100);
        }
        Thread.sleep(1500);
        System.out.println("READY");
        long end = System.currentTimeMillis() + RUN_MILLIS;
        long last = taken.sum();
        while (System.currentTimeMillis() < end) {
            Thread.sleep(1000);
            long n = taken.sum();
            System.out.printf("measured: %d events/s from %d turbines%n", n - last, lastOf.size());
            last = n;
        }
    }
}
