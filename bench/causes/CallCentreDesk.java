// SPDX-License-Identifier: Apache-2.0
// healthy: a watch takes a dump of all threads (dumpAllThreads without locks) of some 50 threads and looks for deadlocks four times a second, as good monitoring does; it takes some 4 ms a second, so less than 1 % of the time, and nobody is held up
// share: thread dumps below 1 % of the time; calls are routed in about 1 ms or less, agents' pool has threads to spare; 0.1 to 0.4 CPUs of 2
// judge: right: nothing stands out, or only neutral statements of where time goes (computing in Router.best). WRONG: any accusation, in particular of thread dumps, VM operations, safepoints, locks, or of the pool or its waiting.
// jdk: 11
// set: thirty-third
// jvm: -Xmx256m
import java.lang.management.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class CallCentreDesk {

    static final class Agent {
        final int id;
        final double[] skills = new double[24];
        volatile long busyUntil;

        Agent(int id) {
            this.id = id;
            Random random = new Random(id);
            for (int i = 0; i < skills.length; i++)
                skills[i] = random.nextDouble();
        }
    }

    static final class Call {
        final long number;
        final double[] needs = new double[24];
        final long came = System.nanoTime();

        Call(long number, Random random) {
            this.number = number;
            for (int i = 0; i < needs.length; i++)
                needs[i] = random.nextInt(4) == 0 ? random.nextDouble() : 0;
        }
    }

    static final class Router {
        private final List<Agent> agents = new ArrayList<>();
        private final ConcurrentMap<Long, Integer> assigned = new ConcurrentHashMap<>();

        Router(int n) {
            for (int i = 0; i < n; i++)
                agents.add(new Agent(i));
        }

        Agent best(Call call) {
            Agent best = null;
            double most = -1;
            long now = System.nanoTime();
            for (Agent a : agents) {
                double match = 0, norm = 1e-9;
                for (int i = 0; i < call.needs.length; i++) {
                    match += a.skills[i] * call.needs[i];
                    norm += call.needs[i] * call.needs[i];
                }
                match /= Math.sqrt(norm);
                if (a.busyUntil > now)
                    match *= 0.3;
                if (match > most) {
                    most = match;
                    best = a;
                }
            }
            return best;
        }

        void route(Call call) {
            Agent a = best(call);
            a.busyUntil = System.nanoTime() + 200_000_000L;
            assigned.put(call.number, a.id);
            assigned.remove(call.number - 5000);
        }
    }

    static final class Lines {
        final ThreadPoolExecutor pool;
        final ScheduledExecutorService clock = Executors.newScheduledThreadPool(2, named("clock"));
        final Router router;
        final AtomicLong calls = new AtomicLong(), time = new AtomicLong();

        Lines(Router router) {
            this.router = router;
            pool = new ThreadPoolExecutor(30, 30, 1, TimeUnit.MINUTES, new ArrayBlockingQueue<>(500), named("line"));
            pool.prestartAllCoreThreads();
        }

        void open() {
            for (int i = 0; i < 2; i++) {
                Random random = new Random(i);
                AtomicLong number = new AtomicLong(i * 1_000_000_000L);
                clock.scheduleWithFixedDelay(() -> {
                    for (int k = random.nextInt(8); k > 0; k--) {
                        Call call = new Call(number.incrementAndGet(), random);
                        pool.execute(() -> handle(call));
                    }
                }, 1, 10, TimeUnit.MILLISECONDS);
            }
        }

        void handle(Call call) {
            router.route(call);
            time.addAndGet(System.nanoTime() - call.came);
            calls.incrementAndGet();
        }
    }

    static final class ThreadWatch implements Runnable {
        private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        private final Map<String, Integer> seenIn = new ConcurrentHashMap<>();
        final AtomicLong looks = new AtomicLong(), cost = new AtomicLong();

        @Override
        public void run() {
            long t = System.nanoTime();
            long[] locked = threads.findDeadlockedThreads();
            if (locked != null)
                System.err.println("deadlock of " + locked.length + " threads");
            for (ThreadInfo info : threads.dumpAllThreads(false, false)) {
                StackTraceElement[] stack = info.getStackTrace();
                if (info.getThreadState() == Thread.State.RUNNABLE && stack.length > 0 && info.getThreadName().startsWith("line"))
                    seenIn.merge(stack[0].getMethodName(), 1, Integer::sum);
            }
            cost.addAndGet(System.nanoTime() - t);
            looks.incrementAndGet();
        }
    }

    static ThreadFactory named(String name) {
        AtomicInteger n = new AtomicInteger();
        return r -> {
            Thread t = new Thread(r, name + "-" + n.incrementAndGet());
            t.setDaemon(true);
            return t;
        };
    }

    public static void main(String[] args) throws Exception {
        Lines lines = new Lines(new Router(12_000));
        lines.open();
        ThreadWatch watch = new ThreadWatch();
        Executors.newSingleThreadScheduledExecutor(named("watch")).scheduleWithFixedDelay(watch, 250, 250, TimeUnit.MILLISECONDS);
        for (int second = 1;; second++) {
            Thread.sleep(1000);
            long n = lines.calls.getAndSet(0), t = lines.time.getAndSet(0), looks = watch.looks.getAndSet(0), cost = watch.cost.getAndSet(0);
            System.out.printf("measured: %d calls, %.2f ms each with the queue, %d in the queue, %d samples of all threads took %.1f ms together%n",
                n, n == 0 ? 0 : t / 1e6 / n, lines.pool.getQueue().size(), looks, cost / 1e6);
            if (second == 4) {
                System.out.println("READY");
                System.out.flush();
            }
        }
    }
}
