// SPDX-License-Identifier: Apache-2.0
// healthy: a cache under one lock, held for a moment; the requests are few
// jdk: 21
// set: seventh

import java.util.*;
import java.util.concurrent.ThreadLocalRandom;

public class HealthyLru {
    static final class Lru extends LinkedHashMap<Integer, String> {
        Lru() {
            super(1024, 0.75f, true);
        }

        @Override
        protected boolean removeEldestEntry(Map.Entry<Integer, String> eldest) {
            return size() > 800;
        }
    }

    static final Lru CACHE = new Lru();

    static String title(int book) {
        synchronized (CACHE) {
            String known = CACHE.get(book);
            if (known != null)
                return known;
        }
        String found = "book " + Integer.toString(book, 36);
        synchronized (CACHE) {
            CACHE.put(book, found);
        }
        return found;
    }

    public static void main(String[] args) {
        for (int n = 0; n < 4; n++)
            new Thread(() -> {
                try {
                    while (true) {
                        for (int i = 0; i < 30; i++)
                            title((int) Math.abs(ThreadLocalRandom.current().nextGaussian() * 500));
                        Thread.sleep(8);
                    }
                } catch (InterruptedException e) {
                    // ends
                }
            }, "exec-" + n).start();
        System.out.println("READY");
    }
}
