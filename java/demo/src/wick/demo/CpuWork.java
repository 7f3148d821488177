/* SPDX-License-Identifier: Apache-2.0 */
package wick.demo;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Random;
import java.util.function.LongUnaryOperator;
import java.util.stream.LongStream;

/**
 * {@code /cpu?rounds=N&depth=D}: random numbers, hashing and lambdas under a deep stack of recursive calls.
 *
 * <p>The three kinds of work stand side by side in a profile: {@code mix} is compiled Java without calls, {@code digest}
 * goes through the JDK's security classes down to an intrinsic, {@code pipeline} is made of lambdas and streams.
 */
final class CpuWork implements Endpoint {
    private static final int MIX_STEPS = 2000;
    private static final int BLOCK_BYTES = 4096;

    @Override
    public String handle(Query query) throws NoSuchAlgorithmException {
        int rounds = query.get("rounds", 40, 100_000);
        int depth = query.get("depth", 50, 1000);
        return Long.toHexString(run(rounds, depth));
    }

    /**
     * Does a piece of work whose size depends on the arguments only.
     *
     * @param depth how many calls deep the work is done
     * @return a checksum, the same for the same arguments
     */
    static long run(int rounds, int depth) throws NoSuchAlgorithmException {
        Random random = new Random(rounds);
        long sum = 0;
        for (int i = 0; i < rounds; i++) {
            sum += descend(depth, random.nextLong());
        }
        return sum;
    }

    private static long descend(int depth, long seed) throws NoSuchAlgorithmException {
        if (depth > 0) {
            return descend(depth - 1, seed) + depth;
        }
        return mix(seed) ^ digest(seed) ^ pipeline(seed);
    }

    /** A chain of dependent shifts: the compiler can neither fold nor parallelise it. */
    private static long mix(long x) {
        for (int i = 0; i < MIX_STEPS; i++) {
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
        }
        return x;
    }

    private static long digest(long seed) throws NoSuchAlgorithmException {
        byte[] block = new byte[BLOCK_BYTES];
        new Random(seed).nextBytes(block);
        byte[] hash = MessageDigest.getInstance("SHA-256").digest(block);
        return hash[0] | (long) hash[1] << 8;
    }

    private static long pipeline(long seed) {
        LongUnaryOperator scramble = x -> (x ^ seed) * 0x9E3779B97F4A7C15L;
        return LongStream.range(0, 500).map(scramble).filter(x -> (x & 3) != 0).map(x -> x >>> 7).sum();
    }
}
