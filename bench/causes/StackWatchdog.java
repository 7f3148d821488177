// SPDX-License-Identifier: Apache-2.0
// cause: several times a second a watchdog asks for all stacks and locks, for which the JVM stops and walks the heap
// expect: vm-operations | hot-calls frame=StackWatchdog.look | hot-method caller=StackWatchdog.look | hot-code frame=StackWatchdog.look
// symptom: late-safepoints slow-safepoints
// jvm: -Xmx384m -XX:+UseG1GC
// jdk: 21
// set: sixth
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * A home-made search for deadlocks calls dumpAllThreads(true, true) eight times a second. To find who owns a
 * ReentrantLock, the JVM walks all objects of the heap within a safepoint, here two million of a catalogue, which takes
 * about 50 ms: everything stands still for about a third of the time. Collections are rare and short, as the four
 * threads that answer requests allocate and compute little; sixty idle sessions wait for messages by design.
 */
public final class StackWatchdog {
    private static volatile int blocked;
    private static volatile long served;

    private final Map<Integer, String[]> catalogue = new HashMap<>();
    private final BlockingQueue<Integer> messages = new LinkedBlockingQueue<>();

    private StackWatchdog() {
        for (int i = 0; i < 250_000; i++) {
            catalogue.put(i, new String[] {"name " + i, "text " + i * 3, "group " + i % 100});
        }
    }

    private static void look(ThreadMXBean threads) {
        int found = 0;
        for (ThreadInfo thread : threads.dumpAllThreads(true, true)) {
            if (thread.getThreadState() == Thread.State.BLOCKED) {
                found++;
            }
        }
        blocked = found;
    }

    private static void watch() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        try {
            for (;;) {
                look(threads);
                Thread.sleep(100);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private int filter(int depth) throws InterruptedException {
        return depth == 0 ? messages.take() : filter(depth - 1);
    }

    private void session() {
        try {
            for (;;) {
                served += filter(30);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private int find(int from, String group) {
        int found = 0;
        for (int i = from; i < from + 200; i++) {
            found += catalogue.get(i)[2].equals(group) ? i : 0;
        }
        return found;
    }

    private void serve(int thread) {
        try {
            for (int n = thread;; n++) {
                served += find(n * 977 % 240_000, "group " + n % 100);
                Thread.sleep(20); // the next request
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) {
        StackWatchdog service = new StackWatchdog();
        for (int i = 0; i < 60; i++) {
            new Thread(service::session, "session-" + i).start();
        }
        for (int i = 0; i < 4; i++) {
            int thread = i;
            new Thread(() -> service.serve(thread), "http-" + i).start();
        }
        new Thread(StackWatchdog::watch, "watchdog").start();
        System.out.println("READY");
    }
}
