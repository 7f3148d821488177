// SPDX-License-Identifier: Apache-2.0
// healthy: a node leads and two others stand by, waiting all the time for its term to end; it renews the term in time and answers what little comes
// jdk: 11
// set: tenth
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

public final class HealthyStandby {
    private static final long TERM_NS = TimeUnit.SECONDS.toNanos(2);

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition ended = lock.newCondition();
    private final Map<String, Long> registry = new ConcurrentHashMap<>();
    private String leader = "node-0";
    private long until = System.nanoTime() + TERM_NS;

    private void renew() {
        lock.lock();
        try {
            if (leader.equals("node-0")) {
                until = System.nanoTime() + TERM_NS;
            }
        } finally {
            lock.unlock();
        }
    }

    private void standBy(String node) {
        lock.lock();
        try {
            for (long left = until - System.nanoTime(); left > 0; left = until - System.nanoTime()) {
                ended.awaitNanos(left);
            }
            leader = node;
            ended.signalAll();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        } finally {
            lock.unlock();
        }
    }

    private void announce(int service) {
        registry.merge("service-" + service % 40, 1L, Long::sum);
        if (service % 500 == 0) {
            registry.entrySet().removeIf(entry -> entry.getValue() > 1000);
        }
    }

    private void services(int first) {
        try {
            for (int n = first;; n += 3) {
                announce(n & 0xfffff);
                Thread.sleep(5);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) {
        HealthyStandby cluster = new HealthyStandby();
        ScheduledExecutorService timer = Executors.newScheduledThreadPool(2);
        timer.scheduleAtFixedRate(cluster::renew, 0, 250, TimeUnit.MILLISECONDS);
        for (int i = 1; i < 3; i++) {
            String node = "node-" + i;
            new Thread(() -> cluster.standBy(node), node).start();
        }
        for (int i = 0; i < 3; i++) {
            int first = i;
            new Thread(() -> cluster.services(first), "services-" + i).start();
        }
        System.out.println("READY");
    }
}
