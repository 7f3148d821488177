// SPDX-License-Identifier: Apache-2.0
// healthy: an import makes much garbage, which a large young generation collects in short pauses
// jdk: 8
// jvm: -Xmx640m -Xmn400m -XX:+UseParallelGC
// set: fourth
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

public final class HealthyImport {
    private static volatile long imported;

    private static final class Row {
        final int customer;
        final String city;
        final long cents;

        Row(int customer, String city, long cents) {
            this.customer = customer;
            this.city = city;
            this.cents = cents;
        }
    }

    private static List<String> read(int file) {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < 5000; i++) {
            lines.add((i * 31 + file) % 1000 + ";city " + i % 40 + ";" + i * 17);
        }
        return lines;
    }

    private static List<Row> parse(List<String> lines) {
        List<Row> rows = new ArrayList<>();
        for (String line : lines) {
            int first = line.indexOf(';');
            int second = line.indexOf(';', first + 1);
            rows.add(new Row(Integer.parseInt(line.substring(0, first)), line.substring(first + 1, second),
                    Long.parseLong(line.substring(second + 1))));
        }
        return rows;
    }

    private static List<Row> check(List<Row> rows) {
        List<Row> good = new ArrayList<>();
        for (Row row : rows) {
            boolean known = true;
            for (int i = 0; i < row.city.length(); i++) {
                char c = Character.toLowerCase(row.city.charAt(i));
                known &= Character.isLetterOrDigit(c) || c == ' ';
            }
            if (known && row.cents >= 0) {
                good.add(row);
            }
        }
        return good;
    }

    private static int write(List<Row> rows) {
        StringBuilder out = new StringBuilder();
        for (Row row : rows) {
            out.append(row.customer).append(',').append(row.city).append(',').append(row.cents).append('\n');
        }
        return out.length();
    }

    private static Map<Integer, Long> byCustomer(List<Row> rows) {
        Map<Integer, Long> sums = new HashMap<>();
        for (Row row : rows) {
            sums.merge(row.customer, row.cents, Long::sum);
        }
        return sums;
    }

    private static Map<String, Long> byCity(List<Row> rows) {
        Map<String, Long> sums = new HashMap<>();
        for (Row row : rows) {
            sums.merge(row.city, row.cents, Long::sum);
        }
        return sums;
    }

    public static void main(String[] args) {
        System.out.println("READY");
        for (int file = 0;; file++) {
            List<Row> rows = check(parse(read(file)));
            imported += write(rows) + byCustomer(rows).size() + byCity(rows).size();
        }
    }
}
