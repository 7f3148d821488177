// SPDX-License-Identifier: Apache-2.0
// cause: FunicularGates$Hook.fire starts a process of its own (/bin/true in place of the operator's hook program) for every passage through a turnstile, hundreds a second; one helper that stays and is sent the passages, or a library, would do
// share: about 60 % of the process's CPU time (0.2 of a CPU) is in Hook.fire and 25 % in the JDK's threads that wait for the ends of these processes, as measured by thread CPU time; nearly all time in which gates have work (0.8 of them at a time) is there as well, and the processes take a CPU besides
// expect: waiting kind=process frame=FunicularGates$Hook.fire | hot-code kind=processes frame=FunicularGates$Hook
// symptom: hot-calls hot-code
// judge: NAMED: starting processes, for (or at) FunicularGates$Hook.fire (or its caller FunicularGates$Gate.pass), whether said as CPU time or as waiting for processes to be started or to end there. SYMPTOM ONLY: forkAndExec / ProcessImpl / "process reaper" threads, or system calls (vfork, clone), named without the program's function; starting threads (the reapers) without the processes; lack of CPUs, which the started processes take. WRONG: collections, locks, Tally or Ticket as the cost, the sleeping gates, queue or semaphore.
// jdk: 11
// set: thirty-fourth
// jvm: -Xmx256m
import java.io.*;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.*;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;

/** The turnstiles of a funicular railway: tickets are checked, passages counted, and the operator's hook is notified of each. */
public class FunicularGates {
    static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    static final LongAdder firing = new LongAdder(), fired = new LongAdder(), passed = new LongAdder(), refused = new LongAdder(), elapsed = new LongAdder();

    static class Ticket {
        final long number;
        final int zone, validUntil;

        Ticket(long number, int zone, int validUntil) { this.number = number; this.zone = zone; this.validUntil = validUntil; }

        boolean holds(int zoneHere, int minute) {
            long check = number / 100 * 31 % 97;
            return check == number % 100 && zone >= zoneHere && minute <= validUntil;
        }
    }

    /** Counts passengers by station and quarter of an hour. */
    static class Tally {
        private final Map<String, int[]> counts = new ConcurrentHashMap<>();

        void count(String station, int minute) {
            int[] day = counts.computeIfAbsent(station, k -> new int[96]);
            synchronized (day) { day[minute / 15 % 96]++; }
        }

        int total() {
            int sum = 0;
            for (int[] day : counts.values()) synchronized (day) { for (int n : day) sum += n; }
            return sum;
        }
    }

    /** What the operator has configured to be notified of passages. */
    static class Hook {
        private static final int MOST = 12;
        private final String program;
        private final Queue<Process> running = new ConcurrentLinkedQueue<>();
        private final File nothing = new File("/dev/null");

        Hook(String program) { this.program = program; }

        boolean fire(String station, Ticket ticket, int minute) throws IOException {
            running.removeIf(process -> !process.isAlive());
            if (running.size() >= MOST) return false;
            ProcessBuilder builder = new ProcessBuilder(program, "--passage", station, Long.toString(ticket.number))
                .redirectInput(nothing).redirectErrorStream(true).redirectOutput(nothing);
            Map<String, String> environment = builder.environment();
            environment.put("FUNICULAR_STATION", station);
            environment.put("FUNICULAR_TICKET", Long.toString(ticket.number));
            environment.put("FUNICULAR_ZONE", Integer.toString(ticket.zone));
            environment.put("FUNICULAR_TIME", minute / 60 + ":" + minute % 60);
            running.add(builder.start());
            return true;
        }
    }

    /** One turnstile. */
    static class Gate implements Runnable {
        private final String station;
        private final int zone;
        private final Tally tally;
        private final Hook hook;
        private final Random random;

        Gate(String station, int zone, Tally tally, Hook hook) {
            this.station = station; this.zone = zone; this.tally = tally; this.hook = hook;
            random = new Random(station.hashCode());
        }

        private Ticket read() {
            long serial = 1_000_000 + random.nextInt(8_000_000);
            long number = serial * 100 + serial * 31 % 97 + (random.nextInt(20) == 0 ? 1 : 0);
            return new Ticket(number, 1 + random.nextInt(4), 200 + random.nextInt(1240));
        }

        private void pass(Ticket ticket, int minute) throws IOException {
            if (!ticket.holds(zone, minute)) { refused.increment(); return; }
            tally.count(station, minute);
            passed.increment();
            long before = THREADS.getCurrentThreadCpuTime(), start = System.nanoTime();
            if (hook.fire(station, ticket, minute)) fired.increment();
            firing.add(THREADS.getCurrentThreadCpuTime() - before);
            elapsed.add(System.nanoTime() - start);
        }

        @Override public void run() {
            int minute = 0;
            try {
                while (true) {
                    try {
                        pass(read(), minute++ % 300);
                    } catch (IOException e) {
                        System.out.println("hook failed: " + e.getMessage());
                        Thread.sleep(200);
                    }
                    Thread.sleep(1 + random.nextInt(3));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        com.sun.management.OperatingSystemMXBean os = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        Tally tally = new Tally();
        Hook hook = new Hook(System.getProperty("hook", "/bin/true"));
        String[] stations = {"valley", "chapel", "summit"};
        for (int i = 0; i < stations.length; i++) new Thread(new Gate(stations[i], 1, tally, hook), "gate-" + stations[i]).start();
        long cpu = os.getProcessCpuTime(), time = System.nanoTime(), spent = 0, done = 0, took = 0, ends = 0;
        for (int second = 1; ; second++) {
            Thread.sleep(1000);
            long c = os.getProcessCpuTime(), t = System.nanoTime(), s = firing.sum(), d = fired.sum(), e = elapsed.sum(), r = 0;
            for (java.lang.management.ThreadInfo info : THREADS.getThreadInfo(THREADS.getAllThreadIds())) {
                if (info != null && info.getThreadName().startsWith("process reaper")) r += Math.max(0, THREADS.getThreadCpuTime(info.getThreadId()));
            }
            System.out.printf(Locale.ROOT, "measured: %d hooks started/s, %.2f CPUs of this process, %.0f %% of them in fire (%d us each; %.2f gates at a time are there), %.0f %% in what waits for their ends, %d passengers%n",
                (d - done) * 1_000_000_000L / (t - time), (c - cpu) / (double) (t - time), 100.0 * (s - spent) / Math.max(1, c - cpu),
                (s - spent) / 1000 / Math.max(1, d - done), (e - took) / (double) (t - time), 100.0 * (r - ends) / Math.max(1, c - cpu), tally.total());
            cpu = c; time = t; spent = s; done = d; took = e; ends = r;
            if (second == 3) System.out.println("READY");
            System.out.flush();
        }
    }
}
