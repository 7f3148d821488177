// SPDX-License-Identifier: Apache-2.0
// healthy: nearly all of the 24 client and 24 server threads wait most of the time (socket read, Condition.await up to 15 s), but these are long polls that wait for notices by design, and each notice arrives within about a millisecond of publication.
// share: measures 21 notices/s, mean delivery 1.10 ms (means over the seconds after warm-up of a run of 9 to 13 s, shared 2-core machine)
// judge: WRONG: slow server or network, lock contention, a stuck condition or lost signal, thread starvation, deadlock, too many threads as a fault, a poll timeout that is too long. ACCEPTABLE as true and neutral: threads idle in long polls (Topic.await, socket read); thread per connection would not scale to thousands of clients; signalAll wakes all waiters of a topic.
// jdk: 11
// set: twenty-fourth
// jvm:
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Notices of a harbour office: clients ask for the next notice of a berth and the server answers when there is one. */
public class NoticeBoardDesk {
    static final int TOPICS = 8;
    static final int CLIENTS = 24;
    static final long POLL_MILLIS = 15_000;

    static final class Notice {
        final long sequence;
        final long publishedNanos;
        final String text;

        Notice(long sequence, long publishedNanos, String text) {
            this.sequence = sequence;
            this.publishedNanos = publishedNanos;
            this.text = text;
        }
    }

    static final class Topic {
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition arrived = lock.newCondition();
        private final ArrayDeque<Notice> recent = new ArrayDeque<>();
        private long last;

        void publish(String text) {
            lock.lock();
            try {
                recent.addLast(new Notice(++last, System.nanoTime(), text));
                if (recent.size() > 64) {
                    recent.removeFirst();
                }
                arrived.signalAll();
            } finally {
                lock.unlock();
            }
        }

        Notice await(long after) throws InterruptedException {
            long left = TimeUnit.MILLISECONDS.toNanos(POLL_MILLIS);
            lock.lock();
            try {
                while (last <= after && left > 0) {
                    left = arrived.awaitNanos(left);
                }
                for (Notice n : recent) {
                    if (n.sequence > after) {
                        return n;
                    }
                }
                return null;
            } finally {
                lock.unlock();
            }
        }
    }

    static final List<Topic> topics = new ArrayList<>();
    static final LongAdder delivered = new LongAdder();
    static final LongAdder empty = new LongAdder();
    static final LongAdder nanos = new LongAdder();

    static void serve(Socket socket) {
        try (Socket s = socket) {
            BufferedReader in = new BufferedReader(new InputStreamReader(s.getInputStream(), StandardCharsets.US_ASCII));
            BufferedWriter out = new BufferedWriter(new OutputStreamWriter(s.getOutputStream(), StandardCharsets.US_ASCII));
            String line;
            while ((line = in.readLine()) != null) {
                String[] parts = line.split(" ");
                Notice n = topics.get(Integer.parseInt(parts[1])).await(Long.parseLong(parts[2]));
                out.write(n == null ? "NONE\n" : "NOTICE " + n.sequence + " " + n.publishedNanos + " " + n.text + "\n");
                out.flush();
            }
        } catch (IOException | InterruptedException e) {
            System.out.println("connection ended: " + e);
        }
    }

    static void client(int number, int port) {
        try (Socket s = new Socket(InetAddress.getLoopbackAddress(), port)) {
            s.setTcpNoDelay(true);
            BufferedReader in = new BufferedReader(new InputStreamReader(s.getInputStream(), StandardCharsets.US_ASCII));
            BufferedWriter out = new BufferedWriter(new OutputStreamWriter(s.getOutputStream(), StandardCharsets.US_ASCII));
            long seen = 0;
            while (true) {
                out.write("POLL " + number % TOPICS + " " + seen + "\n");
                out.flush();
                String[] reply = in.readLine().split(" ", 4);
                if (reply[0].equals("NOTICE")) {
                    seen = Long.parseLong(reply[1]);
                    nanos.add(System.nanoTime() - Long.parseLong(reply[2]));
                    delivered.increment();
                } else {
                    empty.increment();
                }
            }
        } catch (IOException e) {
            System.out.println("client ended: " + e);
        }
    }

    static void daemon(String name, Runnable body) {
        Thread t = new Thread(body, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < TOPICS; i++) {
            topics.add(new Topic());
        }
        ServerSocket server = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
        daemon("accept", () -> {
            try {
                while (true) {
                    Socket s = server.accept();
                    s.setTcpNoDelay(true);
                    daemon("poll-" + s.getPort(), () -> serve(s));
                }
            } catch (IOException e) {
                System.out.println("server closed");
            }
        });
        for (int i = 0; i < CLIENTS; i++) {
            int number = i;
            daemon("client-" + i, () -> client(number, server.getLocalPort()));
        }
        daemon("harbour-office", () -> {
            SplittableRandom random = new SplittableRandom(5);
            try {
                for (int n = 0; ; n++) {
                    Thread.sleep(50 + random.nextInt(200));
                    topics.get(random.nextInt(TOPICS)).publish("ship " + n + " moved");
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        System.out.println("READY");
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(170);
        while (System.nanoTime() < end) {
            Thread.sleep(1000);
            long n = delivered.sumThenReset();
            long ns = nanos.sumThenReset();
            System.out.printf("measured: %d notices/s, mean delivery %.3f ms, empty polls %d%n", n, n == 0 ? 0.0 : ns / 1e6 / n, empty.sum());
        }
        System.exit(0);
    }
}
