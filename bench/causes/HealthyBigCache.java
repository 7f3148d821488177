// SPDX-License-Identifier: Apache-2.0
// healthy: a cache of pages has 100 MB, which stay; one request of ten replaces a page, and the heap has room
// jvm: -Xmx320m -XX:+UseZGC
// jdk: 25
// set: sixth
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import wick.Scope;
import wick.Wick;

/**
 * Three threads answer some 150 requests a second. Fifteen of these find their page of 5 KB outdated and read it again
 * from a store, which takes 4 ms. The process uses a few per cent of a CPU.
 */
public final class HealthyBigCache {
    private static final int PAGES = 20_000;
    private static volatile int checksum;

    private final Map<Integer, byte[]> pages = new ConcurrentHashMap<>();

    private HealthyBigCache() {
        for (int i = 0; i < PAGES; i++) {
            pages.put(i, render(i));
        }
    }

    private static byte[] render(int number) {
        StringBuilder page = new StringBuilder();
        for (int line = 0; page.length() < 5000; line++) {
            page.append("page ").append(number).append(" line ").append(line).append(" of the catalogue\n");
        }
        return page.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] load(int number) throws InterruptedException {
        Thread.sleep(4); // the store reads it
        return render(number);
    }

    private byte[] get(int number, boolean outdated) throws InterruptedException {
        if (outdated) {
            pages.put(number, load(number));
        }
        return pages.get(number);
    }

    private static int sum(byte[] page) {
        int sum = 0;
        for (byte b : page) {
            sum = sum * 31 + b;
        }
        return sum;
    }

    private void serve(int thread) {
        try {
            for (int n = thread;; n++) {
                try (Scope request = Wick.span("GET /page")) {
                    checksum = sum(get(Math.floorMod(n * 7919, PAGES), n % 10 == 0));
                }
                Thread.sleep(20); // the next request
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) {
        HealthyBigCache service = new HealthyBigCache();
        for (int i = 0; i < 3; i++) {
            int thread = i;
            new Thread(() -> service.serve(thread), "http-" + i).start();
        }
        System.out.println("READY");
    }
}
