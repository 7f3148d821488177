// SPDX-License-Identifier: Apache-2.0
// cause: settings are loaded in computeIfAbsent, which keeps the other tenants of that bin of the map waiting
// expect: waiting kind=sleep frame=LoaderInCompute.load | waiting kind=monitor frame=LoaderInCompute.settings | endpoint-wait kind=monitor frame=LoaderInCompute.settings
// symptom: waiting endpoint-wait lock-contention
// jdk: 11
// set: fourth
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ThreadLocalRandom;
import wick.Scope;
import wick.Wick;

public final class LoaderInCompute {
    private static final int SHARDS = 64; // ids of tenants of this shard are multiples
    private static final int TENANTS = 24;
    private static final int THREADS = 6;
    private static volatile int used;

    private final ConcurrentMap<Integer, String> cache = new ConcurrentHashMap<>(40);

    private static String load(int tenant) {
        try {
            Thread.sleep(25); // the service that has the settings
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return "theme=" + tenant % 7;
    }

    private String settings(int tenant) {
        return cache.computeIfAbsent(tenant, LoaderInCompute::load);
    }

    private void request() {
        int tenant = ThreadLocalRandom.current().nextInt(TENANTS) * SHARDS;
        try (Scope span = Wick.span("GET /dashboard")) {
            used += settings(tenant).length();
        }
    }

    private void serve() {
        try {
            for (;;) {
                request();
                Thread.sleep(2); // the next client
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void expire() {
        try {
            for (;;) {
                Thread.sleep(400);
                cache.clear();
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) {
        LoaderInCompute service = new LoaderInCompute();
        for (int i = 0; i < THREADS; i++) {
            new Thread(service::serve, "http-" + i).start();
        }
        new Thread(service::expire, "expiry").start();
        System.out.println("READY");
    }
}
