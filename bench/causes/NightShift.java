// SPDX-License-Identifier: Apache-2.0
// healthy: a back office at night: pools of idle threads, heartbeats, a long poll, a paced stock count; ~15 % of a CPU
// judge: nothing is wrong; every finding is wrong.
// jdk: 17
// set: thirteenth

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

public class NightShift {
    static final LongAdder counts = new LongAdder(), reminders = new LongAdder(), events = new LongAdder();

    static class Reminder implements Delayed {
        final long due = System.nanoTime() + ThreadLocalRandom.current().nextLong(2_000_000_000L);

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(due - System.nanoTime(), TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed o) {
            return Long.compare(due, ((Reminder) o).due);
        }
    }

    /** The head office answers a long poll when it has an event, or after 2 s. */
    static void headOffice(ServerSocket listener) {
        try (Socket s = listener.accept()) {
            s.setTcpNoDelay(true);
            DataInputStream in = new DataInputStream(s.getInputStream());
            DataOutputStream out = new DataOutputStream(s.getOutputStream());
            while (true) {
                int last = in.readInt();
                Thread.sleep(ThreadLocalRandom.current().nextInt(2000));
                out.writeInt(last + 1);
            }
        } catch (IOException | InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static void poll(int port) {
        try (Socket s = new Socket(InetAddress.getLoopbackAddress(), port)) {
            s.setTcpNoDelay(true);
            DataInputStream in = new DataInputStream(s.getInputStream());
            DataOutputStream out = new DataOutputStream(s.getOutputStream());
            for (int last = 0;; last = in.readInt()) {
                out.writeInt(last);
                events.increment();
            }
        } catch (IOException e) {
            System.err.println(e);
        }
    }

    static int count(int shelf, int[] stock) {
        TreeMap<Integer, Integer> byArticle = new TreeMap<>();
        for (int i = 0; i < stock.length; i++) {
            byArticle.merge((stock[i] * 31 + shelf) % 400, 1, Integer::sum);
        }
        int[] sorted = stock.clone();
        Arrays.sort(sorted);
        return byArticle.size() + sorted[sorted.length / 2];
    }

    public static void main(String[] args) throws Exception {
        List<ThreadPoolExecutor> pools = new ArrayList<>();
        for (String name : new String[] {"mail", "invoice", "label", "export"}) {
            AtomicLong n = new AtomicLong();
            ThreadPoolExecutor pool = new ThreadPoolExecutor(8, 8, 1, TimeUnit.MINUTES, new LinkedBlockingQueue<>(),
                    r -> new Thread(r, name + "-" + n.incrementAndGet()));
            pool.prestartAllCoreThreads();
            pools.add(pool);
        }
        ServerSocket listener = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        new Thread(() -> headOffice(listener), "head-office").start();
        new Thread(() -> poll(listener.getLocalPort()), "long-poll").start();
        DelayQueue<Reminder> delayed = new DelayQueue<>();
        new Thread(() -> {
            try {
                while (true) {
                    delayed.take();
                    reminders.increment();
                    pools.get(0).execute(() -> delayed.add(new Reminder()));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }, "reminders").start();
        for (int i = 0; i < 30; i++) {
            delayed.add(new Reminder());
        }
        int[] stock = ThreadLocalRandom.current().ints(4000, 0, 100_000).toArray();
        AtomicLong shelves = new AtomicLong();
        ScheduledExecutorService timer = Executors.newScheduledThreadPool(2);
        timer.scheduleAtFixedRate(() -> {
            int shelf = (int) shelves.incrementAndGet();
            pools.get(1 + shelf % 3).execute(() -> counts.add(count(shelf, stock) > 0 ? 1 : 0));
        }, 0, 5, TimeUnit.MILLISECONDS);
        timer.scheduleAtFixedRate(() -> pools.forEach(ThreadPoolExecutor::getActiveCount), 0, 500, TimeUnit.MILLISECONDS);
        System.out.println("READY");
        while (true) {
            Thread.sleep(1000);
            System.out.printf("measured: %d counts/s, %d reminders/s, %d events%n", counts.sumThenReset(),
                    reminders.sumThenReset(), events.sum());
        }
    }
}
