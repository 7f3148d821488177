// SPDX-License-Identifier: Apache-2.0
// healthy: a leader records stock moves in groups (one force for each group) and streams them to a follower that applies them and then waits for more; clients wait for the confirmation by design, at a rate far below what the pair can do
// judge: True and harmless: "mostly idle", "follower waits in socket read", "leader waits for moves in LinkedBlockingQueue.take", "leader now and then waits for the disk in FileChannel.force", "clients wait for confirmation". Wrong: "fsync per record" (it is per group), "the follower is blocked/stuck", "the single leader thread is a bottleneck", "clients blocked by a lock", "too many threads".
// jdk: 17
// set: fifteenth
import java.io.*;
import java.net.*;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.LongAdder;

/** Stock of a warehouse: a leader with a journal, and a follower ready to take over. */
public final class StockReplica {
    static final int CLIENTS = 8, BINS = 50_000, RECORD = 24;
    static final LongAdder moves = new LongAdder(), groups = new LongAdder(), nanos = new LongAdder(), forced = new LongAdder(), applied = new LongAdder();

    static final class Move {
        final int from, to, pieces;
        final CompletableFuture<Long> confirmed = new CompletableFuture<>();

        Move(int from, int to, int pieces) {
            this.from = from;
            this.to = to;
            this.pieces = pieces;
        }
    }

    /** The stock itself; leader and follower have one each, used by a single thread. */
    static final class Stock {
        final int[] pieces = new int[BINS];
        long sequence;

        Stock() { Arrays.fill(pieces, 1000); }

        void apply(int from, int to, int n) {
            pieces[from] -= n;
            pieces[to] += n;
            sequence++;
        }
    }

    static final class Leader implements Runnable {
        final BlockingQueue<Move> incoming = new LinkedBlockingQueue<>(1000);
        final Stock stock = new Stock();
        final FileChannel journal;
        final OutputStream follower;
        final DataInputStream acks;
        final List<Move> group = new ArrayList<>();
        final ByteBuffer buf = ByteBuffer.allocate(256 * RECORD);

        Leader(Path file, Socket link) throws IOException {
            journal = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            link.setTcpNoDelay(true);
            follower = link.getOutputStream();
            acks = new DataInputStream(link.getInputStream());
        }

        @Override public void run() {
            try {
                while (true) {
                    group.clear();
                    group.add(incoming.take());
                    incoming.drainTo(group, 255);
                    commit();
                }
            } catch (IOException | InterruptedException e) {
                System.err.println(e);
            }
        }

        /** All moves that came in since: one write to the follower, one write and force of the journal. */
        void commit() throws IOException {
            buf.clear();
            for (Move m : group) {
                stock.apply(m.from, m.to, m.pieces);
                buf.putLong(stock.sequence).putInt(m.from).putInt(m.to).putInt(m.pieces).putInt(m.from ^ m.to ^ m.pieces);
            }
            buf.flip();
            follower.write(buf.array(), 0, buf.limit());
            long t0 = System.nanoTime();
            if (journal.position() > 8 << 20) journal.position(0);
            while (buf.hasRemaining()) journal.write(buf);
            journal.force(false);
            forced.add(System.nanoTime() - t0);
            while (acks.readLong() < stock.sequence) { }
            for (Move m : group) m.confirmed.complete(stock.sequence);
            groups.increment();
        }
    }

    static final class Follower implements Runnable {
        final Socket link;
        final Stock stock = new Stock();

        Follower(Socket link) { this.link = link; }

        @Override public void run() {
            try (link; DataInputStream in = new DataInputStream(new BufferedInputStream(link.getInputStream(), 1 << 14))) {
                link.setTcpNoDelay(true);
                DataOutputStream out = new DataOutputStream(new BufferedOutputStream(link.getOutputStream(), 64));
                while (true) {
                    long sequence = in.readLong();
                    int from = in.readInt(), to = in.readInt(), n = in.readInt();
                    if (in.readInt() != (from ^ to ^ n) || sequence != stock.sequence + 1) throw new IOException("gap at " + sequence);
                    stock.apply(from, to, n);
                    applied.increment();
                    if (in.available() < RECORD) {             // end of the group
                        out.writeLong(sequence);
                        out.flush();
                    }
                }
            } catch (IOException e) {
                System.err.println(e);
            }
        }
    }

    static void client(int id, Leader leader) {
        SplittableRandom rnd = new SplittableRandom(id);
        try {
            while (true) {
                Thread.sleep(15 + rnd.nextInt(30));             // the picker walks
                long t0 = System.nanoTime();
                Move m = new Move(rnd.nextInt(BINS), rnd.nextInt(BINS), 1 + rnd.nextInt(9));
                leader.incoming.put(m);
                m.confirmed.get(10, TimeUnit.SECONDS);
                nanos.add(System.nanoTime() - t0);
                moves.increment();
            }
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            System.err.println(e);
        }
    }

    static void daemon(String name, Runnable r) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        Path dir = Files.createTempDirectory("stock");
        Path file = dir.resolve("journal");
        dir.toFile().deleteOnExit();
        file.toFile().deleteOnExit();
        ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        Socket link = new Socket(InetAddress.getLoopbackAddress(), server.getLocalPort());
        daemon("follower", new Follower(server.accept()));
        Leader leader = new Leader(file, link);
        daemon("leader", leader);
        for (int i = 0; i < CLIENTS; i++) {
            int id = i;
            daemon("picker-" + i, () -> client(id, leader));
        }
        System.out.println("READY");
        for (long last = 0; ; ) {
            Thread.sleep(1000);
            long n = moves.sum();
            System.out.printf("measured: %d moves/s in %d groups, %.2f ms each, %.2f ms of it the journal, follower at %d%n", n - last, groups.sum(),
                    nanos.sum() / 1e6 / Math.max(1, n), forced.sum() / 1e6 / Math.max(1, groups.sum()), applied.sum());
            last = n;
        }
    }
}
