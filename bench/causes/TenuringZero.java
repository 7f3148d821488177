// SPDX-License-Identifier: Apache-2.0
// cause: with MaxTenuringThreshold=0, all that is in use at a young collection is promoted, and full collections follow
// expect: promotion
// symptom: gc-pauses gc-cpu live-set heap-limit
// jvm: -Xmx256m -Xmn32m -XX:+UseParallelGC -XX:MaxTenuringThreshold=0
// jdk: 11
// set: sixth
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Somebody set the option to save copies within the young generation. Eighty requests at a time each hold 200 KB for
 * the 80 ms that a partner needs to answer. A young collection comes ten times a second and finds up to 16 MB in use,
 * which would be garbage at the next one; so promoted, it fills the 100 MB that the catalogue leaves free of the old
 * generation about once a second, and a full collection has to mark and move the catalogue for 100 ms and more. Copying
 * would do without a single full collection. Apart from this the requests wait for the partner, and compute nearly
 * nothing.
 */
public final class TenuringZero {
    private static final Map<Integer, String> CATALOGUE = new HashMap<>();
    private static volatile int bytes;

    private static List<byte[]> read(int request) {
        List<byte[]> rows = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            byte[] row = new byte[4000];
            row[i] = (byte) request;
            rows.add(row);
        }
        return rows;
    }

    private static int answer(List<byte[]> rows, String product) {
        return rows.get(rows.size() - 1).length + product.length();
    }

    private static void serve(int first) {
        try {
            for (int n = first;; n++) {
                List<byte[]> rows = read(n);
                Thread.sleep(80); // the answer of the partner
                bytes = answer(rows, CATALOGUE.get(n % CATALOGUE.size()));
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) {
        for (int i = 0; i < 800_000; i++) {
            CATALOGUE.put(i, "product " + i);
        }
        for (int i = 0; i < 80; i++) {
            int first = i;
            new Thread(() -> serve(first), "http-" + i).start();
        }
        System.out.println("READY");
    }
}
