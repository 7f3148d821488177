// SPDX-License-Identifier: Apache-2.0
// healthy: 60 charge points long-poll a central server for commands; nearly all threads wait nearly all the time (socket reads, queue polls), the CPU idles, and each command is still delivered within a few milliseconds.
// judge: Right: nothing wrong / idle service with legitimate long polls (ChargePoints.session waiting in BlockingQueue.poll, Point.listen in socket read, operator pausing by design). Wrong: any fault - blocked threads, starvation, too many threads as the cause, missing throughput, polling intervals.
// set: nineteenth
// jdk: 11
import java.io.*;
import java.net.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.LongAdder;

public class ChargePoints {
    private static final int POINTS = 60;
    private static final LongAdder delivered = new LongAdder();
    private static final LongAdder micros = new LongAdder();

    static final class Command {
        final int ampere;
        final long issued;

        Command(int ampere) {
            this.ampere = ampere;
            this.issued = System.nanoTime();
        }
    }

    static final class Central {
        private final Map<Integer, BlockingQueue<Command>> outbox = new ConcurrentHashMap<>();

        BlockingQueue<Command> outboxOf(int point) {
            return outbox.computeIfAbsent(point, p -> new LinkedBlockingQueue<>(20));
        }

        void session(Socket s) {
            try (DataInputStream in = new DataInputStream(new BufferedInputStream(s.getInputStream()));
                 DataOutputStream out = new DataOutputStream(new BufferedOutputStream(s.getOutputStream()))) {
                s.setTcpNoDelay(true);
                BlockingQueue<Command> commands = outboxOf(in.readInt());
                while (true) {
                    in.readByte();
                    Command c = commands.poll(25, TimeUnit.SECONDS);
                    out.writeInt(c == null ? -1 : c.ampere);
                    out.writeLong(c == null ? 0 : c.issued);
                    out.flush();
                }
            } catch (IOException | InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static final class Point {
        private final int number;
        private final DataInputStream in;
        private final DataOutputStream out;
        private int limit = 16;

        Point(int number, int port) throws IOException {
            this.number = number;
            Socket s = new Socket(InetAddress.getLoopbackAddress(), port);
            s.setTcpNoDelay(true);
            in = new DataInputStream(new BufferedInputStream(s.getInputStream()));
            out = new DataOutputStream(new BufferedOutputStream(s.getOutputStream()));
            out.writeInt(number);
        }

        void listen() throws IOException {
            while (true) {
                out.writeByte(1);
                out.flush();
                int ampere = in.readInt();
                long issued = in.readLong();
                if (ampere >= 0) {
                    limit = Math.min(32, ampere);
                    micros.add((System.nanoTime() - issued) / 1000);
                    delivered.increment();
                }
                if (limit < 0) throw new IllegalStateException("point " + number);
            }
        }
    }

    private static void launch(String name, Runnable r) {
        Thread t = new Thread(null, r, name, 256 * 1024);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        ServerSocket server = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
        Central central = new Central();
        launch("central-accept", () -> {
            try {
                for (int n = 0; ; n++) {
                    Socket s = server.accept();
                    launch("session-" + n, () -> central.session(s));
                }
            } catch (IOException e) {
                System.err.println(e);
            }
        });
        for (int p = 0; p < POINTS; p++) {
            Point point = new Point(p, server.getLocalPort());
            launch("point-" + p, () -> {
                try {
                    point.listen();
                } catch (IOException e) {
                    System.err.println(e);
                }
            });
        }
        launch("operator", () -> {
            Random r = new Random(9);
            try {
                while (true) {
                    central.outboxOf(r.nextInt(POINTS)).offer(new Command(6 + r.nextInt(27)));
                    Thread.sleep(15 + r.nextInt(20));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        Thread.sleep(3000);
        System.out.println("READY");
        delivered.reset();
        micros.reset();
        for (int i = Integer.getInteger("secs", 165); i > 0; i--) {
            Thread.sleep(1000);
            long n = delivered.sumThenReset();
            double ms = micros.sumThenReset() / 1000.0 / Math.max(1, n);
            System.out.printf(Locale.ROOT, "measured: %.2f ms delivery time (%d commands)%n", ms, n);
        }
        System.exit(0);
    }
}
