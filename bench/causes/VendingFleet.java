// SPDX-License-Identifier: Apache-2.0
// healthy: 220 sessions have a thread each that waits for its machine's next message (LinkedBlockingQueue.take), and pools keep idle threads; that is what they are for: messages are handled at once, nothing queues up, no lock is contended, and 0.2 to 0.5 of 2 CPUs are used for various small work
// share: nothing to name; messages wait some 0.1 ms on average for their session on a machine that has CPUs, none stay queued, as measured
// judge: NAMED: no fault (nothing stands out; or only neutral remarks of where CPU time goes). SYMPTOM ONLY: none. WRONG: any accusation, above all of threads that wait (queue, park, work, timer), of too many threads, of a busy pool or a growing queue, of locks in VendingFleet$Stock, of hot code or methods as a fault.
// jdk: 11
// set: thirty-fourth
// jvm: -Xmx256m
import java.lang.management.ManagementFactory;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.LongAdder;

/** Keeps contact with vending machines: a session thread for each, a forecast of what has to be refilled, and a status page. */
public class VendingFleet {
    static final int MACHINES = 220, SLOTS = 24;
    static final LongAdder handled = new LongAdder(), delay = new LongAdder(), refills = new LongAdder(), plans = new LongAdder();

    static final class Message {
        final int slot, cents;
        final long sent = System.nanoTime();

        Message(int slot, int cents) { this.slot = slot; this.cents = cents; }
    }

    /** What one machine has left, and what it sold by slot in the last days. */
    static final class Stock {
        private final int[] left = new int[SLOTS];
        private final double[][] days = new double[SLOTS][28];
        private long takings;

        Stock(Random random) {
            for (int i = 0; i < SLOTS; i++) left[i] = 4 + random.nextInt(17);
            for (double[] slot : days) for (int i = 0; i < slot.length; i++) slot[i] = 2 + random.nextInt(9);
        }

        synchronized boolean sell(int slot, int cents) {
            takings += cents;
            days[slot][27]++;
            return --left[slot] > 3;
        }

        synchronized void refill(int slot) { left[slot] = 20; }
        synchronized double[] history(int slot) { return days[slot].clone(); }
        synchronized int left(int slot) { return left[slot]; }
        synchronized long takings() { return takings; }

        synchronized void newDay(int slot) {
            System.arraycopy(days[slot], 1, days[slot], 0, 27);
            days[slot][27] = 0;
        }
    }

    /** The session of one machine: its messages one by one, in order. */
    static final class Session implements Runnable {
        final String machine;
        final Stock stock;
        private final BlockingQueue<Message> inbox = new LinkedBlockingQueue<>(1000);
        private final Deque<String> journal = new ArrayDeque<>();
        private final ScheduledExecutorService vans;

        Session(int number, ScheduledExecutorService vans) {
            machine = String.format("VM-%04d", number);
            stock = new Stock(new Random(number));
            this.vans = vans;
        }

        boolean offer(Message message) { return inbox.offer(message); }

        @Override public void run() {
            try {
                while (true) {
                    Message message = inbox.take();
                    delay.add(System.nanoTime() - message.sent);
                    boolean enough = stock.sell(message.slot, message.cents);
                    journal.addLast(machine + " slot " + message.slot + " " + message.cents / 100 + "." + message.cents % 100);
                    if (journal.size() > 100) journal.removeFirst();
                    if (!enough && stock.left(message.slot) == 3) {
                        refills.increment();
                        vans.schedule(() -> stock.refill(message.slot), 400, TimeUnit.MILLISECONDS);
                    }
                    handled.increment();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Estimates when a machine's slots will be empty: a weighted mean by weekday, and a trend. */
    static final class Forecast {
        private final List<Session> sessions;
        private final Map<String, Double> urgency = new ConcurrentHashMap<>();
        private int next;

        Forecast(List<Session> sessions) { this.sessions = sessions; }

        void some() {
            for (int n = 0; n < 100; n++) {
                Session session = sessions.get(next++ % sessions.size());
                double most = 0;
                for (int slot = 0; slot < SLOTS; slot++) {
                    double[] days = session.stock.history(slot);
                    most = Math.max(most, (weekly(days) + Math.max(0, trend(days)) * 3) / (1 + Math.max(0, session.stock.left(slot))));
                    if (next % (7 * MACHINES) == slot) session.stock.newDay(slot);
                }
                urgency.put(session.machine, most);
            }
            plans.increment();
        }

        private double weekly(double[] days) {
            double sum = 0, weights = 0;
            for (int i = 0; i < days.length; i++) {
                double weight = Math.exp((i - 27) / 9.0) * (i % 7 == 6 ? 2 : 1);
                sum += weight * days[i];
                weights += weight;
            }
            return sum / weights;
        }

        private double trend(double[] days) {
            double sx = 0, sy = 0, sxy = 0, sxx = 0;
            for (int i = 0; i < days.length; i++) { sx += i; sy += days[i]; sxy += i * days[i]; sxx += i * i; }
            return (days.length * sxy - sx * sy) / (days.length * sxx - sx * sx);
        }

        List<String> tour() {
            List<Map.Entry<String, Double>> all = new ArrayList<>(urgency.entrySet());
            all.sort(Map.Entry.<String, Double>comparingByValue().reversed());
            List<String> tour = new ArrayList<>();
            for (Map.Entry<String, Double> e : all.subList(0, Math.min(30, all.size()))) tour.add(e.getKey() + "=" + Math.round(e.getValue() * 100));
            return tour;
        }
    }

    public static void main(String[] args) throws Exception {
        com.sun.management.OperatingSystemMXBean os = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        ScheduledExecutorService vans = Executors.newScheduledThreadPool(4);
        List<Session> sessions = new ArrayList<>();
        for (int i = 1; i <= MACHINES; i++) {
            Session session = new Session(i, vans);
            sessions.add(session);
            Thread thread = new Thread(null, session, "session-" + session.machine, 256 * 1024);
            thread.setDaemon(true);
            thread.start();
        }
        Forecast forecast = new Forecast(sessions);
        ExecutorService pages = Executors.newFixedThreadPool(12);
        Random random = new Random(3);
        vans.scheduleWithFixedDelay(forecast::some, 5, 6, TimeUnit.MILLISECONDS);
        vans.scheduleWithFixedDelay(() -> pages.execute(() -> { if (forecast.tour().size() > 30) throw new IllegalStateException(); }), 50, 40, TimeUnit.MILLISECONDS);
        vans.scheduleWithFixedDelay(() -> {
            for (int i = random.nextInt(14); i > 0; i--) sessions.get(random.nextInt(MACHINES)).offer(new Message(random.nextInt(SLOTS), 80 + random.nextInt(300)));
        }, 5, 4, TimeUnit.MILLISECONDS);
        long cpu = os.getProcessCpuTime(), time = System.nanoTime(), done = 0, late = 0, planned = 0;
        for (int second = 1; ; second++) {
            Thread.sleep(1000);
            long c = os.getProcessCpuTime(), t = System.nanoTime(), d = handled.sum(), l = delay.sum(), p = plans.sum();
            int queued = 0;
            for (Session session : sessions) queued += session.inbox.size();
            System.out.printf(Locale.ROOT, "measured: %d messages/s, %.2f CPUs, each %d us late on average, %d queued, %d forecasts/s, %d threads, %d refills%n",
                (d - done) * 1_000_000_000L / (t - time), (c - cpu) / (double) (t - time), (l - late) / 1000 / Math.max(1, d - done), queued,
                (p - planned) * 100_000_000_000L / (t - time), Thread.activeCount(), refills.sum());
            cpu = c; time = t; done = d; late = l; planned = p;
            if (second == 3) System.out.println("READY");
            System.out.flush();
        }
    }
}
