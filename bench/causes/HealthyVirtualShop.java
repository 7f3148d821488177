// SPDX-License-Identifier: Apache-2.0
// healthy: a shop in virtual threads at a tenth of what it could serve: requests compute, nothing queues
// jvm: -Xmx256m
// jdk: 21
// set: fifth
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.ReentrantLock;
import wick.Scope;
import wick.Wick;

/** Forty customers with a second or so between their requests: 40 requests a second of 3 ms. */
public final class HealthyVirtualShop {
    private static final int CUSTOMERS = 40;
    private static final int ARTICLES = 400;
    private static volatile long served;

    private final String[] names = new String[ARTICLES];
    private final double[] weights = new double[ARTICLES];
    private final Map<String, Integer> popular = new TreeMap<>();
    private final ReentrantLock lock = new ReentrantLock();

    private HealthyVirtualShop() {
        for (int i = 0; i < ARTICLES; i++) {
            names[i] = "Article number " + (i * 7919) % 1000 + " of the catalogue";
            weights[i] = Math.sqrt(i + 1);
        }
    }

    private int[] search(String term) {
        int[] hits = new int[ARTICLES];
        for (int round = 0; round < 30; round++) {
            for (int i = 0; i < ARTICLES; i++) {
                hits[i] += names[i].indexOf(term) >= 0 ? 1 : 0;
            }
        }
        return hits;
    }

    private double[] score(int[] hits) {
        double[] scores = new double[ARTICLES];
        for (int round = 0; round < 28; round++) {
            for (int i = 0; i < ARTICLES; i++) {
                scores[i] += hits[i] * weights[i] + Math.cbrt(i + round);
            }
        }
        return scores;
    }

    private static double best(double[] scores) {
        double sum = 0;
        for (int round = 0; round < 20; round++) {
            double[] sorted = scores.clone();
            Arrays.sort(sorted);
            sum += sorted[sorted.length - 1 - round];
        }
        return sum;
    }

    private String page(double best) {
        StringBuilder page = new StringBuilder();
        for (int i = 0; i < ARTICLES; i++) {
            page.append("<li>").append(names[i].toLowerCase(Locale.ROOT)).append("</li>\n");
        }
        return page.append(Math.round(best)).toString();
    }

    private void count(String term) {
        lock.lock();
        try {
            popular.merge(term, 1, Integer::sum);
        } finally {
            lock.unlock();
        }
    }

    private void buy() {
        try {
            for (int n = 0;; n++) {
                Thread.sleep(ThreadLocalRandom.current().nextLong(500, 1500)); // reads the page
                try (Scope request = Wick.span("GET /search")) {
                    String term = Integer.toString(n % 100);
                    count(term);
                    long length = 0;
                    for (int block = 0; block < 12; block++) {
                        length += page(best(score(search(term)))).length();
                    }
                    served += length;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws InterruptedException {
        HealthyVirtualShop shop = new HealthyVirtualShop();
        Thread last = null;
        for (int i = 0; i < CUSTOMERS; i++) {
            last = Thread.ofVirtual().name("customer-" + i).start(shop::buy);
        }
        System.out.println("READY");
        last.join();
    }
}
