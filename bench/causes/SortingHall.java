// SPDX-License-Identifier: Apache-2.0
// healthy: A parcel hall gets a lorry every two seconds: its 720 parcels are routed by two threads in some tenths of a second, and then there is nothing to do until the next one comes; all are routed long before that
// share: @SHARE@
// judge: NAMED (right): nothing stands out, or only neutral statements (time goes to computing in SortingHall$Network.route; no fault of the program shows). SYMPTOM ONLY: that the unloading thread waits for the futures of a lorry's cages while both sorters compute, or that CPU time comes in bursts, as a note. WRONG: an accusation of the pool (too few threads, growing queue), of waiting for futures, of too many threads, of collections or of any other fault of the program
// jdk: 25
// set: thirty-fifth
// jvm: -Xmx256m
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/** Routes the parcels of the lorries that come to a sorting hall. */
public class SortingHall {
    static final int PARCELS = 720;
    static final int CAGE = 30;

    record Parcel(int number, int origin, int destination, int grams, boolean express) {
    }

    record Routed(Parcel parcel, int cost, int gate, String label) {
    }

    /** The depots and the lines between them. */
    static final class Network {
        private static final int DEPOTS = 400;
        private final int[][] next = new int[DEPOTS][];
        private final int[][] minutes = new int[DEPOTS][];

        Network() {
            Random random = new Random(3);
            for (int depot = 0; depot < DEPOTS; depot++) {
                next[depot] = new int[8];
                minutes[depot] = new int[8];
                for (int i = 0; i < 8; i++) {
                    next[depot][i] = i == 0 ? (depot + 1) % DEPOTS : random.nextInt(DEPOTS);
                    minutes[depot][i] = 10 + random.nextInt(200);
                }
            }
        }

        int route(int from, int to, boolean express) {
            int[] best = new int[DEPOTS];
            Arrays.fill(best, Integer.MAX_VALUE);
            best[from] = 0;
            PriorityQueue<Long> open = new PriorityQueue<>();
            open.add((long) from);
            while (!open.isEmpty()) {
                long head = open.poll();
                int depot = (int) (head & 0xffff);
                int cost = (int) (head >> 16);
                if (depot == to) {
                    return cost;
                }
                if (cost > best[depot]) {
                    continue;
                }
                for (int i = 0; i < next[depot].length; i++) {
                    int there = next[depot][i];
                    int sum = cost + minutes[depot][i] + (express ? 0 : 15);
                    if (sum < best[there]) {
                        best[there] = sum;
                        open.add(((long) sum << 16) | there);
                    }
                }
            }
            return -1;
        }
    }

    /** One lorry's load. */
    static final class Lorry {
        final List<List<Parcel>> cages = new ArrayList<>();

        Lorry(int number) {
            Random random = new Random(number);
            for (int i = 0; i < PARCELS; i += CAGE) {
                List<Parcel> cage = new ArrayList<>();
                for (int k = 0; k < CAGE; k++) {
                    cage.add(new Parcel(number * PARCELS + i + k, random.nextInt(Network.DEPOTS), random.nextInt(Network.DEPOTS),
                            100 + random.nextInt(20_000), random.nextInt(5) == 0));
                }
                cages.add(cage);
            }
        }
    }

    static final class Sorter {
        private final Network network;

        Sorter(Network network) {
            this.network = network;
        }

        List<Routed> sort(List<Parcel> cage) {
            List<Routed> routed = new ArrayList<>(cage.size());
            for (Parcel parcel : cage) {
                int out = network.route(parcel.origin(), parcel.destination(), parcel.express());
                int back = network.route(parcel.destination(), parcel.origin(), false);
                int gate = gate(parcel, out);
                routed.add(new Routed(parcel, out + back / 10, gate, label(parcel, gate)));
            }
            return routed;
        }

        private static int gate(Parcel parcel, int minutes) {
            int zone = parcel.destination() / 50;
            return (parcel.express() ? 0 : 8) + (minutes > 600 ? 16 : 0) + zone;
        }

        private static String label(Parcel parcel, int gate) {
            int check = 0;
            for (int n = parcel.number(); n > 0; n /= 10) {
                check = (check * 3 + n % 10) % 97;
            }
            return "G" + gate + '-' + parcel.number() + '-' + check + '-' + parcel.grams() / 1000 + "kg";
        }
    }

    public static void main(String[] args) throws Exception {
        AtomicInteger threads = new AtomicInteger();
        ExecutorService pool = Executors.newFixedThreadPool(2, task -> {
            Thread thread = new Thread(task, "sorter-" + threads.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
        Sorter sorter = new Sorter(new Network());
        long due = System.nanoTime();
        for (int number = 0; ; number++) {
            Lorry lorry = new Lorry(number);
            long begin = System.nanoTime();
            List<Callable<List<Routed>>> work = new ArrayList<>();
            for (List<Parcel> cage : lorry.cages) {
                work.add(() -> sorter.sort(cage));
            }
            int done = 0;
            int express = 0;
            for (Future<List<Routed>> cage : pool.invokeAll(work)) {
                for (Routed routed : cage.get()) {
                    done++;
                    express += routed.gate() < 8 ? 1 : 0;
                }
            }
            double took = (System.nanoTime() - begin) / 1e6;
            System.out.printf(Locale.ROOT, "measured: lorry %d: %d parcels (%d express) routed in %.0f ms, busy %.0f %% of the 2 s until the next one%n",
                    number, done, express, took, took / 20);
            if (number == 3) {
                System.out.println("READY");
            }
            System.out.flush();
            due += 2_000_000_000L;
            long rest = due - System.nanoTime();
            if (rest < 100_000_000L) {
                rest = 100_000_000L;
                due = System.nanoTime() + rest;
            }
            Thread.sleep(rest / 1_000_000);
        }
    }
}
