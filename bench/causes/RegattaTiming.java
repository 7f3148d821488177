// SPDX-License-Identifier: Apache-2.0
// cause: RegattaTiming$Broadcaster.send writes each bulletin to all displays in turn, by blocking sockets, in one thread; one display (the jury's wall, RegattaTiming$Display with a pause of 15 ms for each 2 KiB) takes what it gets too slowly, its socket's buffers are full, and the broadcaster waits in the write to it nearly all the time; so all others get late bulletins, and the trackers wait for room in the broadcaster's queue
// share: @SHARE@
// expect: waiting kind=socket-write frame=RegattaTiming$Broadcaster
// symptom: waiting
// judge: NAMED: waiting to write to a socket (socket-write) at RegattaTiming$Broadcaster.send (or flush below it), since somebody (a display, 127.0.0.1) does not read what is sent; also as the end of the chain of those who wait for room in the queue. SYMPTOM ONLY: waiting for room in a queue at RegattaTiming$Tracker.run (or report) without what its consumer does; the timer at RegattaTiming$Display.draw as the cause of it without the write. WRONG: locks, CPU or collections, reading sockets as the cause (displays wait for data, which is idle), a timer of the trackers, the number of threads
// jdk: 25
// set: thirty-fifth
// jvm: -Xmx128m
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** Sends the positions of the boats of a regatta to the displays along the course. */
public class RegattaTiming {
    static final int BULLETIN = 2048;
    static final LongAdder sent = new LongAdder();
    static final LongAdder sendNanos = new LongAdder();
    static final LongAdder putNanos = new LongAdder();
    static final AtomicLong age = new AtomicLong();

    record Position(int boat, double north, double east, long nanos) {
    }

    /** The tracker of a few boats: positions by GPS, several a second of each. */
    static final class Tracker implements Runnable {
        private final int first;
        private final BlockingQueue<Position> out;
        private final Random random;

        Tracker(int first, BlockingQueue<Position> out) {
            this.first = first;
            this.out = out;
            this.random = new Random(first);
        }

        @Override
        public void run() {
            double[] north = new double[8];
            double[] east = new double[8];
            try {
                for (int i = 0; ; i = (i + 1) % north.length) {
                    north[i] += 2 + random.nextGaussian();
                    east[i] += random.nextGaussian();
                    long begin = System.nanoTime();
                    out.put(new Position(first + i, north[i], east[i], begin));
                    putNanos.add(System.nanoTime() - begin);
                    Thread.sleep(15);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Takes positions and sends each, with the ranking as it is then, to all displays. */
    static final class Broadcaster implements Runnable {
        private final BlockingQueue<Position> in;
        private final List<OutputStream> displays = new CopyOnWriteArrayList<>();
        private final double[] progress = new double[64];

        Broadcaster(BlockingQueue<Position> in) {
            this.in = in;
        }

        void accept(ServerSocket door) {
            try {
                for (;;) {
                    Socket socket = door.accept();
                    socket.setTcpNoDelay(true);
                    socket.setSendBufferSize(16 * 1024);
                    displays.add(socket.getOutputStream());
                }
            } catch (IOException e) {
                System.out.println("door: " + e);
            }
        }

        private byte[] bulletin(Position position) {
            progress[position.boat()] = position.north();
            ByteBuffer page = ByteBuffer.allocate(BULLETIN);
            page.putLong(position.nanos()).putInt(position.boat()).putDouble(position.north()).putDouble(position.east());
            for (int boat = 0; boat < progress.length; boat++) {
                int rank = 1;
                for (double other : progress) {
                    rank += other > progress[boat] ? 1 : 0;
                }
                page.putInt(boat).putInt(rank).putDouble(progress[boat]);
            }
            return page.array();
        }

        private void send(byte[] page) {
            for (OutputStream display : displays) {
                try {
                    display.write(page);
                } catch (IOException e) {
                    displays.remove(display);
                }
            }
        }

        @Override
        public void run() {
            try {
                for (;;) {
                    byte[] page = bulletin(in.take());
                    long begin = System.nanoTime();
                    send(page);
                    sendNanos.add(System.nanoTime() - begin);
                    sent.increment();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** A display: a board at a buoy, or a wall of screens. */
    static final class Display implements Runnable {
        private final int port;
        private final int redraw;
        private long drawn;

        Display(int port, int redraw) {
            this.port = port;
            this.redraw = redraw;
        }

        private void draw(byte[] page) throws InterruptedException {
            for (int i = 0; i < page.length; i += 8) {
                drawn += page[i];
            }
            if (redraw > 0) {
                Thread.sleep(redraw);
            } else {
                age.accumulateAndGet(System.nanoTime() - ByteBuffer.wrap(page).getLong(), Math::max);
            }
        }

        @Override
        public void run() {
            try (Socket socket = new Socket()) {
                socket.setReceiveBufferSize(16 * 1024);
                socket.connect(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), port));
                InputStream in = socket.getInputStream();
                DataInputStream data = new DataInputStream(in);
                byte[] page = new byte[BULLETIN];
                for (;;) {
                    data.readFully(page);
                    draw(page);
                }
            } catch (IOException e) {
                System.out.println("display: " + e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static void daemon(Runnable work, String name) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }

    public static void main(String[] args) throws Exception {
        BlockingQueue<Position> positions = new ArrayBlockingQueue<>(32);
        Broadcaster broadcaster = new Broadcaster(positions);
        ServerSocket door = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"));
        daemon(() -> broadcaster.accept(door), "door");
        for (int i = 0; i < 5; i++) {
            daemon(new Display(door.getLocalPort(), 0), "buoy-" + i);
        }
        daemon(new Display(door.getLocalPort(), 15), "jury-wall");
        Thread.sleep(300);
        daemon(broadcaster, "broadcaster");
        for (int i = 0; i < 4; i++) {
            daemon(new Tracker(i * 8, positions), "tracker-" + i);
        }
        for (int second = 0; ; second++) {
            Thread.sleep(1000);
            System.out.printf(Locale.ROOT, "measured: %d bulletins sent, in writes for %.0f ms of the second; trackers waited %.2f s for room; oldest bulletin at a buoy %.0f ms%n",
                    sent.sumThenReset(), sendNanos.sumThenReset() / 1e6, putNanos.sumThenReset() / 1e9, age.getAndSet(0) / 1e6);
            if (second == 4) {
                System.out.println("READY");
            }
            System.out.flush();
        }
    }
}
