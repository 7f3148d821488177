// SPDX-License-Identifier: Apache-2.0
// cause: a request looks every 50 ms whether its job is done, which takes 2 ms
// expect: endpoint-wait kind=sleep frame=PollForResult.await
// symptom: endpoint-wait waiting
// jdk: 25
// set: fourth
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import wick.Scope;
import wick.Wick;

public final class PollForResult {
    private static volatile long rendered;

    private final ExecutorService renderers = Executors.newFixedThreadPool(4, Thread.ofPlatform().name("render-", 0).factory());
    private final Map<Long, Long> results = new ConcurrentHashMap<>();
    private final AtomicLong ids = new AtomicLong();

    private void render(long id) {
        try {
            Thread.sleep(2); // the service that renders
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        results.put(id, id * 31);
    }

    private long await(long id) throws InterruptedException {
        for (;;) {
            Long result = results.remove(id);
            if (result != null) {
                return result;
            }
            Thread.sleep(50);
        }
    }

    private long preview() throws InterruptedException {
        long id = ids.incrementAndGet();
        renderers.execute(() -> render(id));
        return await(id);
    }

    private void serve() {
        try {
            for (;;) {
                try (Scope span = Wick.span("POST /preview")) {
                    rendered += preview();
                }
                Thread.sleep(25); // the next client
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) {
        PollForResult service = new PollForResult();
        for (int i = 0; i < 8; i++) {
            new Thread(service::serve, "http-" + i).start();
        }
        System.out.println("READY");
    }
}
