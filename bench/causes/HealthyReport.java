// SPDX-License-Identifier: Apache-2.0
// healthy: a batch parses, sorts and adds up records in one thread, no step of which stands out
// jdk: 11
// set: third
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;

public final class HealthyReport {
    private static volatile double total;

    private static List<String> lines(int seed) {
        List<String> out = new ArrayList<>();
        for (int i = 0; i < 4000; i++) {
            out.add((i * 7919 + seed) % 10007 + "," + i % 97);
        }
        return out;
    }

    private static List<int[]> parse(List<String> lines) {
        List<int[]> out = new ArrayList<>();
        for (String line : lines) {
            int comma = line.indexOf(',');
            out.add(new int[] {Integer.parseInt(line.substring(0, comma)), Integer.parseInt(line.substring(comma + 1))});
        }
        return out;
    }

    private static double sum(List<int[]> rows) {
        TreeMap<Integer, Double> by = new TreeMap<>();
        for (int[] row : rows) {
            by.merge(row[1], row[0] * 1.0, Double::sum);
        }
        return by.values().stream().mapToDouble(d -> d).sum();
    }

    public static void main(String[] args) {
        System.out.println("READY");
        for (int seed = 0;; seed++) {
            List<int[]> rows = parse(lines(seed));
            rows.sort(Comparator.comparingInt((int[] r) -> r[0]));
            total += sum(rows);
        }
    }
}
