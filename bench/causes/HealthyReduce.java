// SPDX-License-Identifier: Apache-2.0
// healthy: sales are summed up by parallel streams each half second, which takes a tenth of it
// jdk: 17
// set: seventh

import java.util.*;
import java.util.stream.*;

public class HealthyReduce {
    static final class Sale {
        final int shop;
        final long cents;

        Sale(int shop, long cents) {
            this.shop = shop;
            this.cents = cents;
        }
    }

    static Map<Integer, Long> byShop(List<Sale> sales) {
        return sales.parallelStream()
                .collect(Collectors.groupingBy(s -> s.shop, Collectors.summingLong(s -> s.cents)));
    }

    public static void main(String[] args) throws Exception {
        Random random = new Random(12);
        List<Sale> sales = IntStream.range(0, 300_000).mapToObj(i -> new Sale(random.nextInt(80), random.nextInt(9_000)))
                .collect(Collectors.toList());
        System.out.println("READY");
        long last = 0;
        while (true) {
            last ^= byShop(sales).hashCode();
            Thread.sleep(500 + (last & 1));
        }
    }
}
