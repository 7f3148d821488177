// SPDX-License-Identifier: Apache-2.0
// healthy: a batch job that uses one CPU, for work of several kinds
// jdk: 11
import java.util.Arrays;
import java.util.Random;
import java.util.TreeMap;
import java.util.zip.CRC32;

public final class HealthyBatch {
    private static volatile long result;

    private static long sort(Random random) {
        int[] all = random.ints(6_000).toArray();
        Arrays.sort(all);
        return all[17];
    }

    private static long index(Random random) {
        TreeMap<Integer, Integer> map = new TreeMap<>();
        for (int i = 0; i < 5_000; i++) {
            map.merge(random.nextInt(2_000), 1, Integer::sum);
        }
        return map.size();
    }

    private static long check(byte[] data) {
        CRC32 sum = new CRC32();
        for (int i = 0; i < 40; i++) {
            sum.update(data, 0, data.length);
        }
        return sum.getValue();
    }

    private static long format(int n) {
        StringBuilder s = new StringBuilder();
        for (int i = 0; i < 1_500; i++) {
            s.append(n + i).append(' ').append(Double.toString(i / 7.0));
        }
        return s.length();
    }

    public static void main(String[] args) {
        Random random = new Random(1);
        byte[] data = new byte[1 << 17];
        System.out.println("READY");
        for (int n = 0;; n++) {
            result += sort(random) + index(random) + check(data) + format(n);
        }
    }
}
