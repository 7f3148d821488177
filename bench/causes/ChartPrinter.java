// SPDX-License-Identifier: Apache-2.0
// cause: ChartPrinter$Budget.reserve takes permits of a Semaphore for the largest sheet there is (48 of 64 MiB) for every sheet, though they need 1 to 2 MiB ($Plotter.plot passes $Sheet.LARGEST in place of sheet.megabytes()), so only one of the 14 plotters works at a time and the others wait for permits
// share: 12 to 13 of the 14 plotters wait for permits at any time (about 90 % of their time); the memory in use is 2 % of the budget
// expect: waiting kind=semaphore frame=ChartPrinter$
// symptom: waiting
// judge: NAMED: waiting for a semaphore (permits) at ChartPrinter$Budget.reserve or at $Plotter.plot which calls it, also if the answer adds what the one that has permits does (it waits for the sounding server's answer at $Soundings.fetch or draws). SYMPTOM ONLY: futures or a queue of the desk that wait for the plotters, or that only the answer of the server at $Soundings.fetch is the trouble (one at a time is what makes it so). WRONG: the $Archive server itself as slow or saturated, $Plotter.draw as CPU load, too few threads in a pool, the collector, nothing stands out
// jdk: 11
// set: thirty-fourth
// jvm: -Xmx512m
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.BufferedOutputStream;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** Prints nautical charts on demand, with the soundings of the archive. */
public class ChartPrinter {
    static final int PLOTTERS = 14;

    static final class Sheet {
        static final int LARGEST = 48;
        final int number;
        final int width;
        final int height;

        Sheet(int number, int width, int height) {
            this.number = number;
            this.width = width;
            this.height = height;
        }

        int megabytes() {
            return Math.max(1, width * height * 4 >> 20);
        }
    }

    /** Memory for images of sheets, in MiB. */
    static final class Budget {
        final int size;
        final Semaphore free;
        final AtomicInteger used = new AtomicInteger();

        Budget(int size) {
            this.size = size;
            this.free = new Semaphore(size, true);
        }

        void reserve(int megabytes) throws InterruptedException {
            free.acquire(megabytes);
        }

        void release(int megabytes) {
            free.release(megabytes);
        }
    }

    /** The archive of soundings, which needs a while for each sheet, for any number at a time. */
    static final class Archive extends Thread {
        final ServerSocket socket;

        Archive() throws IOException {
            super("archive-door");
            setDaemon(true);
            socket = new ServerSocket(0, 100, InetAddress.getByName("127.0.0.1"));
        }

        void serve(Socket s) {
            try (Socket closed = s) {
                s.setTcpNoDelay(true);
                DataInputStream in = new DataInputStream(new BufferedInputStream(s.getInputStream()));
                DataOutputStream out = new DataOutputStream(new BufferedOutputStream(s.getOutputStream(), 8_192));
                while (true) {
                    Random r = new Random(in.readInt());
                    Thread.sleep(18 + r.nextInt(8));
                    out.writeInt(400);
                    for (int i = 0; i < 400; i++) out.writeInt(r.nextInt(4_000));
                    out.flush();
                }
            } catch (IOException | InterruptedException e) {
                // the plotter has gone
            }
        }

        @Override
        public void run() {
            try {
                while (true) {
                    Socket s = socket.accept();
                    Thread t = new Thread(() -> serve(s), "archive-" + s.getPort());
                    t.setDaemon(true);
                    t.start();
                }
            } catch (IOException e) {
                e.printStackTrace();
            }
        }
    }

    static final class Soundings {
        final DataInputStream in;
        final DataOutputStream out;

        Soundings(int port) throws IOException {
            Socket s = new Socket(InetAddress.getByName("127.0.0.1"), port);
            s.setTcpNoDelay(true);
            in = new DataInputStream(new BufferedInputStream(s.getInputStream()));
            out = new DataOutputStream(new BufferedOutputStream(s.getOutputStream()));
        }

        int[] fetch(int sheet) throws IOException {
            out.writeInt(sheet);
            out.flush();
            int[] depths = new int[in.readInt()];
            for (int i = 0; i < depths.length; i++) depths[i] = in.readInt();
            return depths;
        }
    }

    static final class Plotter extends Thread {
        final Budget budget;
        final Soundings soundings;
        final LongAdder printed;
        final Random orders;
        long ink;

        Plotter(int number, Budget budget, int port, LongAdder printed) throws IOException {
            super("plotter-" + number);
            setDaemon(true);
            this.budget = budget;
            this.soundings = new Soundings(port);
            this.printed = printed;
            this.orders = new Random(number);
        }

        void plot(Sheet sheet) throws IOException, InterruptedException {
            budget.reserve(Sheet.LARGEST);
            try {
                budget.used.addAndGet(sheet.megabytes());
                int[][] image = new int[sheet.height][sheet.width];
                draw(image, sheet, soundings.fetch(sheet.number));
            } finally {
                budget.used.addAndGet(-sheet.megabytes());
                budget.release(Sheet.LARGEST);
            }
            printed.increment();
        }

        void draw(int[][] image, Sheet sheet, int[] depths) {
            for (int y = 0; y < sheet.height; y++) {
                for (int x = 0; x < sheet.width; x++) {
                    int d = depths[(x * 20 / sheet.width) + 20 * (y * 20 / sheet.height)];
                    image[y][x] = d < 200 ? 0x99BBFF : d < 1_000 ? 0xCCDDFF : 0xFFFFFF;
                }
            }
            for (int[] row : image) ink += row[row.length / 2] & 255;
        }

        @Override
        public void run() {
            try {
                while (true) plot(new Sheet(orders.nextInt(9_000), 500 + orders.nextInt(400), 500 + orders.nextInt(300)));
            } catch (IOException | InterruptedException e) {
                e.printStackTrace();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Archive archive = new Archive();
        archive.start();
        Budget budget = new Budget(64);
        LongAdder printed = new LongAdder();
        for (int i = 0; i < PLOTTERS; i++) new Plotter(i, budget, archive.socket.getLocalPort(), printed).start();
        Thread.sleep(1_500);
        System.out.println("READY");
        System.out.flush();
        while (true) {
            printed.reset();
            double waiting = 0;
            double used = 0;
            for (int i = 0; i < 20; i++) {
                Thread.sleep(50);
                waiting += budget.free.getQueueLength() / 20.0;
                used += budget.used.get() / 20.0;
            }
            System.out.printf("measured: %d sheets printed; %.1f of %d plotters wait for memory, of which %.1f of %d MiB are in use%n",
                    printed.sum(), waiting, PLOTTERS, used, budget.size);
            System.out.flush();
        }
    }
}
