// SPDX-License-Identifier: Apache-2.0
// healthy: most of the heap is an index that stays, searches of which allocate little
// jdk: 21
// jvm: -Xmx512m -XX:+UseZGC
// set: fourth
import java.util.Arrays;
import java.util.concurrent.ThreadLocalRandom;

public final class HealthyBigIndex {
    private static final int TERMS = 4000;
    private static final int DOCUMENTS = 16_000;
    private static volatile long found;

    private final int[][] postings = new int[TERMS][DOCUMENTS];
    private final float[] weights = new float[DOCUMENTS * 256];

    private HealthyBigIndex() {
        for (int term = 0; term < TERMS; term++) {
            for (int i = 0; i < DOCUMENTS; i++) {
                postings[term][i] = i * 256 + (term * 7919 + i * 31 & 255);
            }
        }
        for (int i = 0; i < weights.length; i++) {
            weights[i] = i % 1000 / 1000f;
        }
    }

    private int[] intersect(int one, int other) {
        int[] both = new int[1500];
        int n = 0;
        for (int a = 0, b = 0; a < DOCUMENTS && b < DOCUMENTS && n < both.length;) {
            int order = Integer.compare(postings[one][a] >> 6, postings[other][b] >> 6);
            if (order == 0) {
                both[n++] = postings[one][a];
            }
            a += order <= 0 ? 1 : 0;
            b += order >= 0 ? 1 : 0;
        }
        return Arrays.copyOf(both, n);
    }

    private long[] ranked(int[] documents) {
        long[] ranks = new long[documents.length];
        for (int i = 0; i < documents.length; i++) {
            ranks[i] = ((long) (weights[documents[i]] * 1000) << 32) + documents[i];
        }
        Arrays.sort(ranks);
        return ranks;
    }

    private static String page(long[] ranks) {
        StringBuilder page = new StringBuilder();
        for (int i = ranks.length - 1; i >= 0; i--) {
            page.append("document ").append((int) ranks[i]).append(" weight ").append(ranks[i] >>> 32).append('\n');
        }
        return page.toString();
    }

    private void serve() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        try {
            for (;;) {
                found += page(ranked(intersect(random.nextInt(TERMS), random.nextInt(TERMS)))).length();
                Thread.sleep(4); // the next client
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) {
        HealthyBigIndex index = new HealthyBigIndex();
        for (int i = 0; i < 3; i++) {
            new Thread(index::serve, "http-" + i).start();
        }
        System.out.println("READY");
    }
}
