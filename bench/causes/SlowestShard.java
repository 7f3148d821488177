// SPDX-License-Identifier: Apache-2.0
// cause: a search asks six shards at once and waits for all of them; one needs 60 ms, the others 3 ms
// expect: endpoint-wait kind=latch frame=SlowestShard.search | waiting kind=latch frame=SlowestShard.search | waiting frame=SlowestShard.scan waiter=SlowestShard.search
// symptom: endpoint-wait waiting
// jdk: 21
// set: fourth
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import wick.Scope;
import wick.Wick;

public final class SlowestShard {
    private static final int[] MILLIS = {3, 3, 3, 3, 60, 3};
    private static volatile int found;

    private final ExecutorService pool = Executors.newCachedThreadPool();

    private static int scan(int shard, int term) throws InterruptedException {
        Thread.sleep(MILLIS[shard]); // the shard's answer
        return term * 31 % (shard + 7);
    }

    private int search(int term) throws InterruptedException {
        int[] hits = new int[MILLIS.length];
        CountDownLatch answers = new CountDownLatch(hits.length);
        for (int i = 0; i < hits.length; i++) {
            int shard = i;
            pool.execute(() -> {
                try {
                    hits[shard] = scan(shard, term);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                } finally {
                    answers.countDown();
                }
            });
        }
        answers.await();
        return Arrays.stream(hits).sum();
    }

    private void serve() {
        try {
            for (int term = 0;; term++) {
                try (Scope span = Wick.span("GET /search")) {
                    found += search(term);
                }
                Thread.sleep(15); // the next client
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) {
        SlowestShard service = new SlowestShard();
        for (int i = 0; i < 5; i++) {
            new Thread(service::serve, "http-" + i).start();
        }
        System.out.println("READY");
    }
}
