// SPDX-License-Identifier: Apache-2.0
// cause: two classes need each other to be initialised, and two threads began with one each: neither can end
// expect: stuck frame=StaticCycle | waiting frame=StaticCycle
// symptom: waiting
// jdk: 21
// set: fifth
import java.util.Map;
import java.util.TreeMap;

/** No thread dump calls it a deadlock: the threads are shown as runnable, in the initialiser of a class. */
public final class StaticCycle {
    private static volatile double quoted;

    private static void readFile(String name) {
        try {
            Thread.sleep(300); // a file on a slow share
        } catch (InterruptedException e) {
            throw new IllegalStateException(name, e);
        }
    }

    private static final class Tariffs {
        private static final Map<String, Double> RATES = load();

        private static Map<String, Double> load() {
            readFile("tariffs");
            Map<String, Double> rates = new TreeMap<>();
            rates.put("day", 0.31);
            rates.put("night", 0.31 * Discounts.of("night"));
            return rates;
        }

        private static double of(String name) {
            return RATES.get(name);
        }
    }

    private static final class Discounts {
        private static final Map<String, Double> SHARES = load();

        private static Map<String, Double> load() {
            readFile("discounts");
            Map<String, Double> shares = new TreeMap<>();
            shares.put("night", 0.7);
            shares.put("loyal", 0.25 / Tariffs.of("day"));
            return shares;
        }

        private static double of(String name) {
            return SHARES.get(name);
        }
    }

    private static double quote(int customer) {
        double rate = Tariffs.of(customer % 2 == 0 ? "day" : "night");
        return 2500 * rate * (customer % 10 == 0 ? Discounts.of("loyal") : 1);
    }

    private static double rebate(int customer) {
        return customer * Discounts.of("loyal");
    }

    private static void quotes(int first) {
        try {
            Thread.sleep(first * 100L);
            for (int customer = first;; customer++) {
                quoted += quote(customer);
                Thread.sleep(5);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void rebates() {
        try {
            for (int customer = 0;; customer++) {
                quoted -= rebate(customer);
                Thread.sleep(50);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) {
        new Thread(StaticCycle::rebates, "rebates").start();
        for (int i = 0; i < 6; i++) {
            int first = i;
            new Thread(() -> quotes(first), "http-" + i).start();
        }
        System.out.println("READY");
    }
}
