// SPDX-License-Identifier: Apache-2.0
// cause: HarbourFeed$Desk.handlerFor looks for the handler of each event by the name of its class (ClassLoader.loadClass of "...Handler" for the class, its superclasses and interfaces), two of three times for classes that are not there, anew for each event; what was found, or not, is not remembered
// share: over 85 % of the dispatch time, and of CPU time, is loadClass that finds nothing (one or two times for each event), or a class that is loaded already (once); 0.3 to 0.4 CPUs
// expect: hot-code what=classes_by_name frame=HarbourFeed$Desk
// symptom: hot-code hot-calls
// judge: NAMED: looking up classes by name (for Desk.handlerFor, or Desk.find, which it calls), or the ClassNotFoundExceptions and searches of the class path made there by loadClass. SYMPTOM ONLY: exceptions, file system calls (stat), hot calls or hot methods in Desk.find/handlerFor/dispatch without saying that classes are looked up. WRONG: all else accused, class loading or unloading as if many classes were defined, waiting, locks of class loaders without the lookup, or nothing found.
// jdk: 11
// set: thirty-third
// jvm: -Xmx256m
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class HarbourFeed {

    interface Billable { int tonnes(); }
    interface Handler { void handle(Event event, Ledger ledger); }

    static class Event {
        final String vessel;
        final long at = System.nanoTime();
        Event(String vessel) { this.vessel = vessel; }
    }

    static class VesselEvent extends Event {
        VesselEvent(String vessel) { super(vessel); }
    }

    static class BerthEvent extends VesselEvent {
        final int berth;
        BerthEvent(String vessel, int berth) { super(vessel); this.berth = berth; }
    }

    static class Arrival extends BerthEvent {
        Arrival(String vessel, int berth) { super(vessel, berth); }
    }

    static class Departure extends BerthEvent {
        Departure(String vessel, int berth) { super(vessel, berth); }
    }

    static class Discharge extends BerthEvent implements Billable {
        final int tonnes;
        Discharge(String vessel, int berth, int tonnes) { super(vessel, berth); this.tonnes = tonnes; }
        @Override public int tonnes() { return tonnes; }
    }

    /** All that is moored, until something more specific is needed. */
    public static final class VesselEventHandler implements Handler {
        public VesselEventHandler() { }

        @Override
        public void handle(Event event, Ledger ledger) {
            ledger.note(event.vessel, event.getClass().getSimpleName());
        }
    }

    public static final class BillableHandler implements Handler {
        public BillableHandler() { }

        @Override
        public void handle(Event event, Ledger ledger) {
            int tonnes = ((Billable) event).tonnes();
            long fee = 1200;
            for (int step = 1; step <= 10; step++)
                fee += (long) Math.min(tonnes, step * 500) * (120 - 7 * step) / 100;
            ledger.charge(event.vessel, fee);
        }
    }

    static final class Ledger {
        private final Map<String, AtomicLong> fees = new ConcurrentHashMap<>();
        private final Map<String, String> last = new ConcurrentHashMap<>();

        void charge(String vessel, long fee) { fees.computeIfAbsent(vessel, v -> new AtomicLong()).addAndGet(fee); }
        void note(String vessel, String what) { last.put(vessel, what); }
    }

    static final class Desk {
        private final ClassLoader loader = HarbourFeed.class.getClassLoader();
        private final Map<Class<?>, Handler> instances = new ConcurrentHashMap<>();
        private final Ledger ledger = new Ledger();
        final AtomicLong events = new AtomicLong(), finding = new AtomicLong(), total = new AtomicLong();

        private Class<?> find(Class<?> type) {
            try {
                return loader.loadClass(type.getName() + "Handler");
            } catch (ClassNotFoundException e) {
                return null;
            }
        }

        private Handler handlerFor(Class<?> type) {
            Class<?> found = null;
            for (Class<?> c = type; c != Object.class && found == null; c = c.getSuperclass()) {
                found = find(c);
                for (Class<?> i : c.getInterfaces())
                    if (found == null)
                        found = find(i);
            }
            if (found == null)
                throw new IllegalStateException("no handler of " + type);
            return instances.computeIfAbsent(found, f -> {
                try {
                    return (Handler) f.getDeclaredConstructor().newInstance();
                } catch (ReflectiveOperationException e) {
                    throw new IllegalStateException(e);
                }
            });
        }

        void dispatch(Event event) {
            long t0 = System.nanoTime();
            Handler handler = handlerFor(event.getClass());
            long t1 = System.nanoTime();
            handler.handle(event, ledger);
            events.incrementAndGet();
            finding.addAndGet(t1 - t0);
            total.addAndGet(System.nanoTime() - t0);
        }
    }

    static final class Quay implements Runnable {
        final Desk desk;
        final Random random;

        Quay(int id, Desk desk) {
            this.desk = desk;
            random = new Random(id);
        }

        @Override
        public void run() {
            for (int i = 0; i < 130; i++) {
                String vessel = "IMO" + (9100000 + random.nextInt(800));
                int berth = random.nextInt(40);
                switch (random.nextInt(5)) {
                    case 0: desk.dispatch(new Arrival(vessel, berth)); break;
                    case 1: desk.dispatch(new Departure(vessel, berth)); break;
                    case 2: desk.dispatch(new Discharge(vessel, berth, random.nextInt(9000))); break;
                    default: desk.dispatch(new BerthEvent(vessel, berth));
                }
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Desk desk = new Desk();
        AtomicInteger n = new AtomicInteger();
        ScheduledExecutorService feed = Executors.newScheduledThreadPool(3, r -> {
            Thread t = new Thread(r, "quay-" + n.incrementAndGet());
            t.setDaemon(true);
            return t;
        });
        for (int i = 0; i < 3; i++)
            feed.scheduleWithFixedDelay(new Quay(i, desk), 3 * i, 10, TimeUnit.MILLISECONDS);
        for (int second = 1;; second++) {
            Thread.sleep(1000);
            long e = desk.events.getAndSet(0), f = desk.finding.getAndSet(0), t = desk.total.getAndSet(0);
            System.out.printf("measured: %d events, %.1f us each, %.1f %% of it to find the handler, %.2f s a second%n",
                e, e == 0 ? 0 : t / 1e3 / e, t == 0 ? 0 : 100.0 * f / t, f / 1e9);
            if (second == 3) {
                System.out.println("READY");
                System.out.flush();
            }
        }
    }
}
