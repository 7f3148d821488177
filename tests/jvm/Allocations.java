// SPDX-License-Identifier: Apache-2.0
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Phaser;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Allocates what it knows. Commands on standard input:
 *
 * <pre>
 *   each MIB THREADS [virtual]  so many MiB at each site by each thread, one site after the other; prints the bytes
 *   mixed MIB THREADS           the same, sites in turn
 *   requests N BYTES SITE LANES [virtual]
 *                               so many threads, LANES at a time, each of which allocates that at the site with that number and ends
 *   crowd N BYTES SITE          so many threads that allocate that and stay; prints the bytes when all have
 *   again BYTES SITE            each of them allocates that; prints the bytes
 *   mine N                      so many objects of the class Mine; prints their bytes
 *   sample INTERVAL             another agent also samples allocations, with this interval (-1: as it is); prints whether it may ...
 *   sampled                     ... prints how many bytes of the class Mine it has seen by its weights ...
 *   unsample                    ... and ends
 *   quit
 * </pre>
 *
 * Sizes are those of arrays of bytes with a header of 16.
 */
public class Allocations {
    static volatile Object sink;
    static final int[] SIZES = {16, 128, 1024, 32 << 10, 512 << 10, 4 << 20};
    static final AtomicLong[] truth = new AtomicLong[SIZES.length];

    /** A header of 12 or, compact, 8 bytes, and 20 of fields; aligned. */
    static final class Mine {
        long a0, a1;
        int b;
        static final int BYTES = 32;
    }

    static native boolean sample(int interval);

    static native double sampled();

    static native void unsample();

    static void b16(long n) { while (n-- > 0) sink = new byte[0]; }

    static void b128(long n) { while (n-- > 0) sink = new byte[128 - 16]; }

    static void k1(long n) { while (n-- > 0) sink = new byte[1024 - 16]; }

    static void k32(long n) { while (n-- > 0) sink = new byte[(32 << 10) - 16]; }

    static void k512(long n) { while (n-- > 0) sink = new byte[(512 << 10) - 16]; }

    static void m4(long n) { while (n-- > 0) sink = new byte[(4 << 20) - 16]; }

    static void site(int i, long n) {
        switch (i) {
            case 0: b16(n); break;
            case 1: b128(n); break;
            case 2: k1(n); break;
            case 3: k32(n); break;
            case 4: k512(n); break;
            default: m4(n);
        }
        truth[i].addAndGet(n * SIZES[i]);
    }

    static void allocate(long bytes, boolean mixed) {
        int rounds = mixed ? (int) (bytes >> 22) : 1;
        for (int r = 0; r < rounds; r++)
            for (int i = 0; i < SIZES.length; i++)
                site(i, bytes / rounds / SIZES[i]);
    }

    static Thread start(Runnable r, boolean virtual) throws Exception {
        if (virtual)
            return (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, r);
        Thread t = new Thread(r);
        t.start();
        return t;
    }

    static String run(String[] w) throws Exception {
        long bytes = Long.parseLong(w[1]) << 20;
        List<Thread> threads = new ArrayList<>();
        forget();
        for (int i = 0; i < Integer.parseInt(w[2]); i++)
            threads.add(start(() -> allocate(bytes, w[0].equals("mixed")), w.length > 3));
        for (Thread t : threads)
            t.join();
        return truths();
    }

    static String truths() {
        StringBuilder s = new StringBuilder();
        for (AtomicLong t : truth)
            s.append(' ').append(t.get());
        return s.toString();
    }

    static void forget() {
        for (int i = 0; i < SIZES.length; i++)
            truth[i] = new AtomicLong();
    }

    static void lane(int n, long bytes, int site, boolean virtual) {
        try {
            for (int i = 0; i < n; i++)
                start(() -> site(site, bytes / SIZES[site]), virtual).join();
        } catch (Exception e) {
            throw new RuntimeException(e);
        }
    }

    static String requests(String[] w) throws Exception {
        int n = Integer.parseInt(w[1]), site = Integer.parseInt(w[3]), lanes = Integer.parseInt(w[4]);
        List<Thread> threads = new ArrayList<>();
        forget();
        for (int i = 0; i < lanes; i++)
            threads.add(start(() -> lane(n / lanes, Long.parseLong(w[2]), site, w.length > 5), false));
        for (Thread t : threads)
            t.join();
        return truths();
    }

    static Phaser crowd;
    static volatile long crowdBytes;
    static volatile int crowdSite;

    static void member() {
        for (;;) {
            crowd.arriveAndAwaitAdvance();
            site(crowdSite, crowdBytes / SIZES[crowdSite]);
            crowd.arriveAndAwaitAdvance();
        }
    }

    static String crowd(int n, String bytes, String site) throws Exception {
        if (n > 0) {
            crowd = new Phaser(n + 1);
            for (int i = 0; i < n; i++) {
                Thread t = new Thread(Allocations::member);
                t.setDaemon(true);
                t.start();
            }
        }
        forget();
        crowdBytes = Long.parseLong(bytes);
        crowdSite = Integer.parseInt(site);
        crowd.arriveAndAwaitAdvance();
        crowd.arriveAndAwaitAdvance();
        return truths();
    }

    static String mine(long n) {
        for (long i = 0; i < n; i++)
            sink = new Mine();
        return " " + n * Mine.BYTES;
    }

    public static void main(String[] args) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        if (args.length > 0)
            System.load(args[0]);
        System.out.println("up");
        for (String line; (line = in.readLine()) != null && !line.equals("quit");) {
            String[] w = line.split(" ");
            String answer = "";
            switch (w[0]) {
                case "each": case "mixed": answer = run(w); break;
                case "requests": answer = requests(w); break;
                case "crowd": answer = crowd(Integer.parseInt(w[1]), w[2], w[3]); break;
                case "again": answer = crowd(0, w[1], w[2]); break;
                case "mine": answer = mine(Long.parseLong(w[1])); break;
                case "sample": answer = sample(Integer.parseInt(w[1])) ? " 1" : " 0"; break;
                case "sampled": answer = " " + sampled(); break;
                default: unsample();
            }
            System.out.println("truth" + answer);
        }
    }
}
