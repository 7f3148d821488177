// SPDX-License-Identifier: Apache-2.0
// cause: HarbourBoard$PositionBook.export keeps the read lock of the position book while it sends all vessels to a partner, chunk by chunk, and waits for each acknowledgement (HarbourBoard$PartnerLink.send, 35 ms each, 12 chunks); a receiver in PositionBook.move queues for the write lock behind it, and all readers (PositionBook.nearest) queue for the read lock behind that writer
// share: pilots' desks wait for the read lock for about 85 % of their time (8 threads), as measured; a search by itself takes less than 1 ms
// expect: waiting frame=HarbourBoard$PartnerLink.send | waiting kind=read-lock frame=HarbourBoard$PositionBook.nearest chain=HarbourBoard$P
// symptom: waiting
// judge: NAMED: waiting for a read lock at HarbourBoard$PositionBook.nearest, and that it is held in (or what is waited for is in) PositionBook.export / PartnerLink.send / Exporter.run, which waits for the partner's answer in that time; or that wait for an answer at PartnerLink.send as the cause of the lock waits. SYMPTOM ONLY: the read lock at PositionBook.nearest (or the write lock at PositionBook.move) without export; the wait for an answer at PartnerLink.send alone, without the lock. WRONG: that writers hold the lock long or are slow as such, computing in PositionBook.nearest, the partner's thread's sleep as the only fault with nothing of the lock, collections, the machine
// jdk: 21
// set: thirty-fourth
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/** Where vessels are in and around a harbour: receivers report them, pilots' desks ask, a partner port gets them all. */
public class HarbourBoard {
    static final LongAdder searches = new LongAdder(), searchNanos = new LongAdder(), waitNanos = new LongAdder();
    static final LongAdder moves = new LongAdder(), exports = new LongAdder(), exportNanos = new LongAdder();

    /** The line to the partner port, which acknowledges each chunk. */
    static final class PartnerLink implements AutoCloseable {
        private final Socket socket;
        private final DataOutputStream out;
        private final DataInputStream in;

        PartnerLink(int port) throws IOException {
            socket = new Socket(InetAddress.getByName("127.0.0.1"), port);
            socket.setTcpNoDelay(true);
            out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream(), 8192));
            in = new DataInputStream(socket.getInputStream());
        }

        void send(double[] east, double[] north, int from, int to) throws IOException {
            out.writeInt(to - from);
            for (int i = from; i < to; i++) {
                out.writeDouble(east[i]);
                out.writeDouble(north[i]);
            }
            out.flush();
            if (in.readInt() != to - from)
                throw new IOException("partner lost vessels");
        }

        @Override public void close() throws IOException {
            socket.close();
        }
    }

    static final class PositionBook {
        static final int VESSELS = 600, CHUNK = 50;
        private final ReadWriteLock lock = new ReentrantReadWriteLock();
        private final double[] east = new double[VESSELS], north = new double[VESSELS];

        void move(int vessel, double byEast, double byNorth) {
            lock.writeLock().lock();
            try {
                east[vessel] += byEast;
                north[vessel] += byNorth;
            } finally {
                lock.writeLock().unlock();
            }
            moves.increment();
        }

        int nearest(double atEast, double atNorth, int among) {
            long begin = System.nanoTime();
            lock.readLock().lock();
            try {
                waitNanos.add(System.nanoTime() - begin);
                int found = -1;
                for (int round = 0; round < among; round++) {
                    double best = Double.MAX_VALUE;
                    for (int i = 0; i < VESSELS; i++) {
                        double d = Math.hypot(east[i] - atEast - round, north[i] - atNorth);
                        if (d < best) {
                            best = d;
                            found = i;
                        }
                    }
                }
                return found;
            } finally {
                lock.readLock().unlock();
                searches.increment();
                searchNanos.add(System.nanoTime() - begin);
            }
        }

        /** All positions, as of one moment. */
        void export(PartnerLink link) throws IOException {
            lock.readLock().lock();
            try {
                for (int from = 0; from < VESSELS; from += CHUNK)
                    link.send(east, north, from, Math.min(from + CHUNK, VESSELS));
            } finally {
                lock.readLock().unlock();
            }
        }
    }

    static final class Exporter implements Runnable {
        private final PositionBook book;
        private final int port;

        Exporter(PositionBook book, int port) {
            this.book = book;
            this.port = port;
        }

        @Override public void run() {
            try (PartnerLink link = new PartnerLink(port)) {
                while (true) {
                    long begin = System.nanoTime();
                    book.export(link);
                    exportNanos.add(System.nanoTime() - begin);
                    exports.increment();
                    Thread.sleep(60);
                }
            } catch (IOException | InterruptedException e) {
                System.err.println("exporter: " + e);
            }
        }
    }

    /** The partner port's end of the line, some way off. */
    static void partner(ServerSocket listening) {
        try (Socket socket = listening.accept()) {
            socket.setTcpNoDelay(true);
            DataInputStream in = new DataInputStream(new java.io.BufferedInputStream(socket.getInputStream()));
            DataOutputStream out = new DataOutputStream(socket.getOutputStream());
            byte[] chunk = new byte[PositionBook.CHUNK * 16];
            while (true) {
                int vessels = in.readInt();
                in.readFully(chunk, 0, vessels * 16);
                Thread.sleep(35);
                out.writeInt(vessels);
            }
        } catch (IOException | InterruptedException e) {
            System.err.println("partner: " + e);
        }
    }

    static void receive(PositionBook book) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        try {
            while (true) {
                book.move(random.nextInt(PositionBook.VESSELS), random.nextDouble() - 0.5, random.nextDouble() - 0.5);
                Thread.sleep(8);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static void pilotDesk(PositionBook book) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        try {
            while (true) {
                if (book.nearest(random.nextDouble() * 40, random.nextDouble() * 40, 60) < 0)
                    System.out.println("no vessel");
                Thread.sleep(10);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws Exception {
        PositionBook book = new PositionBook();
        ServerSocket listening = new ServerSocket(0, 8, InetAddress.getByName("127.0.0.1"));
        new Thread(() -> partner(listening), "partner-port").start();
        new Thread(new Exporter(book, listening.getLocalPort()), "exporter").start();
        for (int i = 0; i < 2; i++)
            new Thread(() -> receive(book), "receiver-" + i).start();
        for (int i = 0; i < 8; i++)
            new Thread(() -> pilotDesk(book), "pilot-desk-" + i).start();
        for (int second = 0; ; second++) {
            Thread.sleep(1000);
            long n = searches.sumThenReset(), waited = waitNanos.sumThenReset(), all = searchNanos.sumThenReset();
            System.out.printf("measured: %d searches, %.1f ms each, %.0f %% of the desks' time in waiting for the book; %d moves; %.0f ms an export%n",
                n, all / 1e6 / Math.max(1, n), waited / 8e7, moves.sumThenReset(), exportNanos.sumThenReset() / 1e6 / Math.max(1, exports.sumThenReset()));
            if (second == 2) {
                System.out.println("READY");
                System.out.flush();
            }
        }
    }
}
