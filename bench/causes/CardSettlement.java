// SPDX-License-Identifier: Apache-2.0
// cause: CardSettlement.settle does not give its Link back to LinkPool when the acquirer declines (the IllegalStateException leaves the method before pool.giveBack); about 1 percent of the calls leak one of the 8 links until LinkPool.reclaim takes it back after 4 seconds, so the pool is empty most of the time and the workers wait in LinkPool.borrow.
// share: faulty about 200 settlements/s in bursts (0 to 350 from second to second) at mean 50 to 150 ms, fixed about 860 settlements/s at mean 14 ms (factor 4).
// expect: waiting kind=pool peak=.
// symptom: waiting
// judge: NAMED: links (connections) leaked from LinkPool on the decline/exception path of CardSettlement.settle (missing give back / finally), which empties the pool. SYMPTOM ONLY: threads wait in LinkPool.borrow / ArrayBlockingQueue.poll, the pool is exhausted, the pool is too small, without saying that links are not returned after a decline. WRONG: a slow acquirer or slow network, lock contention inside the queue, exceptions as a CPU cost, too few worker threads, deadlock.
// jdk: 11
// set: twenty-fifth
// jvm:

import java.io.*;
import java.net.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class CardSettlement {
    static final boolean VARIANT = Boolean.getBoolean("fixed");

    static final class Link {
        final Socket socket;
        final DataOutputStream out;
        final DataInputStream in;
        volatile long takenAt;

        Link(int port) throws IOException {
            socket = new Socket(InetAddress.getLoopbackAddress(), port);
            socket.setTcpNoDelay(true);
            out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
            in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
        }

        int ask(long card, int cents) throws IOException {
            out.writeLong(card);
            out.writeInt(cents);
            out.flush();
            return in.readInt();
        }
    }

    static final class LinkPool {
        final List<Link> all = new CopyOnWriteArrayList<>();
        final BlockingQueue<Link> free;

        LinkPool(int size, int port) throws IOException {
            free = new ArrayBlockingQueue<>(size);
            for (int i = 0; i < size; i++) {
                Link l = new Link(port);
                all.add(l);
                free.add(l);
            }
        }

        Link borrow() throws InterruptedException {
            while (true) {
                Link l = free.poll(5, TimeUnit.SECONDS);
                if (l != null) {
                    l.takenAt = System.nanoTime();
                    return l;
                }
            }
        }

        void giveBack(Link l) {
            l.takenAt = 0;
            free.add(l);
        }

        void reclaim() {
            long now = System.nanoTime();
            for (Link l : all) {
                if (l.takenAt != 0 && now - l.takenAt > TimeUnit.SECONDS.toNanos(4)) {
                    giveBack(l);
                }
            }
        }
    }

    static void acquirer(ServerSocket server) {
        try {
            while (true) {
                Socket s = server.accept();
                s.setTcpNoDelay(true);
                daemon(() -> answer(s), "acquirer-" + s.getPort());
            }
        } catch (IOException e) {
            System.out.println("acquirer closed");
        }
    }

    static void answer(Socket s) {
        try (Socket socket = s) {
            DataInputStream in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
            DataOutputStream out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
            while (true) {
                long card = in.readLong();
                int cents = in.readInt();
                Thread.sleep(8);
                out.writeInt(card % 100 == 17 ? -1 : cents);
                out.flush();
            }
        } catch (IOException | InterruptedException e) {
            return;
        }
    }

    static int settle(LinkPool pool, long card, int cents) throws IOException, InterruptedException {
        Link link = pool.borrow();
        try {
            int paid = link.ask(card, cents);
            if (paid < 0) {
                if (VARIANT) {
                    pool.giveBack(link);
                }
                throw new IllegalStateException("declined");
            }
            pool.giveBack(link);
            return paid;
        } catch (IOException e) {
            pool.giveBack(link);
            throw e;
        }
    }

    static final AtomicLong settled = new AtomicLong();
    static final AtomicLong declined = new AtomicLong();
    static final AtomicLong nanos = new AtomicLong();

    static void teller(LinkPool pool, int no) {
        Random rnd = new Random(no);
        while (true) {
            long t0 = System.nanoTime();
            try {
                settle(pool, 4_000_000_000L + rnd.nextInt(1_000_000_000), 100 + rnd.nextInt(20000));
                settled.incrementAndGet();
            } catch (IllegalStateException e) {
                declined.incrementAndGet();
            } catch (IOException | InterruptedException e) {
                return;
            }
            nanos.addAndGet(System.nanoTime() - t0);
        }
    }

    static void daemon(Runnable r, String name) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        daemon(() -> acquirer(server), "acquirer");
        LinkPool pool = new LinkPool(8, server.getLocalPort());
        for (int i = 0; i < 12; i++) {
            int no = i;
            daemon(() -> teller(pool, no), "teller-" + i);
        }
        System.out.println("READY");
        long last = 0;
        long lastNanos = 0;
        for (int s = 0; s < 168; s++) {
            for (int q = 0; q < 4; q++) {
                Thread.sleep(250);
                pool.reclaim();
            }
            long c = settled.get() + declined.get();
            long n = nanos.get();
            System.out.println("measured: " + (c - last) + " settlements/s, mean "
                    + (n - lastNanos) / Math.max(1, c - last) / 1000 + " us");
            last = c;
            lastNanos = n;
        }
    }
}
