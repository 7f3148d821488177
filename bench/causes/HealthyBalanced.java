// SPDX-License-Identifier: Apache-2.0
// healthy: a batch uses all CPUs, each with a thread of its own, and goes through steps that cost about the same
// jdk: 25
// jvm: -Xmx256m
// set: fourth
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

public final class HealthyBalanced {
    private static final int ROWS = 20_000;
    private static volatile long result;

    private static int[] generate(int seed) {
        int[] rows = new int[ROWS * 3];
        int value = seed;
        for (int i = 0; i < rows.length; i++) {
            for (int k = 0; k < 6; k++) {
                value ^= value << 13;
                value ^= value >>> 17;
                value ^= value << 5;
            }
            rows[i] = value;
        }
        return rows;
    }

    private static int[] sorted(int[] rows) {
        int[] copy = Arrays.copyOf(rows, ROWS);
        Arrays.sort(copy);
        return copy;
    }

    private static String text(int[] rows) {
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < ROWS; i++) {
            out.append(rows[i]).append('\n');
        }
        return out.toString();
    }

    private static long parse(String text) {
        long sum = 0;
        int sign = 1;
        long value = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '-') {
                sign = -1;
            } else if (c == '\n') {
                sum += sign * value;
                sign = 1;
                value = 0;
            } else {
                value = value * 10 + c - '0';
            }
        }
        return sum;
    }

    private static int groups(int[] rows) {
        Map<Integer, Integer> counts = new HashMap<>();
        for (int i = 0; i < ROWS; i++) {
            counts.merge(rows[i] & 0xfff, 1, Integer::sum);
        }
        return counts.size();
    }

    private static double spread(int[] rows) {
        double sum = 0;
        for (int row : rows) {
            sum += Math.sqrt(Math.abs((double) row)) + Math.atan(row);
        }
        return sum / rows.length;
    }

    private static void work(int seed) {
        for (int i = seed + 1;; i++) {
            int[] rows = generate(i);
            result += sorted(rows)[0] + parse(text(rows)) + groups(rows) + (long) spread(rows);
        }
    }

    public static void main(String[] args) {
        for (int i = 0; i < Runtime.getRuntime().availableProcessors(); i++) {
            int seed = i * 1_000_003;
            new Thread(() -> work(seed), "batch-" + i).start();
        }
        System.out.println("READY");
    }
}
