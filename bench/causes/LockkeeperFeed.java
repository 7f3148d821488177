// SPDX-License-Identifier: Apache-2.0
// healthy: 12 "skipper" threads wait nearly all of their time for the server's answer on a socket, and as many server threads for a condition, since skippers ask for the next notice of their waterway (long polling) and are answered when there is one, every 0.9 s or so; a notice is delivered at once.
// share: measures notices delivered per second (about 13) and the mean time from the publication of a notice to its receipt (about 1 ms or less)
// judge: WRONG: the server is slow or does not answer, waits in Skipper.next (socket) or Waterway.after (condition) as a fault, ask several at a time, held back by Nagle, more threads or connections, lost notifications or time-outs that end waits. ACCEPTABLE: a neutral remark that threads wait for the server in Skipper.next, which is this process, or for a condition in Waterway.after, without claiming a fault; the process did next to nothing; nothing stands out.
// jdk: 17
// set: twenty-fifth
// jvm:
import java.io.*;
import java.net.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.concurrent.atomic.*;
import java.util.concurrent.locks.*;

public class LockkeeperFeed {
    record Notice(long number, long at, String text) { }

    static class Waterway {
        private final Lock lock = new ReentrantLock();
        private final Condition published = lock.newCondition();
        private final Deque<Notice> recent = new ArrayDeque<>();
        private long last;

        void publish(String text) {
            lock.lock();
            try {
                recent.addLast(new Notice(++last, System.nanoTime(), text));
                if (recent.size() > 20) recent.removeFirst();
                published.signalAll();
            } finally {
                lock.unlock();
            }
        }
        Notice after(long number) throws InterruptedException {
            lock.lock();
            try {
                while (last <= number) published.await();
                for (Notice n : recent) if (n.number() > number) return n;
                throw new IllegalStateException();
            } finally {
                lock.unlock();
            }
        }
    }

    static class Feed implements Runnable {
        final ServerSocket door;
        final List<Waterway> waterways;
        Feed(List<Waterway> waterways) throws IOException {
            this.waterways = waterways;
            door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        }
        @Override public void run() {
            try {
                for (int n = 0; ; n++) {
                    Socket s = door.accept();
                    start(() -> serve(s), "feed-" + n);
                }
            } catch (IOException e) {
                e.printStackTrace();
            }
        }
        private void serve(Socket s) {
            try (s) {
                s.setTcpNoDelay(true);
                BufferedReader in = new BufferedReader(new InputStreamReader(s.getInputStream()));
                OutputStream out = s.getOutputStream();
                for (String line; (line = in.readLine()) != null; ) {
                    String[] f = line.split(" ");
                    Notice n = waterways.get(Integer.parseInt(f[1])).after(Long.parseLong(f[2]));
                    out.write((n.number() + " " + n.at() + " " + n.text() + "\n").getBytes(StandardCharsets.UTF_8));
                }
            } catch (Exception e) {
                e.printStackTrace();
            }
        }
    }

    static class Skipper implements Runnable {
        final int waterway;
        final BufferedReader in;
        final OutputStream out;
        final Totals totals;
        long seen;
        Skipper(int port, int waterway, Totals totals) throws IOException {
            this.waterway = waterway;
            this.totals = totals;
            Socket s = new Socket(InetAddress.getLoopbackAddress(), port);
            s.setTcpNoDelay(true);
            in = new BufferedReader(new InputStreamReader(s.getInputStream(), StandardCharsets.UTF_8));
            out = s.getOutputStream();
        }
        String next() throws IOException {
            out.write(("AFTER " + waterway + ' ' + seen + '\n').getBytes());
            return in.readLine();
        }
        @Override public void run() {
            try {
                while (true) {
                    String[] f = next().split(" ", 3);
                    totals.age.add(System.nanoTime() - Long.parseLong(f[1]));
                    totals.delivered.increment();
                    long number = Long.parseLong(f[0]);
                    if (seen > 0 && number != seen + 1) totals.missed.increment();
                    seen = number;
                    totals.letters.add(f[2].length());
                }
            } catch (IOException e) {
                e.printStackTrace();
            }
        }
    }

    static class Totals {
        final LongAdder delivered = new LongAdder(), age = new LongAdder(), missed = new LongAdder(), letters = new LongAdder();
    }

    static class Keeper implements Runnable {
        final List<Waterway> waterways;
        final Random r = new Random(8);
        Keeper(List<Waterway> waterways) {
            this.waterways = waterways;
        }
        @Override public void run() {
            try {
                while (true) {
                    Thread.sleep(200 + r.nextInt(50));
                    String what = r.nextBoolean() ? "gate open" : "gate shut";
                    waterways.get(r.nextInt(waterways.size())).publish(what + ", level " + (200 + r.nextInt(90)) + " cm");
                }
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    public static void main(String[] args) throws Exception {
        List<Waterway> waterways = List.of(new Waterway(), new Waterway(), new Waterway(), new Waterway());
        Feed feed = new Feed(waterways);
        start(feed, "feed-door");
        Totals totals = new Totals();
        for (int i = 0; i < 12; i++) start(new Skipper(feed.door.getLocalPort(), i % 4, totals), "skipper-" + i);
        start(new Keeper(waterways), "keeper");
        System.out.println("READY");
        for (long end = System.nanoTime() + 170_000_000_000L; System.nanoTime() < end; ) {
            Thread.sleep(1000);
            long n = totals.delivered.sumThenReset(), age = totals.age.sumThenReset();
            System.out.printf("measured: %d notices/s, %.3f ms from publication to receipt, %d missed%n", n, n == 0 ? 0 : age / 1e6 / n, totals.missed.sum());
        }
        System.exit(0);
    }

    static void start(Runnable r, String name) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }
}
