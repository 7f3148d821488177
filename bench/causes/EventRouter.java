// SPDX-License-Identifier: Apache-2.0
// cause: Class.forName for an optional handler class that does not exist fails anew for each event, never remembered
// expect: hot-code kind=class-loading frame=EventRouter | hot-code kind=class-lookup frame=EventRouter
// symptom: hot-method hot-calls hot-code
// share: 93 % of the workers time; 300,000 events/s, 7 us; fixed 1,800,000 events/s, 0.5 us
// judge: right: EventRouter.handler calls Class.forName per event; ClassNotFoundException again and again (no cache)
// judge: symptom: CPU in class loading, ClassNotFoundException/fillInStackTrace; workers block at class loading lock
// judge: wrong: parsing of events, queue between reader and workers, GC, the handlers' work, too few workers
// jdk: 17
// set: fourteenth
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

/** Webhook receiver: parses events of partners and hands them to the handler of their type. */
public class EventRouter {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final int WORKERS = 3;

    interface Handler {
        long handle(Map<String, String> event);
    }

    /** Handlers of a type live in a class by the type's name, e.g. EventRouter$Refund. */
    public static class Refund implements Handler {
        @Override public long handle(Map<String, String> e) {
            return -Long.parseLong(e.get("cents"));
        }
    }

    public static class Charge implements Handler {
        @Override public long handle(Map<String, String> e) {
            return Long.parseLong(e.get("cents")) * 97 / 100;
        }
    }

    /** For all types without a class of their own. */
    static class Generic implements Handler {
        @Override public long handle(Map<String, String> e) {
            long sum = 0;
            for (Map.Entry<String, String> x : e.entrySet()) sum += x.getKey().hashCode() ^ x.getValue().hashCode();
            return sum & 0xff;
        }
    }

    private final Handler generic = new Generic();
    private final Map<String, Handler> known = new ConcurrentHashMap<>();
    private final BlockingQueue<String> inbox = new ArrayBlockingQueue<>(256);
    final LongAdder lookup = new LongAdder(), done = new LongAdder(), nanos = new LongAdder();
    private final LongAdder total = new LongAdder();

    private Handler handler(String type) {
        long t = System.nanoTime();
        try {
            Handler h = known.get(type);
            if (h != null) return h;
            h = load("EventRouter$" + Character.toUpperCase(type.charAt(0)) + type.substring(1));
            if (h != null || FIXED) known.put(type, h == null ? generic : h);
            return h == null ? generic : h;
        } finally {
            lookup.add(System.nanoTime() - t);
        }
    }

    private Handler load(String name) {
        try {
            return (Handler) Class.forName(name).getDeclaredConstructor().newInstance();
        } catch (ReflectiveOperationException e) {
            return null;
        }
    }

    static Map<String, String> parse(String json) {
        Map<String, String> m = new LinkedHashMap<>();
        int i = 0;
        while ((i = json.indexOf('"', i)) >= 0) {
            int end = json.indexOf('"', i + 1), from = json.indexOf('"', end + 1) + 1, to = json.indexOf('"', from);
            m.put(json.substring(i + 1, end), json.substring(from, to));
            i = to + 1;
        }
        return m;
    }

    void work() {
        try {
            while (true) {
                String json = inbox.take();
                long t = System.nanoTime();
                Map<String, String> event = parse(json);
                total.add(handler(event.get("type")).handle(event));
                nanos.add(System.nanoTime() - t);
                done.increment();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    void receive() {
        String[] types = {"charge", "refund", "dispute", "payout", "paymentMethodAttached", "invoiceFinalized",
            "customerUpdated", "balanceAvailable"};
        SplittableRandom r = new SplittableRandom(9);
        StringBuilder sb = new StringBuilder();
        try {
            for (long id = 0; ; id++) {
                sb.setLength(0);
                sb.append("{\"id\":\"evt_").append(id).append("\",\"type\":\"").append(types[r.nextInt(types.length)])
                    .append("\",\"cents\":\"").append(r.nextInt(99_999)).append("\",\"account\":\"acct_")
                    .append(r.nextInt(5000)).append("\",\"country\":\"").append(r.nextBoolean() ? "DE" : "PT")
                    .append("\",\"note\":\"webhook delivery of the partner, attempt ").append(r.nextInt(3))
                    .append("\"}");
                inbox.put(sb.toString());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws Exception {
        EventRouter router = new EventRouter();
        for (int i = 0; i < WORKERS; i++) new Thread(router::work, "worker-" + i).start();
        new Thread(router::receive, "receiver").start();
        System.out.println("READY");
        while (true) {
            Thread.sleep(1000);
            long n = Math.max(1, router.done.sumThenReset()), t = router.nanos.sumThenReset();
            System.out.printf(Locale.ROOT,
                "measured: %d events/s, mean %.1f us, finding the handler %.0f %% of it, queue %d%n",
                n, t / 1e3 / n, 100.0 * router.lookup.sumThenReset() / t, router.inbox.size());
        }
    }
}
