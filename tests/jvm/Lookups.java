// SPDX-License-Identifier: Apache-2.0
import java.lang.ref.WeakReference;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/** Four lookups that compute what they do not find: of keys that are never the same twice, of a hundred keys, of ones
 *  that the answer is not kept of, and of ten that are kept by weak references. Prints how many of each there were, and
 *  how many found nothing. */
public class Lookups {
    static final class Cache {
        private final Map<String, Double> kept = new LinkedHashMap<String, Double>(64, 0.75f, true) {
            protected boolean removeEldestEntry(Map.Entry<String, Double> eldest) {
                return size() > 1000;
            }
        };
        int asked, missed;

        Double get(String key) {
            Double found = kept.get(key);
            asked++;
            if (found == null)
                missed++;
            return found;
        }

        void put(String key, Double value) {
            kept.put(key, value);
        }
    }

    static final Cache NEVER = new Cache(), OFTEN = new Cache(), UNKEPT = new Cache();
    static double sum;

    static double compute(String key, int n) {
        double value = key.length();
        for (int i = 0; i < n; i++)
            value = Math.sqrt(value + i);
        return value;
    }

    static double never(String name, int day) {
        Double value = NEVER.get(name + day);
        if (value == null) {
            value = compute(name, 20000);
            NEVER.put(name + day, value);
        }
        return value;
    }

    static double often(String name) {
        Double value = OFTEN.get(name);
        if (value == null) {
            value = compute(name, 20000);
            OFTEN.put(name, value);
        }
        return value + compute(name, 4000);
    }

    static double unkept(String name) {
        Double value = UNKEPT.get(name);
        if (value == null)
            value = compute(name, 4000);
        return value;
    }

    static final Map<String, WeakReference<double[]>> WEAK = new HashMap<>();
    static int asked, missed;

    static double weak(String name) {
        WeakReference<double[]> kept = WEAK.get(name);
        double[] value = kept == null ? null : kept.get();
        asked++;
        if (value == null) {
            missed++;
            value = new double[] {compute(name, 20000)};
            WEAK.put(name, new WeakReference<>(value));
        }
        return value[0] + compute(name, 4000);
    }

    public static void main(String[] args) {
        System.out.println("up");
        for (int i = 0;; i++) {
            sum += never("n", i) + often("o" + i % 100) + unkept("u" + i) + weak("w" + i % 10);
            if (i % 1000 == 0)
                System.out.println("counted " + i + " weak " + asked + " " + missed);
            if (i % 1000 == 0)
                for (Cache c : new Cache[] {NEVER, OFTEN, UNKEPT})
                    System.out.println("counted " + i + (c == NEVER ? " never " : c == OFTEN ? " often " : " unkept ")
                                       + c.asked + " " + c.missed);
        }
    }
}
