// SPDX-License-Identifier: Apache-2.0
// cause: a cache of soft references grows until the heap is full, so that collections of all of it follow each other
// expect: gc-pauses | promotion
// symptom: gc-pauses gc-cpu promotion live-set allocation-stall hot-method hot-calls hot-code
// jdk: 11
// jvm: -Xmx128m -XX:+UseParallelGC
// set: fourth
import java.lang.ref.SoftReference;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

public final class SoftCache {
    private static final int ARTICLES = 200_000;
    private static volatile int served;

    private final Map<Integer, SoftReference<String[]>> pages = new ConcurrentHashMap<>();

    private static String[] render(int article) {
        String[] paragraphs = new String[80];
        for (int i = 0; i < paragraphs.length; i++) {
            paragraphs[i] = "article " + article + ", paragraph " + i;
        }
        return paragraphs;
    }

    private String[] page(int article) {
        SoftReference<String[]> cached = pages.get(article);
        String[] page = cached == null ? null : cached.get();
        if (page == null) {
            page = render(article);
            pages.put(article, new SoftReference<>(page));
        }
        return page;
    }

    private void serve() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        try {
            for (;;) {
                for (int i = 0; i < 4; i++) {
                    served += page(random.nextInt(ARTICLES)).length;
                }
                Thread.sleep(1); // the next client
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) {
        SoftCache service = new SoftCache();
        for (int i = 0; i < 2; i++) {
            new Thread(service::serve, "http-" + i).start();
        }
        System.out.println("READY");
    }
}
