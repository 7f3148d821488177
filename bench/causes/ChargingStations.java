// SPDX-License-Identifier: Apache-2.0
// cause: ChargingStations.timers is a ScheduledThreadPoolExecutor with one thread that runs both the short protocol steps (Station.confirm, Station.heartbeat) and the long blocking export BillingExport.run (about 0.6 s of every 0.8 s), so all short tasks are delayed because they wait behind the export
// share: faulty 385 commands/s, 55.1 ms each (median second); fixed 1422 commands/s, 10.25 ms each (median second); 3.7 times (11 s and 10 s on a shared, loaded 2-CPU machine)
// judge: NAMED = the single scheduler thread ("timers") is blocked by the long task BillingExport.run (sleep/partner answer), and other scheduled tasks wait behind it; give the export its own thread. SYMPTOM ONLY = "commands are delayed / driver threads wait for futures", "scheduler has only one thread / queue of the executor is long" without the export. WRONG = slow partner as the only statement (it is not theirs to speed up) without the shared thread, lock contention, GC, drivers' thread count, CPU; "idle, nothing wrong".
// expect: waiting worker=timers | pool-busy pool=timers | blocked-scheduler thread=timers
// symptom: waiting
// jdk: 25
// set: sixteenth
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class ChargingStations {
    static final boolean APART = Boolean.getBoolean("fixed");

    final ScheduledThreadPoolExecutor timers = new ScheduledThreadPoolExecutor(1, named("timers"));
    final ScheduledThreadPoolExecutor nightly = new ScheduledThreadPoolExecutor(1, named("exports"));
    final Queue<Session> finished = new ConcurrentLinkedQueue<>();
    final LongAdder commands = new LongAdder();
    final LongAdder nanos = new LongAdder();
    final LongAdder beats = new LongAdder();
    final LongAdder exported = new LongAdder();

    static ThreadFactory named(String name) {
        return r -> Thread.ofPlatform().daemon().name(name).unstarted(r);
    }

    record Session(int station, long started, double kwh) {}

    enum Command { UNLOCK, START, LIMIT, STOP }

    class Station {
        final int id;
        final AtomicLong lastSeen = new AtomicLong();
        volatile double load;

        Station(int id) {
            this.id = id;
            timers.scheduleAtFixedRate(this::heartbeat, id * 5L, 500, TimeUnit.MILLISECONDS);
        }

        void heartbeat() {
            lastSeen.set(System.nanoTime());
            load = load * 0.9 + ThreadLocalRandom.current().nextDouble() * 2.2;
            beats.increment();
        }

        /** The station needs 10 ms to move its relay, then it answers. */
        CompletableFuture<Boolean> send(Command c) {
            var answer = new CompletableFuture<Boolean>();
            timers.schedule(() -> confirm(c, answer), 10, TimeUnit.MILLISECONDS);
            return answer;
        }

        void confirm(Command c, CompletableFuture<Boolean> answer) {
            if (c == Command.LIMIT) load = Math.min(load, 11);
            answer.complete(c != Command.START || load < 40);
        }
    }

    /** Sends the finished sessions to the clearing house. */
    class BillingExport implements Runnable {
        @Override
        public void run() {
            var batch = new ArrayList<Session>();
            Session s;
            while ((s = finished.poll()) != null && batch.size() < 500) batch.add(s);
            var out = new StringBuilder();
            for (Session x : batch) out.append(x.station).append(';').append(x.started).append(';').append(String.format("%.3f", x.kwh)).append('\n');
            try {
                for (int part = 0; part < 4; part++) deliver(out, part);
                exported.add(batch.size());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        void deliver(CharSequence out, int part) throws InterruptedException {
            Thread.sleep(130 + (out.length() + part) % 40);
        }
    }

    final List<Station> stations = new ArrayList<>();

    void driver(int id) {
        var r = new Random(id);
        try {
            while (true) {
                Station s = stations.get(r.nextInt(stations.size()));
                long began = System.currentTimeMillis();
                for (Command c : Command.values()) {
                    long t = System.nanoTime();
                    boolean ok = s.send(c).get(20, TimeUnit.SECONDS);
                    nanos.add(System.nanoTime() - t);
                    commands.increment();
                    if (!ok) break;
                    Thread.sleep(r.nextInt(12));
                }
                finished.add(new Session(s.id, began, s.load * 3));
            }
        } catch (Exception e) {
            System.out.println("driver " + id + " ends: " + e);
        }
    }

    long silent() {
        long now = System.nanoTime();
        return stations.stream().filter(s -> now - s.lastSeen.get() > 750_000_000L).count();
    }

    void begin() {
        for (int i = 0; i < 100; i++) stations.add(new Station(i));
        (APART ? nightly : timers).scheduleWithFixedDelay(new BillingExport(), 300, 200, TimeUnit.MILLISECONDS);
        for (int i = 0; i < 24; i++) {
            int id = i;
            named("driver-" + i).newThread(() -> driver(id)).start();
        }
    }

    public static void main(String[] args) throws Exception {
        var app = new ChargingStations();
        app.begin();
        for (int s = 0; s < 150; s++) {
            Thread.sleep(1000);
            long n = app.commands.sumThenReset(), ns = app.nanos.sumThenReset();
            System.out.printf("measured: %d commands/s, %.1f ms each, %d heartbeats, %d stations silent, %d sessions exported%n", n,
                    n == 0 ? 0 : ns / 1e6 / n, app.beats.sumThenReset(), app.silent(), app.exported.sumThenReset());
            if (s == 3) System.out.println("READY");
        }
        System.exit(0);
    }
}
