// SPDX-License-Identifier: Apache-2.0
// healthy: 150 threads each wait for what an alarm panel sends (one a connection), 40 more are workers of pools of a size for bad days; that they are idle is what they are for, and every message is answered within a few ms
// share: 0.1 to 0.3 of 2 CPUs; answers take 1 to 3 ms on average, also on a busy machine ("answered within" in the measured lines), the queue of the workers is empty
// judge: NAMED: nothing stands out; or only what is neutral (where time or CPU time goes, such as AlarmPanels$Correlator.score computing or the reads of AlarmPanels$Line.run waiting for panels' messages) without calling it a fault. SYMPTOM ONLY: does not apply. WRONG: any accusation, such as too many threads, waits for data of a socket at AlarmPanels$Line.run as a slow answer, a pool or queue that is too short, waits of idle workers, locks, collections.
// jdk: 21
// set: thirty-sixth

import java.io.*;
import java.net.*;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class AlarmPanels {
    static final AtomicLong answered = new AtomicLong(), answerNanos = new AtomicLong(), worst = new AtomicLong(), alarms = new AtomicLong();

    record Event(int panel, int zone, int level, long nanos) { }

    /** Decides from the latest events of a panel whether somebody has to go there. */
    static final class Correlator {
        private final Map<Integer, ArrayDeque<Event>> latest = new ConcurrentHashMap<>();

        double score(Event event) {
            ArrayDeque<Event> events = latest.computeIfAbsent(event.panel(), p -> new ArrayDeque<>());
            double score = 0;
            synchronized (events) {
                events.addFirst(event);
                if (events.size() > 200) events.removeLast();
                for (Event a : events) {
                    for (Event b : events) {
                        double apart = Math.abs(a.nanos() - b.nanos()) / 1e9;
                        if (a.zone() != b.zone()) score += a.level() * b.level() * Math.exp(-apart / 5);
                    }
                }
            }
            return score;
        }
    }

    static final class Line implements Runnable {
        final Socket socket;
        final Correlator correlator;
        final ExecutorService workers;

        Line(Socket socket, Correlator correlator, ExecutorService workers) {
            this.socket = socket;
            this.correlator = correlator;
            this.workers = workers;
        }

        @Override public void run() {
            try (Socket s = socket) {
                s.setTcpNoDelay(true);
                BufferedReader in = new BufferedReader(new InputStreamReader(s.getInputStream(), StandardCharsets.US_ASCII));
                OutputStream out = s.getOutputStream();
                for (String text = in.readLine(); text != null; text = in.readLine()) {
                    String[] f = text.split(" ");
                    Event event = new Event(Integer.parseInt(f[0]), Integer.parseInt(f[1]), Integer.parseInt(f[2]), Long.parseLong(f[3]));
                    workers.execute(() -> handle(event, out));
                }
            } catch (IOException e) {
                System.out.println("panel lost: " + e);
            }
        }

        void handle(Event event, OutputStream out) {
            try {
                String answer = event.level() == 0 ? "ok" : correlator.score(event) > 4000 ? "patrol" : "seen";
                if (answer.equals("patrol")) alarms.incrementAndGet();
                byte[] bytes = (answer + "\n").getBytes(StandardCharsets.US_ASCII);
                synchronized (out) {
                    out.write(bytes);
                }
                long took = System.nanoTime() - event.nanos();
                answered.incrementAndGet();
                answerNanos.addAndGet(took);
                worst.accumulateAndGet(took, Math::max);
            } catch (IOException e) {
                System.out.println("panel " + event.panel() + ": " + e);
            }
        }
    }

    /** The panels in the houses: most only say that they are there. */
    static final class Houses implements Runnable {
        final List<SocketChannel> panels = new ArrayList<>();
        final Random random = new Random(4);
        final ByteBuffer answers = ByteBuffer.allocate(4096);

        Houses(int port, int count) throws IOException {
            for (int i = 0; i < count; i++) {
                SocketChannel c = SocketChannel.open(new InetSocketAddress("127.0.0.1", port));
                c.setOption(StandardSocketOptions.TCP_NODELAY, true);
                c.configureBlocking(false);
                panels.add(c);
            }
        }

        @Override public void run() {
            try {
                for (int tick = 0; ; tick++) {
                    send(tick % panels.size(), 0);
                    for (int i = 0; i < 5; i++) send(random.nextInt(12), 1 + random.nextInt(3));
                    Thread.sleep(20);
                }
            } catch (IOException | InterruptedException e) {
                System.out.println("houses: " + e);
            }
        }

        void send(int panel, int level) throws IOException {
            SocketChannel c = panels.get(panel);
            String text = panel + " " + random.nextInt(16) + " " + level + " " + System.nanoTime() + "\n";
            c.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII)));
            answers.clear();
            c.read(answers);
        }
    }

    static ThreadFactory named(String name) {
        AtomicInteger n = new AtomicInteger();
        return r -> new Thread(r, name + "-" + n.incrementAndGet());
    }

    public static void main(String[] args) throws Exception {
        ThreadPoolExecutor workers = new ThreadPoolExecutor(24, 24, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), named("worker"));
        workers.prestartAllCoreThreads();
        ThreadPoolExecutor callouts = new ThreadPoolExecutor(16, 16, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), named("callout"));
        callouts.prestartAllCoreThreads();
        Correlator correlator = new Correlator();
        ServerSocket server = new ServerSocket(0, 200, InetAddress.getByName("127.0.0.1"));
        ThreadFactory lines = named("line");
        new Thread(() -> {
            while (true) {
                try {
                    lines.newThread(new Line(server.accept(), correlator, workers)).start();
                } catch (IOException e) {
                    System.out.println("door: " + e);
                }
            }
        }, "door").start();
        new Thread(new Houses(server.getLocalPort(), 150), "houses").start();
        long done = 0, nanos = 0;
        for (int s = 1; ; s++) {
            Thread.sleep(1000);
            long d = answered.get(), n = answerNanos.get();
            if (s % 10 == 0) callouts.execute(() -> System.out.println("patrols so far: " + alarms.get()));
            System.out.printf("measured: %d messages, answered within %.1f ms on average, %d ms at most, %d threads, %d tasks queued%n",
                d - done, (n - nanos) / 1e6 / Math.max(1, d - done), worst.getAndSet(0) / 1_000_000, Thread.activeCount(), workers.getQueue().size());
            done = d;
            nanos = n;
            if (s == 12) System.out.println("READY");
            System.out.flush();
        }
    }
}
