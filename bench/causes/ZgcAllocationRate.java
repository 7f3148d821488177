// SPDX-License-Identifier: Apache-2.0
// cause: requests allocate faster than ZGC can collect a heap this small, so that they wait for it; uses all CPUs
// expect: allocation-stall where=GET_/feed
// symptom: gc-cpu gc-pauses hot-method hot-calls hot-code
// jdk: 21
// jvm: -Xmx160m -XX:+UseZGC
// set: fourth
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import wick.Scope;
import wick.Wick;

public final class ZgcAllocationRate {
    private static final int ARTICLES = 60_000;
    private static volatile int sent;

    private final List<Map<String, Object>> articles = new ArrayList<>();

    private ZgcAllocationRate() {
        for (int i = 0; i < ARTICLES; i++) {
            articles.add(article(i));
        }
    }

    private static Map<String, Object> article(int id) {
        Map<String, Object> fields = new HashMap<>();
        fields.put("id", id);
        fields.put("title", "article " + id);
        fields.put("price", id % 1000 / 10.0);
        return fields;
    }

    private List<Map<String, Object>> copy(int from, int articlesOfPage) {
        List<Map<String, Object>> page = new ArrayList<>();
        for (int i = 0; i < articlesOfPage; i++) {
            Map<String, Object> article = new HashMap<>(articles.get((from + i) % ARTICLES));
            article.put("position", i);
            page.add(article);
        }
        return page;
    }

    private static byte[] encode(List<Map<String, Object>> page) {
        byte[] body = new byte[page.size() * 200];
        int at = 0;
        for (Map<String, Object> article : page) {
            for (Map.Entry<String, Object> field : article.entrySet()) {
                body[at++] = (byte) field.getKey().length();
            }
        }
        return body;
    }

    private void serve(int from) {
        for (int i = from;; i += 1000) {
            try (Scope span = Wick.span("GET /feed")) {
                sent += encode(copy(i & 0xfffffff, 8000)).length;
            }
        }
    }

    public static void main(String[] args) {
        ZgcAllocationRate service = new ZgcAllocationRate();
        for (int i = 0; i < 3; i++) {
            int from = i * 20_000;
            new Thread(() -> service.serve(from), "http-" + i).start();
        }
        System.out.println("READY");
    }
}
