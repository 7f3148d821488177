// SPDX-License-Identifier: Apache-2.0
// healthy: nearly all CPU time is BigInteger arithmetic on numbers of 600 digits (looks like numbers that grew for lack of rounding), but Paillier encryption of ballots with a 1024-bit key is what the program is for, and the length is the key's
// share: medians of 1 s on a busy machine of 2 CPUs: 422 ballots/s, 4.54 ms each, 9 precincts
// judge: any finding of trouble is WRONG (needless digits, rounding missing), except neutral statements that it computes with big numbers in Key.seal / Key.open
// jdk: 11
// set: twenty-eighth
// jvm: -Xmx64m -XX:+UseParallelGC
import java.math.BigInteger;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.atomic.LongAdder;

public class BallotTally {
    static final long SPAN = Long.getLong("span", 170) * 1000000000L;
    static final LongAdder ballots = new LongAdder(), tallies = new LongAdder(), nanos = new LongAdder();
    static volatile long checked;

    /** A key whose ciphertexts can be added without opening them. */
    static final class Key {
        final BigInteger n, square, lambda, mu;

        Key(int bits, Random random) {
            BigInteger p = BigInteger.probablePrime(bits / 2, random), q = BigInteger.probablePrime(bits / 2, random);
            n = p.multiply(q);
            square = n.multiply(n);
            lambda = p.subtract(BigInteger.ONE).multiply(q.subtract(BigInteger.ONE));
            mu = lambda.modInverse(n);
        }

        BigInteger seal(long vote, Random random) {
            BigInteger r = new BigInteger(n.bitLength() - 1, random).setBit(0);
            BigInteger g = BigInteger.valueOf(vote).multiply(n).add(BigInteger.ONE);
            return g.multiply(r.modPow(n, square)).mod(square);
        }

        BigInteger add(BigInteger a, BigInteger b) {
            return a.multiply(b).mod(square);
        }

        long open(BigInteger c) {
            BigInteger u = c.modPow(lambda, square).subtract(BigInteger.ONE).divide(n);
            return u.multiply(mu).mod(n).longValue();
        }
    }

    static final class Precinct {
        final List<Integer> choices = new ArrayList<>();

        Precinct(Random r) {
            int voters = 30 + r.nextInt(30);
            for (int i = 0; i < voters; i++) choices.add(r.nextInt(6));
        }
    }

    static final class Board {
        final Key key;

        Board(Key key) {
            this.key = key;
        }

        /** Each candidate has 10 bits of the sum. */
        void count(Precinct p, Random random) {
            BigInteger sum = key.seal(0, random);
            long plain = 0;
            for (int c : p.choices) {
                long t = System.nanoTime();
                long vote = 1L << 10 * c;
                plain += vote;
                sum = key.add(sum, key.seal(vote, random));
                nanos.add(System.nanoTime() - t);
                ballots.increment();
            }
            if (key.open(sum) != plain) throw new IllegalStateException("tally differs");
            checked += p.choices.size();
            tallies.increment();
        }
    }

    public static void main(String[] args) throws Exception {
        long until = System.nanoTime() + SPAN;
        Board board = new Board(new Key(1024, new SecureRandom()));
        ArrayBlockingQueue<Precinct> urns = new ArrayBlockingQueue<>(4);
        Thread bus = new Thread(() -> {
            Random r = new Random(5);
            try {
                while (true) urns.put(new Precinct(r));
            } catch (InterruptedException e) {
                return;
            }
        }, "urns");
        bus.setDaemon(true);
        bus.start();
        for (int i = 0; i < 2; i++) {
            Thread t = new Thread(() -> {
                SecureRandom random = new SecureRandom();
                try {
                    while (true) board.count(urns.take(), random);
                } catch (InterruptedException e) {
                    return;
                }
            }, "teller-" + i);
            t.setDaemon(true);
            t.start();
        }
        Thread.sleep(3000);
        System.out.println("READY");
        ballots.sumThenReset();
        tallies.sumThenReset();
        nanos.sumThenReset();
        while (System.nanoTime() < until) {
            Thread.sleep(1000);
            long n = ballots.sumThenReset();
            System.out.printf("measured: %d ballots/s, %.2f ms each, %d precincts%n", n, nanos.sumThenReset() / 1e6 / Math.max(1, n), tallies.sumThenReset());
        }
    }
}
