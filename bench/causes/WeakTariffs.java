// SPDX-License-Identifier: Apache-2.0
// cause: a cache has weak keys that nobody else keeps, so each collection empties it and all tariffs are computed anew
// expect: hot-method caller=WeakTariffs.compute | hot-method frame=WeakTariffs.compute | hot-calls frame=WeakTariffs.compute | hot-code frame=WeakTariffs.compute | hot-calls frame=WeakTariffs.tariff | hot-code frame=WeakTariffs.tariff
// symptom: hot-method hot-code hot-calls
// jvm: -Xmx96m -Xmn6m -XX:+UseSerialGC
// jdk: 11
// cpu: 1
// set: sixth
import java.util.Arrays;
import java.util.Map;
import java.util.WeakHashMap;

/**
 * There are a hundred zones, and a tariff takes some 3 ms to compute. The key, made from each request, is garbage at
 * the end of it. Answers fill the 5 MB of eden about twice a second; a collection takes a ms, but then up to a hundred
 * tariffs are computed again, which is most of what the process uses, a third of the CPU it may use. With keys that are
 * kept it would need a few per cent.
 */
public final class WeakTariffs {
    private static final int ZONES = 100;
    private static volatile int size;

    private final Map<String, double[]> tariffs = new WeakHashMap<>();

    private static double[] compute(String zone) {
        double[] prices = new double[24];
        for (int hour = 0; hour < prices.length; hour++) {
            double price = zone.hashCode() % 100;
            for (int day = 1; day <= 3_000; day++) {
                price += Math.cbrt(day * hour + price) / day;
            }
            prices[hour] = price;
        }
        return prices;
    }

    private synchronized double[] tariff(String zone) {
        double[] known = tariffs.get(zone);
        if (known == null) {
            known = compute(zone);
            tariffs.put(zone, known);
        }
        return known;
    }

    private static byte[] answer(double[] prices, int n) {
        byte[] page = new byte[40_000];
        Arrays.fill(page, 0, 1000, (byte) prices[n % prices.length]);
        return page;
    }

    private void serve() throws InterruptedException {
        for (int n = 0;; n++) {
            size = answer(tariff("zone-" + n % ZONES), n).length;
            Thread.sleep(2); // the next request
        }
    }

    public static void main(String[] args) throws InterruptedException {
        System.out.println("READY");
        new WeakTariffs().serve();
    }
}
