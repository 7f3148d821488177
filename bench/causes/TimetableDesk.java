// SPDX-License-Identifier: Apache-2.0
// cause: TimetableDesk$Timetable.apply publishes the change to its subscribers while it holds the write lock of guard, and one of these (Screens.accept) waits 24 ms for the answer of the boards server, so that all lookups (Timetable.next, read lock) of the desk pool, and the travellers that wait for their futures, stand still for three quarters of the time.
// share: faulty: 598 answers/s, mean latency 10.6 ms; fixed: 1429 answers/s, mean latency 0.37 ms (after which travellers rest 6 ms).
// expect: waiting frame=Screens.accept chain=read_lock
// symptom: waiting pool-busy
// judge: NAMED: threads wait for the read lock at Timetable.next, whose write lock is held by Timetable.apply (thread control) during a wait for a server's answer in Screens.accept; or the chain future, read lock, socket read at Screens.accept. SYMPTOM ONLY: travellers wait for futures, the desk pool is busy, or the wait for the read lock without who holds it. WRONG: more threads in the desk pool (pool-busy), slow lookups in TreeMap or streams, the boards server or Thread.sleep in it as the only cause without the lock, CPU.
// jdk: 17
// set: twenty-fourth
// jvm:
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Consumer;

public class TimetableDesk {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final AtomicLong answered = new AtomicLong();
    static final AtomicLong spent = new AtomicLong();

    interface Job {
        void run() throws Exception;
    }

    static void daemon(String name, Job job) {
        Thread thread = new Thread(() -> {
            try {
                job.run();
            } catch (Exception e) {
                throw new IllegalStateException(name, e);
            }
        }, name);
        thread.setDaemon(true);
        thread.start();
    }

    static int boards() throws Exception {
        ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        daemon("boards", () -> {
            Socket socket = server.accept();
            socket.setTcpNoDelay(true);
            DataInputStream in = new DataInputStream(socket.getInputStream());
            DataOutputStream out = new DataOutputStream(socket.getOutputStream());
            while (true) {
                String text = in.readUTF();
                Thread.sleep(24);
                out.writeInt(text.length());
            }
        });
        return server.getLocalPort();
    }

    static final class Change {
        final int line;
        final int minute;
        final int delay;

        Change(int line, int minute, int delay) {
            this.line = line;
            this.minute = minute;
            this.delay = delay;
        }
    }

    static final class Topic<T> {
        private final List<Consumer<T>> subscribers = new ArrayList<>();

        void subscribe(Consumer<T> subscriber) {
            subscribers.add(subscriber);
        }

        void publish(T event) {
            subscribers.forEach(subscriber -> subscriber.accept(event));
        }
    }

    static final class Timetable {
        private final Map<Integer, TreeMap<Integer, Integer>> lines = new HashMap<>();
        private final ReadWriteLock guard = new ReentrantReadWriteLock();
        private final Topic<Change> changes;

        Timetable(Topic<Change> changes) {
            this.changes = changes;
            for (int line = 0; line < 200; line++) {
                TreeMap<Integer, Integer> stops = new TreeMap<>();
                for (int minute = line % 7; minute < 1440; minute += 6) stops.put(minute, 0);
                lines.put(line, stops);
            }
        }

        String next(int line, int minute) {
            guard.readLock().lock();
            try {
                StringBuilder text = new StringBuilder("line ").append(line);
                lines.get(line).tailMap(minute).entrySet().stream().limit(8)
                        .forEach(e -> text.append(' ').append(e.getKey()).append('+').append(e.getValue()));
                return text.toString();
            } finally {
                guard.readLock().unlock();
            }
        }

        void apply(Change change) {
            guard.writeLock().lock();
            try {
                Map.Entry<Integer, Integer> stop = lines.get(change.line).floorEntry(change.minute + 10);
                lines.get(change.line).put(stop.getKey(), change.delay);
                if (!FIXED) changes.publish(change);
            } finally {
                guard.writeLock().unlock();
            }
            if (FIXED) changes.publish(change);
        }
    }

    static final class Screens implements Consumer<Change> {
        private final DataInputStream in;
        private final DataOutputStream out;

        Screens(int port) throws Exception {
            Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
            socket.setTcpNoDelay(true);
            in = new DataInputStream(socket.getInputStream());
            out = new DataOutputStream(socket.getOutputStream());
        }

        @Override
        public void accept(Change change) {
            try {
                out.writeUTF("line " + change.line + " is delayed by " + change.delay);
                in.readInt();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }

    static void control(Timetable timetable) throws Exception {
        Random random = new Random(2);
        while (true) {
            timetable.apply(new Change(random.nextInt(200), random.nextInt(1400), random.nextInt(30)));
            Thread.sleep(8);
        }
    }

    static void traveller(Timetable timetable, ExecutorService desk, int seed) throws Exception {
        Random random = new Random(seed);
        while (true) {
            long start = System.nanoTime();
            int line = random.nextInt(200);
            if (desk.submit(() -> timetable.next(line, random.nextInt(1300))).get().isEmpty()) return;
            spent.addAndGet(System.nanoTime() - start);
            answered.incrementAndGet();
            Thread.sleep(6);
        }
    }

    public static void main(String[] args) throws Exception {
        Topic<Change> topic = new Topic<>();
        List<String> recent = new ArrayList<>();
        topic.subscribe(change -> {
            recent.add(change.line + ":" + change.delay);
            if (recent.size() > 100) recent.remove(0);
        });
        topic.subscribe(new Screens(boards()));
        Timetable timetable = new Timetable(topic);
        ExecutorService desk = Executors.newFixedThreadPool(6);
        daemon("control", () -> control(timetable));
        for (int i = 0; i < 10; i++) {
            int seed = i;
            daemon("traveller-" + i, () -> traveller(timetable, desk, seed));
        }
        System.out.println("READY");
        for (int second = 0; second < 170; second++) {
            long n = answered.get();
            long t = spent.get();
            Thread.sleep(1000);
            long count = answered.get() - n;
            System.out.printf("measured: %d answers/s, mean latency %.2f ms%n", count, count == 0 ? 0.0 : (spent.get() - t) / 1e6 / count);
        }
        System.exit(0);
    }
}
