// SPDX-License-Identifier: Apache-2.0
// cause: PlateScanner$Assay.measure does not close its Plate, so the tray goes back only when the Cleaner thread runs the registered action, PlateScanner$Rack.stow, which waits 5 ms for the robot each time: one thread does one after another (and only after collections), and stations wait for a permit in Rack.load.
// share: faulty: 178 plates/s; fixed: 806 plates/s (previews 200/s in both).
// expect: cleaners-behind
// symptom: waiting hot-code
// judge: NAMED: the Cleaner thread (Cleaner-0) is busy all the time with Rack.stow / Arm.stow (waiting for the answer of the robot), and holds up the return of trays; plates should be closed. SYMPTOM ONLY: stations wait for a semaphore at Rack.load; or the wait for the robot at Arm.stow without that it is the one thread of the Cleaner. WRONG: permits leaked for ever, too few permits as the only advice, the collector or allocation in gallery, random.ints, the robot server as the only cause, too few arms.
// jdk: 17
// set: twenty-fourth
// jvm:
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.lang.ref.Cleaner;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.Adler32;

public class PlateScanner {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final AtomicLong scanned = new AtomicLong();
    static final AtomicLong previews = new AtomicLong();

    interface Job {
        void run() throws Exception;
    }

    static void daemon(String name, Job job) {
        Thread thread = new Thread(() -> {
            try {
                job.run();
            } catch (Exception e) {
                throw new IllegalStateException(name, e);
            }
        }, name);
        thread.setDaemon(true);
        thread.start();
    }

    static int robot() throws Exception {
        ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        daemon("robot-accept", () -> {
            for (int n = 0; ; n++) {
                Socket socket = server.accept();
                daemon("robot-" + n, () -> {
                    socket.setTcpNoDelay(true);
                    DataInputStream in = new DataInputStream(socket.getInputStream());
                    DataOutputStream out = new DataOutputStream(socket.getOutputStream());
                    while (true) {
                        int tray = in.readInt();
                        Thread.sleep(5);
                        out.writeInt(tray);
                    }
                });
            }
        });
        return server.getLocalPort();
    }

    static final class Arm {
        private final DataInputStream in;
        private final DataOutputStream out;

        Arm(int port) throws Exception {
            Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
            socket.setTcpNoDelay(true);
            in = new DataInputStream(socket.getInputStream());
            out = new DataOutputStream(socket.getOutputStream());
        }

        void stow(int tray) throws Exception {
            out.writeInt(tray);
            if (in.readInt() != tray) throw new IllegalStateException();
        }
    }

    static final class Rack {
        private final Semaphore free = new Semaphore(300);
        private final Deque<Integer> trays = new ArrayDeque<>();
        private final BlockingQueue<Arm> arms = new LinkedBlockingQueue<>();
        private final Cleaner cleaner = Cleaner.create();

        Rack(int port) throws Exception {
            for (int i = 0; i < 300; i++) trays.add(i);
            for (int i = 0; i < 8; i++) arms.add(new Arm(port));
        }

        Plate load() throws InterruptedException {
            free.acquire();
            synchronized (trays) {
                return new Plate(this, trays.removeFirst());
            }
        }

        void stow(int tray) {
            try {
                Arm arm = arms.take();
                try {
                    arm.stow(tray);
                } finally {
                    arms.add(arm);
                }
                synchronized (trays) {
                    trays.addLast(tray);
                }
                free.release();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }

    static final class Plate implements AutoCloseable {
        private final byte[] pixels = new byte[12_000];
        private final Cleaner.Cleanable handle;
        final int tray;

        Plate(Rack rack, int tray) {
            this.tray = tray;
            this.handle = rack.cleaner.register(this, () -> rack.stow(tray));
        }

        long read(Random random) {
            random.nextBytes(pixels);
            Adler32 sum = new Adler32();
            sum.update(pixels);
            return sum.getValue();
        }

        @Override
        public void close() {
            handle.clean();
        }
    }

    static final class Assay {
        private final Rack rack;
        private final Random random;

        Assay(Rack rack, int seed) {
            this.rack = rack;
            this.random = new Random(seed);
        }

        long measure() throws Exception {
            Plate plate = rack.load();
            long value = plate.read(random);
            Thread.sleep(2);
            if (FIXED) plate.close();
            return value;
        }
    }

    static void station(Rack rack, int seed) throws Exception {
        Assay assay = new Assay(rack, seed);
        while (true) {
            if (assay.measure() < 0) throw new IllegalStateException();
            scanned.incrementAndGet();
        }
    }

    static void gallery(int seed) throws Exception {
        Random random = new Random(seed);
        while (true) {
            int[][] rows = new int[120][];
            for (int i = 0; i < rows.length; i++) {
                rows[i] = random.ints(200, 0, 255).toArray();
                Arrays.sort(rows[i]);
            }
            previews.addAndGet(rows[7][3] >= 0 ? 1 : 0);
            Thread.sleep(4);
        }
    }

    public static void main(String[] args) throws Exception {
        Rack rack = new Rack(robot());
        for (int i = 0; i < 6; i++) {
            int seed = i;
            daemon("station-" + i, () -> station(rack, seed));
        }
        daemon("gallery", () -> gallery(3));
        System.out.println("READY");
        for (int second = 0; second < 170; second++) {
            long n = scanned.get();
            long p = previews.get();
            Thread.sleep(1000);
            System.out.printf("measured: %d plates/s, %d previews/s%n", scanned.get() - n, previews.get() - p);
        }
        System.exit(0);
    }
}
