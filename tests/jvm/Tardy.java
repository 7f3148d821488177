// SPDX-License-Identifier: Apache-2.0
import java.io.RandomAccessFile;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.util.Scanner;

/**
 * Threads that are slow to reach safepoints, each in its own way. Commands on standard input: `gc N` stops the world N times,
 * 50 ms apart, and answers `gc done`; `exit` ends.
 */
public class Tardy {
    static volatile long sink;

    /** A counted loop: where loops are not cut in strips there is no poll in it. */
    static int countedLoop(int n, int x) {
        for (int i = 0; i < n; i++) {
            x ^= x << 13;
            x ^= x >>> 17;
            x ^= x << 5;
        }
        return x;
    }

    static void loop() {
        int x = 1;
        for (int i = 0; i < 300; i++) {
            x = countedLoop(20_000, x);
        }
        while (true) {
            x = countedLoop(100_000_000, x);
            sink = x;
        }
    }

    static void copyHuge(byte[] from, byte[] to) {
        System.arraycopy(from, 0, to, 0, from.length);
    }

    static void copy() {
        byte[] from = new byte[256 << 20];
        byte[] to = new byte[from.length];
        System.out.println("arrays");
        while (true) {
            copyHuge(from, to);
        }
    }

    /** Reads bytes of a mapped file, each on another page. */
    static int touchPages(MappedByteBuffer file, int from, int n) {
        int mask = file.capacity() - 1;
        int sum = 0;
        for (int i = 0; i < n; i++) {
            sum += file.get((from + i) * 40503 * 4096 & mask);
        }
        return sum;
    }

    /** The file of -Dfile, whose size is a power of two; where it does not fit into memory each page is read anew. */
    static void fault() {
        try (RandomAccessFile file = new RandomAccessFile(System.getProperty("file"), "r")) {
            MappedByteBuffer map = file.getChannel().map(FileChannel.MapMode.READ_ONLY, 0, file.length());
            int pages = map.capacity() / 4096;
            for (int i = 0; i < 20_000; i++) {
                sink += touchPages(map, 0, 16);
            }
            for (int i = 0; true; i += 100) {
                sink += touchPages(map, i % pages, 100);
            }
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    static native void hold(byte[] array, long ns);

    static void critical() {
        System.load(System.getProperty("native"));
        byte[] array = new byte[100];
        while (true) {
            hold(array, 100_000_000);
            java.util.concurrent.locks.LockSupport.parkNanos(20_000_000); // else a collection may never find the array free
        }
    }

    /** Polls all the time: never slow if it has a processor. */
    static void prompt() {
        long x = 1;
        while (true) {
            for (long i = 0; i < 1000; i++) {
                x = x * 31 + i;
            }
            sink = x;
        }
    }

    static void start(String name, Runnable work) {
        Thread t = new Thread(work, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        for (String a : args) {
            switch (a) {
                case "loop":
                    start("loop", Tardy::loop);
                    break;
                case "copy":
                    start("copy", Tardy::copy);
                    break;
                case "fault":
                    start("fault", Tardy::fault);
                    break;
                case "critical":
                    start("critical", Tardy::critical);
                    break;
                default:
                    start("prompt", Tardy::prompt);
            }
        }
        Scanner in = new Scanner(System.in);
        System.out.println("up");
        while (in.hasNext()) {
            String command = in.next();
            if (!command.equals("gc")) {
                return;
            }
            for (int n = in.nextInt(); n > 0; n--) {
                System.gc();
                Thread.sleep(50);
            }
            System.out.println("gc done");
        }
    }
}
