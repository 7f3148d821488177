// SPDX-License-Identifier: Apache-2.0
// cause: all requests go through an executor of one thread, which waits for a slow call
// expect: pool-busy pool=lookup frame=PoolOfOne.lookup
// symptom: waiting
// jdk: 11
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

public final class PoolOfOne {
    private final ExecutorService pool = Executors.newFixedThreadPool(1, r -> new Thread(r, "lookup-1"));

    private int lookup(int key) throws InterruptedException {
        Thread.sleep(10); // a remote store
        return key + 1;
    }

    private int request(int key) {
        try {
            return pool.submit(() -> lookup(key)).get();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private void serve() {
        for (int key = 0;;) {
            key = request(key);
        }
    }

    public static void main(String[] args) {
        PoolOfOne service = new PoolOfOne();
        for (int i = 0; i < 8; i++) {
            new Thread(service::serve, "http-" + i).start();
        }
        System.out.println("READY");
    }
}
