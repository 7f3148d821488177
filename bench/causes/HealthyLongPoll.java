// SPDX-License-Identifier: Apache-2.0
// healthy: clients keep requests open until there is an event for them
// jdk: 21
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

public final class HealthyLongPoll {
    private static final ConcurrentLinkedQueue<BlockingQueue<String>> CLIENTS = new ConcurrentLinkedQueue<>();
    private static volatile int sent;

    private static void serve() {
        BlockingQueue<String> mine = new LinkedBlockingQueue<>();
        CLIENTS.add(mine);
        try {
            for (;;) {
                String event = mine.poll(30, TimeUnit.SECONDS);
                sent += event == null ? 0 : event.length();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws InterruptedException {
        for (int i = 0; i < 20; i++) {
            new Thread(HealthyLongPoll::serve, "long-poll-" + i).start();
        }
        System.out.println("READY");
        for (int n = 0;; n++) {
            Thread.sleep(100);
            for (BlockingQueue<String> client : CLIENTS) {
                client.add("event " + n);
            }
        }
    }
}
