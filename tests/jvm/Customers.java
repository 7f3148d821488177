// SPDX-License-Identifier: Apache-2.0
import java.io.BufferedReader;
import java.io.InputStreamReader;
import wick.Scope;
import wick.Wick;

/**
 * Requests of two endpoints by two customers, that allocate known amounts: arrays, of which one endpoint keeps some, and native
 * memory that both keep. Line on standard input:
 *
 * <pre>
 *   serve N    N requests; answered by "served", and for each endpoint and customer
 *              endpoint|customer|bytes allocated|bytes kept|native bytes kept
 * </pre>
 */
@SuppressWarnings("try")
public class Customers {
    static final int ARRAY = 1024, HEADER = 16, NATIVE = 8192;
    static final String[] ENDPOINTS = {"GET /report", "POST /import"}, CUSTOMERS = {"big", "small"};
    static final Object[] kept = new Object[1 << 20];
    static volatile Object sink;
    static int last;

    static byte[] array() { return new byte[ARRAY - HEADER]; }

    static void drop(int n) {
        for (int i = 0; i < n; i++)
            sink = array();
    }

    static void keep(int n) {
        for (int i = 0; i < n; i++)
            kept[last++] = array();
    }

    static void request(int endpoint, int customer, long[] sums) {
        int many = customer == 0 ? 30 : 10, stay = endpoint == 1 ? many / 2 : 0, blocks = many / 10;
        try (Scope s = Wick.span(ENDPOINTS[endpoint]); Scope c = Wick.label("customer", CUSTOMERS[customer])) {
            drop(many - stay);
            keep(stay);
            NativeMem.keepUnsafe(blocks, NATIVE);
        }
        sums[0] += many * ARRAY;
        sums[1] += stay * ARRAY;
        sums[2] += blocks * NATIVE;
    }

    static String serve(int n) {
        long[][] sums = new long[4][3];
        for (int i = 0; i < n; i++)
            request(i % 2, i % 3 == 0 ? 0 : 1, sums[i % 2 * 2 + (i % 3 == 0 ? 0 : 1)]);
        sink = null;
        System.gc();
        StringBuilder out = new StringBuilder("served");
        for (int k = 0; k < 4; k++)
            out.append(';').append(ENDPOINTS[k / 2]).append('|').append(CUSTOMERS[k % 2]).append('|').append(sums[k][0]).append('|')
                .append(sums[k][1]).append('|').append(sums[k][2]);
        return out.toString();
    }

    public static void main(String[] args) throws Exception {
        serve(200);
        System.out.println("up");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = in.readLine()) != null;)
            System.out.println(serve(Integer.parseInt(line.split(" ")[1])));
    }
}
