// SPDX-License-Identifier: Apache-2.0
// cause: ClaimTriage.probe calls ThreadMXBean.dumpAllThreads(true, true) about every 40 ms; asking for locked ownable synchronizers makes the JVM walk the whole heap at a safepoint each time, which stops all triage workers.
// share: throughput 1610000 claims/s vs 3010000/s fixed (1.9 times)
// judge: must name the thread dump with locked synchronizers (ThreadMXBean.dumpAllThreads(true, true) in probe, thread desk-status) as the cause of the stop-the-world pauses (safepoint operation / whole heap walk); "safepoint pauses" or "GC pauses" without the dumping caller does not count
// set: eighteenth
// expect: vm-operations frame=ClaimTriage.probe callee=dumpAllThreads
// symptom: vm-operations ttsp long-safepoint
// jdk: 17
// jvm: -Xmx224m
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.LongAdder;

public class ClaimTriage {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final LongAdder triaged = new LongAdder();
    static final LongAdder urgent = new LongAdder();
    static volatile int busyDesks;

    record Claim(long id, int region, double amount, String note) { }

    record Policy(int id, double limit, Integer tariff, List<Integer> riders) { }

    private final List<Policy> policies = new ArrayList<>();
    private final CountDownLatch closing = new CountDownLatch(1);

    private void loadPolicies() {
        SplittableRandom rnd = new SplittableRandom(99);
        for (int i = 0; i < 520_000; i++) {
            List<Integer> riders = new ArrayList<>(4);
            for (int k = 0; k < 4; k++) {
                riders.add(rnd.nextInt(1000, 90_000));
            }
            policies.add(new Policy(i, rnd.nextDouble(500, 90_000), rnd.nextInt(1000, 50_000), riders));
        }
    }

    private Claim next(SplittableRandom rnd, long id) {
        int words = 3 + rnd.nextInt(5);
        StringBuilder sb = new StringBuilder();
        for (int i = 0; i < words; i++) {
            sb.append(rnd.nextInt(9) == 0 ? "water " : "glass ");
        }
        return new Claim(id, rnd.nextInt(16), rnd.nextDouble(50, 60_000), sb.toString());
    }

    private double score(Claim c) {
        Policy p = policies.get((int) (c.id() * 7919 % policies.size()));
        double s = c.amount() / p.limit();
        for (int r : p.riders()) {
            s += Math.log1p(r) * 0.01;
        }
        for (int i = c.note().indexOf("water"); i >= 0; i = c.note().indexOf("water", i + 1)) {
            s += 0.2;
        }
        return s + c.region() * 0.001;
    }

    private void desk(int no) {
        SplittableRandom rnd = new SplittableRandom(no);
        for (long id = no; ; id += 2) {
            double s = score(next(rnd, id));
            if (s > 2.5) {
                urgent.increment();
            }
            triaged.increment();
        }
    }

    private void follow() {
        try {
            closing.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private int probe(ThreadMXBean bean) {
        ThreadInfo[] infos = FIXED ? bean.dumpAllThreads(false, false) : bean.dumpAllThreads(true, true);
        int busy = 0;
        for (ThreadInfo info : infos) {
            if (info.getThreadName().startsWith("triage-") && info.getThreadState() == Thread.State.RUNNABLE) {
                busy++;
            }
        }
        return busy;
    }

    private void status() {
        ThreadMXBean bean = ManagementFactory.getThreadMXBean();
        try {
            while (true) {
                busyDesks = probe(bean);
                Thread.sleep(40);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void daemon(Runnable r, String name) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        ClaimTriage c = new ClaimTriage();
        c.loadPolicies();
        for (int i = 1; i <= 2; i++) {
            int no = i;
            daemon(() -> c.desk(no), "triage-" + i);
        }
        for (int i = 1; i <= 4; i++) {
            daemon(c::follow, "follow-up-" + i);
        }
        daemon(c::status, "desk-status");
        System.out.println("READY");
        long before = 0;
        for (int s = 0; s < 240; s++) {
            Thread.sleep(1000);
            long now = triaged.sum();
            System.out.println("measured: claims/s=" + (now - before) + " busy=" + busyDesks);
            before = now;
        }
        System.out.println("urgent " + urgent.sum());
    }
}
