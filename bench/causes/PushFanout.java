// SPDX-License-Identifier: Apache-2.0
// cause: each message to a subscriber makes a platform thread
// expect: waiting kind=thread frame=PushFanout.deliver | hot-code kind=thread frame=PushFanout.deliver
// symptom: waiting hot-code hot-calls
// jdk: 17
// set: seventh

import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.LongAdder;

public class PushFanout {
    static final LongAdder SENT = new LongAdder();
    static final Map<Integer, String> DEVICES = new ConcurrentHashMap<>();

    static void send(int device, String text) {
        DEVICES.put(device, Integer.toHexString(text.hashCode() ^ device));
        SENT.increment();
    }

    static void deliver(int topic, String text) throws InterruptedException {
        CountDownLatch all = new CountDownLatch(32);
        for (int i = 0; i < 32; i++) {
            int device = topic * 32 + i;
            new Thread(() -> {
                send(device, text);
                all.countDown();
            }, "push-" + device).start();
        }
        all.await();
    }

    public static void main(String[] args) {
        for (int n = 0; n < 2; n++) {
            int first = n * 50;
            new Thread(() -> {
                try {
                    for (int i = 0; ; i++)
                        deliver(first + i % 50, "goal in minute " + i % 90);
                } catch (InterruptedException e) {
                    // ends
                }
            }, "topic-" + n).start();
        }
        System.out.println("READY");
    }
}
