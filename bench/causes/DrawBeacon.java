// SPDX-License-Identifier: Apache-2.0
// healthy: one thread computes all the time while five terminals wait for futures (looks like a saturated thread whose work should be spread), but it is a delay function: each SHA-256 round takes the digest of the one before, each draw starts from the draw before, and no second thread could take a part of it
// share: medians of 1 s on a busy machine of 2 CPUs: 466 draws/s, 1002 tickets/s, 3.29 ms each
// judge: any finding of trouble is WRONG (more threads for the beacon, pool too small), except neutral statements that it computes SHA-256, or that one thread has work all the time as long as it is no accusation
// jdk: 25
// set: twenty-eighth
// jvm: -Xmx64m -XX:+UseSerialGC
import java.nio.ByteBuffer;
import java.security.DigestException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.LongAdder;

public class DrawBeacon {
    static final long SPAN = Long.getLong("span", 170) * 1000000000L;
    static final LongAdder draws = new LongAdder(), served = new LongAdder(), nanos = new LongAdder();
    static volatile int shown;

    record Draw(long nr, byte[] value) {
        List<Integer> numbers() {
            List<Integer> six = new ArrayList<>();
            Random r = new Random(ByteBuffer.wrap(value).getLong());
            while (six.size() < 6) {
                int n = 1 + r.nextInt(49);
                if (!six.contains(n)) six.add(n);
            }
            return six;
        }
    }

    record Slip(long nonce, CompletableFuture<Draw> answer) {
    }

    /** Nobody can know a draw before these rounds are done, however many computers he has. */
    static final class Delay {
        static final int ROUNDS = 30000;
        final MessageDigest sha;

        Delay() throws NoSuchAlgorithmException {
            sha = MessageDigest.getInstance("SHA-256");
        }

        byte[] run(byte[] before, List<Slip> slips) throws DigestException {
            sha.update(before);
            for (Slip s : slips) sha.update(Long.toString(s.nonce()).getBytes());
            byte[] state = sha.digest();
            for (int i = 0; i < ROUNDS; i++) {
                sha.update(state);
                sha.digest(state, 0, state.length);
            }
            return state;
        }
    }

    static final class Beacon implements Runnable {
        final LinkedBlockingQueue<Slip> slips = new LinkedBlockingQueue<>();
        final Delay delay;

        Beacon() throws NoSuchAlgorithmException {
            delay = new Delay();
        }

        CompletableFuture<Draw> enter(long nonce) {
            Slip s = new Slip(nonce, new CompletableFuture<>());
            slips.add(s);
            return s.answer();
        }

        @Override
        public void run() {
            byte[] last = new byte[32];
            try {
                for (long nr = 0;; nr++) {
                    List<Slip> now = new ArrayList<>();
                    now.add(slips.take());
                    slips.drainTo(now);
                    last = delay.run(last, now);
                    Draw d = new Draw(nr, last.clone());
                    for (Slip s : now) s.answer().complete(d);
                    draws.increment();
                }
            } catch (InterruptedException | DigestException e) {
                e.printStackTrace();
            }
        }
    }

    static final class Terminal implements Runnable {
        final Beacon beacon;
        final Random random;

        Terminal(Beacon beacon, int nr) {
            this.beacon = beacon;
            random = new Random(nr);
        }

        @Override
        public void run() {
            try {
                while (true) {
                    long t = System.nanoTime();
                    Draw d = beacon.enter(random.nextLong()).get();
                    String ticket = d.nr() + " " + d.numbers() + " " + HexFormat.of().formatHex(d.value());
                    shown += ticket.length();
                    nanos.add(System.nanoTime() - t);
                    served.increment();
                    Thread.sleep(random.nextInt(4));
                }
            } catch (Exception e) {
                e.printStackTrace();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        long until = System.nanoTime() + SPAN;
        Beacon beacon = new Beacon();
        Thread.ofPlatform().daemon().name("beacon").start(beacon);
        for (int i = 0; i < 5; i++) Thread.ofPlatform().daemon().name("terminal-" + i).start(new Terminal(beacon, i));
        Thread.sleep(2000);
        System.out.println("READY");
        draws.sumThenReset();
        served.sumThenReset();
        nanos.sumThenReset();
        while (System.nanoTime() < until) {
            Thread.sleep(1000);
            long n = served.sumThenReset();
            System.out.printf("measured: %d draws/s, %d tickets/s, %.2f ms each%n", draws.sumThenReset(), n, nanos.sumThenReset() / 1e6 / Math.max(1, n));
        }
    }
}
