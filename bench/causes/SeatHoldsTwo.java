// SPDX-License-Identifier: Apache-2.0
// cause: slow partner sync (600 ms of socket I/O) blocks the one-thread scheduler that expires seat holds
// expect: waiting frame=SeatHoldsTwo.syncPartner
// symptom: waiting pool-busy saturated-thread
// share: 80 % of the wait; 300-400 seats/s, 130-230 ms; fixed 1,600 seats/s, 30 ms (holds last 25 ms)
// judge: right: SeatHoldsTwo.syncPartner blocks the only seat-timer thread (pool of 1), so expire() of holds runs late
// judge: symptom: customers park in their future; scheduler's queue is long; it waits in socket read; idle CPUs
// judge: wrong: lock contention on the hall, too few customer threads, expire() itself slow, GC, partner link as such
// jdk: 11
// set: fourteenth
import java.io.*;
import java.net.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

/** Ticket sale: seats are held for a short time; who finds none waits until a hold ends. */
public class SeatHoldsTwo {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final int SEATS = 40, CUSTOMERS = 60, HOLD_MS = 25;

    private final ScheduledExecutorService timer =
        Executors.newScheduledThreadPool(1, r -> new Thread(r, "seat-timer"));
    private final ScheduledExecutorService partnerTimer =
        FIXED ? Executors.newScheduledThreadPool(1, r -> new Thread(r, "partner-timer")) : timer;
    private final Deque<Integer> free = new ArrayDeque<>();
    private final Deque<CompletableFuture<Integer>> waiting = new ArrayDeque<>();
    private final int[] sold = new int[SEATS];
    private final Map<Integer, String> partnerPrices = new ConcurrentHashMap<>();
    final LongAdder late = new LongAdder(), expired = new LongAdder();
    private final Socket partner;
    private final BufferedReader partnerIn;
    private final Writer partnerOut;

    SeatHoldsTwo(InetSocketAddress at) throws IOException {
        for (int i = 0; i < SEATS; i++) free.add(i);
        partner = new Socket(at.getAddress(), at.getPort());
        partner.setTcpNoDelay(true);
        partnerIn = new BufferedReader(new InputStreamReader(partner.getInputStream()));
        partnerOut = new BufferedWriter(new OutputStreamWriter(partner.getOutputStream()));
        partnerTimer.scheduleWithFixedDelay(this::syncPartner, 100, 150, TimeUnit.MILLISECONDS);
        timer.scheduleAtFixedRate(this::statistics, 500, 500, TimeUnit.MILLISECONDS);
    }

    /** A seat, held for HOLD_MS from the moment it is given. */
    CompletableFuture<Integer> hold() {
        CompletableFuture<Integer> f = new CompletableFuture<>();
        Integer seat;
        synchronized (free) {
            seat = free.poll();
            if (seat == null) {
                waiting.add(f);
                return f;
            }
            sold[seat]++;
        }
        give(seat, f);
        return f;
    }

    private void give(int seat, CompletableFuture<Integer> f) {
        long due = System.nanoTime() + HOLD_MS * 1_000_000L;
        timer.schedule(() -> expire(seat, due), HOLD_MS, TimeUnit.MILLISECONDS);
        f.complete(seat);
    }

    private void expire(int seat, long due) {
        late.add(System.nanoTime() - due);
        expired.increment();
        CompletableFuture<Integer> next;
        synchronized (free) {
            next = waiting.poll();
            if (next == null) {
                free.add(seat);
                return;
            }
            sold[seat]++;
        }
        give(seat, next);
    }

    private void syncPartner() {
        try {
            for (int block = 0; block < 4; block++) {
                partnerOut.write("PRICES " + block + "\n");
                partnerOut.flush();
                for (String p : partnerIn.readLine().split(",")) {
                    int c = p.indexOf(':');
                    partnerPrices.put(Integer.parseInt(p.substring(0, c)), p.substring(c + 1));
                }
            }
        } catch (IOException | RuntimeException e) {
            System.err.println("partner sync failed: " + e);
        }
    }

    private void statistics() {
        synchronized (free) {
            int most = Arrays.stream(sold).max().orElse(0);
            if (most > 1_000_000) Arrays.fill(sold, 0);
        }
    }

    /** Stands for the partner: needs some 150 ms for a block of prices. */
    static InetSocketAddress partner() throws IOException {
        ServerSocket ss = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        Thread t = new Thread(() -> {
            try (Socket s = ss.accept()) {
                s.setTcpNoDelay(true);
                BufferedReader in = new BufferedReader(new InputStreamReader(s.getInputStream()));
                Writer out = new OutputStreamWriter(s.getOutputStream());
                for (String line; (line = in.readLine()) != null; ) {
                    Thread.sleep(150);
                    int block = Integer.parseInt(line.substring(7));
                    StringJoiner j = new StringJoiner(",", "", "\n");
                    for (int i = 0; i < 100; i++) j.add((block * 100 + i) + ":" + (20 + i % 30) + ".50");
                    out.write(j.toString());
                    out.flush();
                }
            } catch (IOException | InterruptedException e) {
                System.err.println("partner: " + e);
            }
        }, "partner");
        t.setDaemon(true);
        t.start();
        return (InetSocketAddress) ss.getLocalSocketAddress();
    }

    public static void main(String[] args) throws Exception {
        SeatHoldsTwo s = new SeatHoldsTwo(partner());
        LongAdder done = new LongAdder(), nanos = new LongAdder();
        for (int i = 0; i < CUSTOMERS; i++) {
            new Thread(() -> {
                ThreadLocalRandom r = ThreadLocalRandom.current();
                try {
                    while (true) {
                        long t = System.nanoTime();
                        s.hold().get(10, TimeUnit.SECONDS);
                        nanos.add(System.nanoTime() - t);
                        done.increment();
                        Thread.sleep(r.nextInt(4, 12));
                    }
                } catch (InterruptedException | ExecutionException | TimeoutException e) {
                    throw new IllegalStateException(e);
                }
            }, "customer-" + i).start();
        }
        System.out.println("READY");
        while (true) {
            Thread.sleep(1000);
            long n = Math.max(1, done.sumThenReset()), x = Math.max(1, s.expired.sumThenReset());
            System.out.printf(Locale.ROOT, "measured: %d seats given/s, mean wait %.1f ms, holds end %.1f ms late%n",
                n, nanos.sumThenReset() / 1e6 / n, s.late.sumThenReset() / 1e6 / x);
        }
    }
}
