// SPDX-License-Identifier: Apache-2.0
// healthy: 3,000 airport displays long-poll (virtual threads parked on a condition of their gate for up to 5 s or until news comes); an editor publishes ~60 changes a second; nearly everything waits by design and delivery takes milliseconds
// judge: Right = healthy / mostly idle, virtual threads wait for news by design (long poll). Wrong = accusing the waits, the locks of the gates, pinning, too many threads, the editor's pace/timer, GC.
// jdk: 21
// set: sixteenth
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.concurrent.locks.*;

public class GateDisplays {
    static final LongAdder delivered = new LongAdder(), timeouts = new LongAdder(), micros = new LongAdder();

    record Notice(long version, String flight, String text, long at) {}

    static class Gate {
        final int number;
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition changed = lock.newCondition();
        private Notice current = new Notice(0, "-", "closed", System.nanoTime());
        Gate(int number) { this.number = number; }

        /** Waits until there is something newer than the version seen, at most the given time. */
        Notice await(long seen, long millis) throws InterruptedException {
            long left = TimeUnit.MILLISECONDS.toNanos(millis);
            lock.lock();
            try {
                while (current.version() == seen && left > 0) left = changed.awaitNanos(left);
                return current;
            } finally { lock.unlock(); }
        }
        void publish(String flight, String text) {
            lock.lock();
            try {
                current = new Notice(current.version() + 1, flight, text, System.nanoTime());
                changed.signalAll();
            } finally { lock.unlock(); }
        }
    }

    static class Airport {
        final List<Gate> gates = new ArrayList<>();
        final Map<String, Integer> lastGate = new ConcurrentHashMap<>();
        Airport(int n) { for (int i = 0; i < n; i++) gates.add(new Gate(i)); }
        void assign(String flight, int gate, String text) {
            lastGate.put(flight, gate);
            gates.get(gate).publish(flight, text);
        }
    }

    static class Display implements Runnable {
        final Gate gate; final int lineLength; String shown = "";
        Display(Gate gate, int lineLength) { this.gate = gate; this.lineLength = lineLength; }
        @Override public void run() {
            long seen = 0;
            try {
                while (true) {
                    Notice n = gate.await(seen, 5000);
                    if (n.version() == seen) { timeouts.increment(); continue; }
                    seen = n.version();
                    show(n);
                    micros.add((System.nanoTime() - n.at()) / 1000);
                    delivered.increment();
                }
            } catch (InterruptedException e) { /* switched off */ }
        }
        void show(Notice n) {
            String line = n.flight() + "  Gate " + gate.number + "  " + n.text();
            shown = line.length() > lineLength ? line.substring(0, lineLength) : line;
        }
    }

    static class Editor {
        final Airport airport; final Random rnd = new Random(7);
        final String[] texts = {"boarding", "last call", "delayed 20 min", "gate open", "boarding group B", "closed"};
        Editor(Airport airport) { this.airport = airport; }
        void tick() {
            int burst = rnd.nextInt(10) == 0 ? 10 : 2;
            for (int i = 0; i < burst; i++)
                airport.assign("XK" + (100 + rnd.nextInt(800)), rnd.nextInt(airport.gates.size()), texts[rnd.nextInt(texts.length)]);
        }
        int audit() {
            int sum = 0;
            for (Map.Entry<String, Integer> e : airport.lastGate.entrySet()) sum += e.getKey().hashCode() ^ e.getValue();
            return sum;
        }
    }

    public static void main(String[] args) throws Exception {
        Airport airport = new Airport(300);
        Editor editor = new Editor(airport);
        ExecutorService displays = Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("display-", 0).factory());
        for (int i = 0; i < 3000; i++) displays.submit(new Display(airport.gates.get(i % 300), 24 + i % 20));
        ScheduledExecutorService editors = Executors.newScheduledThreadPool(2, Thread.ofPlatform().daemon().name("editor-", 0).factory());
        editors.scheduleAtFixedRate(editor::tick, 500, 45, TimeUnit.MILLISECONDS);
        editors.scheduleAtFixedRate(editor::audit, 500, 250, TimeUnit.MILLISECONDS);
        for (int s = 0; s < 150; s++) {
            long d = delivered.sum(), m = micros.sum();
            Thread.sleep(1000);
            long n = delivered.sum() - d;
            System.out.println("measured: delivered/s=" + n + " avgMicros=" + (n == 0 ? -1 : (micros.sum() - m) / n) + " timeouts=" + timeouts.sum());
            if (s == 4) System.out.println("READY");
        }
        System.exit(0);
    }
}
