// SPDX-License-Identifier: Apache-2.0
// cause: who is online is kept in a list that is copied at each change, and there are many changes
// expect: gc-pauses caller=Presence. | gc-cpu caller=Presence. | hot-method caller=Presence. | hot-code frame=Presence. | hot-calls frame=Presence.
// symptom: gc-pauses gc-cpu lock-contention waiting hot-method
// jdk: 17
// set: seventh

import java.util.concurrent.*;
import java.util.concurrent.atomic.AtomicLong;

public class Presence {
    static final CopyOnWriteArrayList<Long> ONLINE = new CopyOnWriteArrayList<>();
    static final AtomicLong IDS = new AtomicLong();

    static long join() {
        long id = IDS.incrementAndGet();
        ONLINE.add(id);
        return id;
    }

    static void leave(int at) {
        ONLINE.remove(at);
    }

    public static void main(String[] args) {
        java.util.List<Long> first = new java.util.ArrayList<>();
        for (long i = 0; i < 60_000; i++)
            first.add(IDS.incrementAndGet());
        ONLINE.addAll(first);
        for (int n = 0; n < 3; n++)
            new Thread(() -> {
                while (true) {
                    join();
                    leave(ThreadLocalRandom.current().nextInt(50_000));
                }
            }, "ws-" + n).start();
        System.out.println("READY");
    }
}
