// SPDX-License-Identifier: Apache-2.0
// healthy: a burst of different work each half second, finished long before the next
// jdk: 17
// set: second
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

public final class HealthyBursts {
    private static volatile int result;

    private static int words(String text) {
        int n = 0;
        for (int i = 0; i < text.length(); i++) {
            n += text.charAt(i) == ' ' ? 1 : 0;
        }
        return n;
    }

    private static int group(List<String> rows) {
        Map<String, Integer> byName = new HashMap<>();
        for (String r : rows) {
            byName.merge(r.substring(0, 3), 1, Integer::sum);
        }
        return byName.size();
    }

    private static List<String> load(int n) {
        List<String> rows = new ArrayList<>();
        for (int i = 0; i < 4000; i++) {
            rows.add((n * 31 + i) % 1000 + " row of some text");
        }
        return rows;
    }

    private static long sum(List<String> rows) {
        long sum = 0;
        for (String r : rows) {
            sum = sum * 17 + r.hashCode();
        }
        return sum;
    }

    public static void main(String[] args) throws InterruptedException {
        System.out.println("READY");
        for (int n = 0;; n++) {
            for (int k = 0; k < 5; k++) {
                List<String> rows = load(n + k);
                for (String r : rows) {
                    result += words(r);
                }
                result += group(rows) + (int) sum(rows);
            }
            Thread.sleep(500);
        }
    }
}
