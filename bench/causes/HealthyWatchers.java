// SPDX-License-Identifier: Apache-2.0
// healthy: many virtual threads wait for news that rarely come, and a few requests are answered in time
// jdk: 21
// set: seventh

import java.util.*;
import java.util.concurrent.*;

public class HealthyWatchers {
    static final Map<Integer, Semaphore> NEWS = new ConcurrentHashMap<>();
    static final CountDownLatch CLOSING = new CountDownLatch(1);

    static void watch(int topic) {
        Semaphore news = NEWS.computeIfAbsent(topic, t -> new Semaphore(0));
        try {
            while (true)
                news.acquire();
        } catch (InterruptedException e) {
            // ends
        }
    }

    static int answer(int number) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 200; i++)
            text.append(number * i % 97).append(',');
        return text.toString().hashCode();
    }

    public static void main(String[] args) throws Exception {
        ExecutorService virtual = Executors.newVirtualThreadPerTaskExecutor();
        for (int i = 0; i < 400; i++) {
            int topic = i;
            virtual.submit(() -> watch(topic));
        }
        for (int i = 0; i < 40; i++)
            virtual.submit(() -> {
                CLOSING.await();
                return null;
            });
        System.out.println("READY");
        for (int i = 0; ; i++) {
            int number = i;
            virtual.submit(() -> answer(number));
            if (i % 50 == 0 && NEWS.get(i % 400) != null)
                NEWS.get(i % 400).release();
            Thread.sleep(10);
        }
    }
}
