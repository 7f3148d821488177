// SPDX-License-Identifier: Apache-2.0
// cause: the zone's lock is held during a remote write: Zone.trade calls JournalClient.append (socket round trip of 8 ms to the journal) inside synchronized (state), so all other players' threads queue up at the monitor for moves that need microseconds
// share: players spend 73-84% of their time in zone calls (fixed 20%); about 1,080 actions/s, fixed about 3,800/s (3.5x)
// judge: names the cause: "threads are blocked at the monitor in Zone.move/Zone.trade whose owner is in socket I/O (JournalClient.append) - do the I/O outside of the lock". True, only symptoms: "contended monitor", "waits for network in JournalClient.append" (alone), "CPU is idle". Wrong: "too few threads/undersized pool", "the players' pacing sleep is the problem", "GC or CPU hot spot", "the journal simulator's sleep".
// expect: waiting waiter=Zone.move frame=JournalClient.append | waiting waiter=Zone.trade frame=JournalClient.append
// symptom: waiting
// jdk: 17
// set: fifteenth
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;

/** A zone of an online role playing game: players move and trade; trades are journalled by a remote service before they count. */
public final class ZoneServer {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final int PLAYERS = 24;
    static final LongAdder ACTIONS = new LongAdder();
    static final LongAdder TRADES = new LongAdder();
    static final LongAdder WAIT_NANOS = new LongAdder();

    static final class Avatar {
        int x, y, gold = 10_000;
    }

    record Trade(int seller, int buyer, int price, CompletableFuture<Void> durable) { }

    static final class JournalClient {
        private final DataInputStream in;
        private final DataOutputStream out;
        private final LinkedBlockingQueue<Trade> pending = new LinkedBlockingQueue<>(1000);

        JournalClient(int port) throws IOException {
            Socket s = new Socket(InetAddress.getLoopbackAddress(), port);
            s.setTcpNoDelay(true);
            in = new DataInputStream(s.getInputStream());
            out = new DataOutputStream(s.getOutputStream());
        }

        void append(List<Trade> trades) throws IOException {
            java.nio.ByteBuffer b = java.nio.ByteBuffer.allocate(4 + 12 * trades.size()).putInt(trades.size());
            for (Trade t : trades) {
                b.putInt(t.seller()).putInt(t.buyer()).putInt(t.price());
            }
            out.write(b.array());
            in.readInt();
        }

        /** Takes all the trades that have come since in one write. */
        void groupCommit() {
            List<Trade> batch = new ArrayList<>();
            try {
                while (true) {
                    batch.add(pending.take());
                    pending.drainTo(batch);
                    append(batch);
                    batch.forEach(t -> t.durable().complete(null));
                    batch.clear();
                }
            } catch (IOException | InterruptedException e) {
                batch.forEach(t -> t.durable().completeExceptionally(e));
            }
        }
    }

    static final class Zone {
        private final Map<Integer, Avatar> state = new HashMap<>();
        private final JournalClient journal;

        Zone(JournalClient journal) {
            this.journal = journal;
            for (int i = 0; i < PLAYERS; i++) {
                state.put(i, new Avatar());
            }
        }

        int move(int player, int dx, int dy) {
            synchronized (state) {
                Avatar a = state.get(player);
                a.x = Math.floorMod(a.x + dx, 512);
                a.y = Math.floorMod(a.y + dy, 512);
                int near = 0;
                for (Avatar o : state.values()) {
                    if (Math.abs(o.x - a.x) < 16 && Math.abs(o.y - a.y) < 16) {
                        near++;
                    }
                }
                return near;
            }
        }

        void trade(int seller, int buyer, int price) throws Exception {
            Trade t = new Trade(seller, buyer, price, new CompletableFuture<>());
            synchronized (state) {
                state.get(seller).gold += price;
                state.get(buyer).gold -= price;
                if (!FIXED) {
                    journal.append(List.of(t));
                }
            }
            if (FIXED) {
                journal.pending.put(t);
                t.durable().get();
            }
            TRADES.increment();
        }
    }

    /** Stands for the journal service on another machine: acknowledges a write when it is on its disk, after 8 ms. */
    static void journalService(ServerSocket server) {
        try (Socket s = server.accept()) {
            s.setTcpNoDelay(true);
            DataInputStream in = new DataInputStream(new java.io.BufferedInputStream(s.getInputStream()));
            DataOutputStream out = new DataOutputStream(s.getOutputStream());
            while (true) {
                int n = in.readInt();
                in.readFully(new byte[12 * n]);
                Thread.sleep(8);
                out.writeInt(n);
            }
        } catch (IOException | InterruptedException e) {
            // zone has gone
        }
    }

    static void play(Zone zone, int player) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        try {
            while (true) {
                Thread.sleep(5); // the client's frame
                long t0 = System.nanoTime();
                if (random.nextInt(10) == 0) {
                    zone.trade(player, (player + 1 + random.nextInt(PLAYERS - 1)) % PLAYERS, 1 + random.nextInt(50));
                } else {
                    zone.move(player, random.nextInt(7) - 3, random.nextInt(7) - 3);
                }
                WAIT_NANOS.add(System.nanoTime() - t0);
                ACTIONS.increment();
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws Exception {
        ServerSocket server = new ServerSocket(0, 16, InetAddress.getLoopbackAddress());
        start("journal-service", () -> journalService(server));
        JournalClient journal = new JournalClient(server.getLocalPort());
        if (FIXED) {
            start("journal-writer", journal::groupCommit);
        }
        Zone zone = new Zone(journal);
        for (int i = 0; i < PLAYERS; i++) {
            int player = i;
            start("player-" + i, () -> play(zone, player));
        }
        System.out.println("READY");
        long last = 0, lastWait = 0;
        while (true) {
            Thread.sleep(1000);
            long n = ACTIONS.sum(), w = WAIT_NANOS.sum();
            System.out.printf("measured: %d actions/s, of the players' time in zone calls %.0f%%, trades %d%n",
                    n - last, (w - lastWait) / 1e7 / PLAYERS, TRADES.sum());
            last = n;
            lastWait = w;
        }
    }

    static void start(String name, Runnable r) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }
}
