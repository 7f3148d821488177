// SPDX-License-Identifier: Apache-2.0
// healthy: the 10 threads feed-N have each opened a connection to an auction house and subscribed there; they read what it says when a lot is sold, which happens now and then, so they wait in a read nearly all the time, for no answer to anything; every price is in the board within a ms
// share: 0.1 to 0.2 of 2 CPUs (valuations); a price takes 0.5 to 1.5 ms from the hammer to the board ("on the board after" in the measured lines), on a busy machine; 10 prices a second in all
// judge: NAMED: nothing stands out; or only neutral statements (time goes to reads of WoolQuotes$Feed.follow; CPU time goes to WoolQuotes$Valuer.value) that call nothing a fault. SYMPTOM ONLY: does not apply. WRONG: any accusation, above all that the feed threads wait for a server's answer (socket-read) at WoolQuotes$Feed.follow or that the houses (WoolQuotes$House) answer slowly; also held-back writes, locks, sleeping, hot code as a fault.
// jdk: 17
// set: thirty-sixth

import java.io.*;
import java.net.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class WoolQuotes {
    static final AtomicLong prices = new AtomicLong(), delayNanos = new AtomicLong(), worst = new AtomicLong(), valued = new AtomicLong(), valueNanos = new AtomicLong(), beats = new AtomicLong();

    /** An auction house: says to all who follow it what each lot was sold for. */
    static final class House implements Runnable {
        private final ServerSocket door;
        private final List<Socket> followers = new CopyOnWriteArrayList<>();
        private final int number;

        House(int number) throws IOException {
            this.number = number;
            door = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"));
            Thread greeter = new Thread(this::greet, "greeter-" + number);
            greeter.setDaemon(true);
            greeter.start();
        }

        int port() { return door.getLocalPort(); }

        void greet() {
            while (true) {
                try {
                    Socket s = door.accept();
                    s.setTcpNoDelay(true);
                    followers.add(s);
                    Thread listener = new Thread(() -> listen(s), "listener-" + number);
                    listener.setDaemon(true);
                    listener.start();
                } catch (IOException e) {
                    System.out.println("house " + number + ": " + e);
                }
            }
        }

        void listen(Socket s) {
            try {
                BufferedReader in = new BufferedReader(new InputStreamReader(s.getInputStream(), StandardCharsets.US_ASCII));
                while (in.readLine() != null) beats.incrementAndGet();
            } catch (IOException e) {
                followers.remove(s);
            }
        }

        @Override public void run() {
            Random random = new Random(number);
            try {
                while (true) {
                    Thread.sleep(300 + random.nextInt(1500));
                    String lot = number + " " + (16 + random.nextInt(9)) + " " + (900 + random.nextInt(600)) + " " + System.nanoTime() + "\n";
                    byte[] bytes = lot.getBytes(StandardCharsets.US_ASCII);
                    for (Socket s : followers) s.getOutputStream().write(bytes);
                }
            } catch (IOException | InterruptedException e) {
                System.out.println("house " + number + " closes: " + e);
            }
        }
    }

    /** The latest prices by fineness in micron. */
    static final class Board {
        private final ConcurrentSkipListMap<Integer, Deque<Integer>> byMicron = new ConcurrentSkipListMap<>();

        void put(int micron, int cents) {
            byMicron.compute(micron, (m, old) -> {
                Deque<Integer> all = old == null ? new ArrayDeque<>() : new ArrayDeque<>(old);
                all.addFirst(cents);
                if (all.size() > 50) all.removeLast();
                return all;
            });
        }

        double mean(int micron) {
            Deque<Integer> all = byMicron.get(micron);
            return all == null ? 1200 : all.stream().mapToInt(Integer::intValue).average().orElse(1200);
        }
    }

    /** Follows one house. */
    static final class Feed implements Runnable {
        final Socket socket;
        final Board board;

        Feed(int port, Board board) throws IOException {
            this.board = board;
            socket = new Socket("127.0.0.1", port);
            socket.setTcpNoDelay(true);
            say("subscribe merino crossbred");
        }

        void say(String text) throws IOException {
            socket.getOutputStream().write((text + "\n").getBytes(StandardCharsets.US_ASCII));
        }

        @Override public void run() {
            try {
                follow(new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII)));
            } catch (IOException e) {
                System.out.println("feed ends: " + e);
            }
        }

        void follow(BufferedReader in) throws IOException {
            for (String text = in.readLine(); text != null; text = in.readLine()) {
                String[] f = text.split(" ");
                board.put(Integer.parseInt(f[1]), Integer.parseInt(f[2]));
                long delay = System.nanoTime() - Long.parseLong(f[3]);
                prices.incrementAndGet();
                delayNanos.addAndGet(delay);
                worst.accumulateAndGet(delay, Math::max);
            }
        }
    }

    /** Values the bales in the store by the latest prices, some at a time. */
    static final class Valuer implements Runnable {
        final Board board;
        final int[] micron = new int[60_000], kilos = new int[60_000];
        int next;
        double total;

        Valuer(Board board) {
            this.board = board;
            Random random = new Random(1);
            for (int i = 0; i < micron.length; i++) {
                micron[i] = 16 + random.nextInt(9);
                kilos[i] = 110 + random.nextInt(95);
            }
        }

        @Override public void run() {
            long from = System.nanoTime();
            for (int i = 0; i < 4000; i++) {
                total += value(next);
                next = (next + 1) % micron.length;
            }
            valued.addAndGet(4000);
            valueNanos.addAndGet(System.nanoTime() - from);
        }

        double value(int bale) {
            double sum = 0;
            for (int m = micron[bale] - 1; m <= micron[bale] + 1; m++) sum += board.mean(m) * (m == micron[bale] ? 0.5 : 0.25);
            return sum * kilos[bale] / 100;
        }
    }

    public static void main(String[] args) throws Exception {
        Board board = new Board();
        List<Feed> feeds = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            House house = new House(i);
            Feed feed = new Feed(house.port(), board);
            feeds.add(feed);
            new Thread(feed, "feed-" + i).start();
            new Thread(house, "house-" + i).start();
        }
        ScheduledExecutorService clock = Executors.newScheduledThreadPool(2, r -> new Thread(r, "clock"));
        clock.scheduleWithFixedDelay(new Valuer(board), 10, 10, TimeUnit.MILLISECONDS);
        clock.scheduleWithFixedDelay(() -> {
            for (Feed f : feeds) {
                try {
                    f.say("alive");
                } catch (IOException e) {
                    System.out.println("feed: " + e);
                }
            }
        }, 5, 5, TimeUnit.SECONDS);
        long done = 0, delay = 0, v = 0, vn = 0;
        for (int s = 1; ; s++) {
            Thread.sleep(1000);
            long d = prices.get(), n = delayNanos.get(), v2 = valued.get(), vn2 = valueNanos.get();
            System.out.printf("measured: %d prices, on the board after %.2f ms each, %.1f ms at most; %d bales valued in %d ms; %d beats%n",
                d - done, (n - delay) / 1e6 / Math.max(1, d - done), worst.getAndSet(0) / 1e6, v2 - v, (vn2 - vn) / 1_000_000, beats.get());
            done = d;
            delay = n;
            v = v2;
            vn = vn2;
            if (s == 5) System.out.println("READY");
            System.out.flush();
        }
    }
}
