// SPDX-License-Identifier: Apache-2.0
// cause: -Xmn2m leaves a young generation of 2 MB: a collection every few dozen requests, half the time is pauses
// expect: jvm-option option=-Xmn
// symptom: gc-pauses gc-cpu promotion
// share: 33500 requests/s, mean 0.118 ms; without -Xmn2m (no fixed switch): 205000/s, mean 0.019 ms
// judge: right: JVM option -Xmn2m: young generation far too small, hundreds of minor collections a second
// judge: symptom: much time in young GC pauses; high allocation rate by CatalogueApi.handle/personal (strings)
// judge: wrong: heap as a whole too small; leak; cache misses; render; lock; page cache too big
// jvm: -Xmx128m -Xmn2m
// jdk: 8
// set: fourteenth
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.zip.CRC32;

public class CatalogueApi {
    static final int ARTICLES = 9_000;

    static final class Article {
        final int id; final String name; final int cents; final int[] related; final int[] stock = new int[24];
        Article(int id, Random r) {
            this.id = id;
            name = "Article " + id + (r.nextBoolean() ? " <deluxe>" : " & more");
            cents = 99 + r.nextInt(90_000);
            related = r.ints(12, 0, ARTICLES).toArray();
            for (int i = 0; i < stock.length; i++) stock[i] = r.nextInt(50);
        }
    }

    static final class Page {
        final byte[] body; final String etag;
        Page(byte[] body) {
            this.body = body;
            CRC32 crc = new CRC32();
            crc.update(body);
            etag = Long.toHexString(crc.getValue());
        }
    }

    /** Rendered pages, one for each article; a changed article is dropped and rendered anew. */
    static final class PageCache {
        private final ConcurrentHashMap<Integer, Page> pages = new ConcurrentHashMap<>();
        Page get(int id) { return pages.get(id); }
        void put(int id, Page p) { pages.put(id, p); }
        void drop(int id) { pages.remove(id); }
    }

    final List<Article> articles = new ArrayList<>();
    final PageCache cache = new PageCache();
    final LongAdder served = new LongAdder(), misses = new LongAdder();
    final LongAdder nanos = new LongAdder(), renderNanos = new LongAdder();

    CatalogueApi() {
        Random r = new Random(4);
        for (int i = 0; i < ARTICLES; i++) articles.add(new Article(i, r));
        articles.parallelStream().forEach(a -> cache.put(a.id, render(a)));
    }

    static void escape(StringBuilder to, String s) {
        for (int i = 0; i < s.length(); i++) {
            char c = s.charAt(i);
            if (c == '<') to.append("&lt;"); else if (c == '&') to.append("&amp;"); else to.append(c);
        }
    }

    Page render(Article a) {
        StringBuilder b = new StringBuilder(4000);
        b.append("<p>{{greeting}}, {{basket}}</p><h1>");
        escape(b, a.name);
        b.append(String.format(Locale.ROOT, "</h1><p class=price>%.2f EUR</p><ul>", a.cents / 100.0));
        for (int i = 0; i < a.stock.length; i++)
            b.append("<li>").append(i).append(a.stock[i] > 3 ? " available" : " few left").append("</li>");
        b.append("</ul><div class=related>");
        for (int id : a.related) {
            Article o = articles.get(id);
            b.append("<a id=").append(o.id).append("><b>");
            escape(b, o.name);
            int pieces = Arrays.stream(o.stock).sum();
            b.append(String.format(Locale.ROOT, "</b> %.2f EUR / %,d pcs</a>%n", o.cents / 100.0, pieces));
        }
        return new Page(b.append("</div>").toString().getBytes(StandardCharsets.UTF_8));
    }

    static String personal(String page, int customer) {
        return "<html><head><title>Shop</title></head><body class=c" + customer % 7 + ">"
                + page.replace("{{greeting}}", "Good day, customer " + customer)
                .replace("{{basket}}", customer % 5 + " items") + "</body></html>";
    }

    byte[] handle(String requestLine, String knownTag, int customer) {
        int id = Integer.parseInt(requestLine.substring("GET /article/".length(), requestLine.lastIndexOf(' ')));
        Page p = cache.get(id);
        if (p == null) {
            misses.increment();
            long t = System.nanoTime();
            p = render(articles.get(id));
            renderNanos.add(System.nanoTime() - t);
            cache.put(id, p);
        }
        if (p.etag.equals(knownTag)) return "HTTP/1.1 304 Not Modified\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
        byte[] body = personal(new String(p.body, StandardCharsets.UTF_8), customer).getBytes(StandardCharsets.UTF_8);
        byte[] head = ("HTTP/1.1 200 OK\r\nETag: " + p.etag + "\r\nContent-Length: " + body.length + "\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII);
        byte[] answer = Arrays.copyOf(head, head.length + body.length);
        System.arraycopy(body, 0, answer, head.length, body.length);
        return answer;
    }

    public static void main(String[] args) throws Exception {
        final CatalogueApi api = new CatalogueApi();
        for (int c = 0; c < 4; c++) {
            final Random r = new Random(c);
            Thread t = new Thread(() -> {
                while (true) {
                    int id = Math.min(r.nextInt(ARTICLES), r.nextInt(ARTICLES));
                    long t0 = System.nanoTime();
                    byte[] answer = api.handle("GET /article/" + id + " HTTP/1.1", "x", r.nextInt(99_999));
                    if (answer.length < 20) throw new IllegalStateException("no page for " + id);
                    api.served.increment();
                    api.nanos.add(System.nanoTime() - t0);
                }
            }, "shop-" + c);
            t.start();
        }
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
        Random changed = new Random();
        timer.scheduleAtFixedRate(() -> api.cache.drop(changed.nextInt(ARTICLES)), 100, 100, TimeUnit.MILLISECONDS);
        Thread.sleep(700);
        System.out.println("READY");
        long s0 = api.served.sum(), n0 = api.nanos.sum(), m0 = api.misses.sum(), r0 = api.renderNanos.sum();
        while (true) {
            Thread.sleep(1000);
            long s = api.served.sum(), n = api.nanos.sum(), m = api.misses.sum(), r = api.renderNanos.sum();
            System.out.printf(Locale.ROOT,
                    "measured: %d requests/s, mean %.3f ms, misses %.1f %%, render %.0f %% of it%n",
                    s - s0, (n - n0) / 1e6 / Math.max(1, s - s0), 100.0 * (m - m0) / Math.max(1, s - s0),
                    100.0 * (r - r0) / Math.max(1, n - n0));
            s0 = s; n0 = n; m0 = m; r0 = r;
        }
    }
}
