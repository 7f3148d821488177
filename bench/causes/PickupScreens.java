// SPDX-License-Identifier: Apache-2.0
// healthy: 32 screens in snack bars ask by long polls what has changed at their counter; the server keeps such a request until there is news or 6 s are over, which is what a long poll is for; news reach the screens within some ms, and orders are answered in a few ms
// share: 0.1 to 0.3 of 2 CPUs; from the moment that a dish is ready to its screen 2 to 6 ms on average ("news after" in the measured lines), orders take 3 to 5 ms (on a busy machine; less on an idle one); some polls end after 6 s without news
// judge: NAMED: nothing stands out; or only neutral statements (time goes to waiting for news, in PickupScreens$Counter.await or PickupScreens$Screen.run, if it should be less ...) that call nothing a fault. SYMPTOM ONLY: does not apply. WRONG: any accusation, such as that requests of /news are slow, that waits of a condition at PickupScreens$Counter.await run out of time and what they wait for does not come, that the screens wait for a slow server at PickupScreens$Screen.run, that the pool of handlers is busy, locks, too many threads.
// jdk: 25
// set: thirty-sixth

import com.sun.net.httpserver.*;
import java.io.IOException;
import java.net.*;
import java.net.http.*;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.concurrent.locks.*;

public class PickupScreens {
    static final AtomicLong news = new AtomicLong(), newsNanos = new AtomicLong(), quiet = new AtomicLong(), orders = new AtomicLong(), orderNanos = new AtomicLong();

    record Dish(int number, String name, long readyNanos) { }

    /** One counter: what is ready there, in order. */
    static final class Counter {
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition changed = lock.newCondition();
        private final ArrayDeque<Dish> latest = new ArrayDeque<>();
        private int last;

        void ready(String name) {
            lock.lock();
            try {
                latest.addLast(new Dish(++last, name, System.nanoTime()));
                if (latest.size() > 20) latest.removeFirst();
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }

        List<Dish> await(int seen, Duration most) throws InterruptedException {
            lock.lock();
            try {
                long left = most.toNanos();
                while (last <= seen && left > 0) left = changed.awaitNanos(left);
                return latest.stream().filter(d -> d.number() > seen).toList();
            } finally {
                lock.unlock();
            }
        }
    }

    /** The kitchen: makes what is ordered, and what is made for stock at times of its own. */
    static final class Kitchen {
        private final Map<String, Integer> recipes = new TreeMap<>();
        private final ScheduledExecutorService stoves = Executors.newScheduledThreadPool(4, Thread.ofPlatform().name("stove-", 0).factory());
        private final List<Counter> counters;

        Kitchen(List<Counter> counters) {
            this.counters = counters;
            String[] names = {"noodles", "soup", "dumplings", "curry", "salad", "rice", "wrap", "pancake"};
            for (int i = 0; i < names.length; i++) recipes.put(names[i], 600 + i * 350);
        }

        String order(int counter, int size) {
            StringBuilder bill = new StringBuilder();
            int cents = 0;
            List<String> names = new ArrayList<>(recipes.keySet());
            for (int i = 0; i < size; i++) {
                String name = names.get(ThreadLocalRandom.current().nextInt(names.size()));
                int price = recipes.get(name);
                cents += price;
                bill.append(name).append(' ').append(price / 100).append('.').append(price % 100).append('\n');
            }
            String first = names.get(size % names.size());
            if (size % 6 == 0) stoves.schedule(() -> counters.get(counter).ready(first), 300 + ThreadLocalRandom.current().nextInt(2500), TimeUnit.MILLISECONDS);
            return bill.append("total ").append(cents).append('\n').toString();
        }
    }

    static Map<String, Integer> query(HttpExchange x) {
        Map<String, Integer> all = new HashMap<>();
        for (String part : x.getRequestURI().getQuery().split("&")) {
            int at = part.indexOf('=');
            all.put(part.substring(0, at), Integer.parseInt(part.substring(at + 1)));
        }
        return all;
    }

    static void answer(HttpExchange x, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        x.sendResponseHeaders(200, bytes.length == 0 ? -1 : bytes.length);
        if (bytes.length > 0) x.getResponseBody().write(bytes);
        x.close();
    }

    static HttpServer serve(List<Counter> counters, Kitchen kitchen) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 100);
        server.createContext("/news", x -> {
            Map<String, Integer> q = query(x);
            try {
                StringBuilder text = new StringBuilder();
                for (Dish d : counters.get(q.get("counter")).await(q.get("seen"), Duration.ofSeconds(6))) {
                    text.append(d.number()).append(' ').append(d.readyNanos()).append(' ').append(d.name()).append('\n');
                }
                answer(x, text.toString());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        server.createContext("/order", x -> {
            Map<String, Integer> q = query(x);
            answer(x, kitchen.order(q.get("counter"), q.get("size")));
        });
        server.setExecutor(Executors.newCachedThreadPool(Thread.ofPlatform().name("handler-", 0).factory()));
        server.start();
        return server;
    }

    record Screen(HttpClient http, URI base, int counter) implements Runnable {
        @Override public void run() {
            int seen = 0;
            while (true) {
                try {
                    String text = get(http, base.resolve("/news?counter=" + counter + "&seen=" + seen));
                    long now = System.nanoTime();
                    if (text.isEmpty()) quiet.incrementAndGet();
                    for (String line : text.lines().toList()) {
                        String[] f = line.split(" ");
                        if (seen > 0) {
                            news.incrementAndGet();
                            newsNanos.addAndGet(now - Long.parseLong(f[1]));
                        }
                        seen = Math.max(seen, Integer.parseInt(f[0]));
                    }
                } catch (IOException | InterruptedException e) {
                    System.out.println("screen " + counter + ": " + e);
                    LockSupport.parkNanos(500_000_000L);
                }
            }
        }
    }

    static String get(HttpClient http, URI uri) throws IOException, InterruptedException {
        return http.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString()).body();
    }

    record Guests(HttpClient http, URI base, int counters) implements Runnable {
        @Override public void run() {
            Random random = new Random();
            while (true) {
                try {
                    long from = System.nanoTime();
                    get(http, base.resolve("/order?counter=" + Math.min(random.nextInt(counters), random.nextInt(counters)) + "&size=" + (1 + random.nextInt(30))));
                    orders.incrementAndGet();
                    orderNanos.addAndGet(System.nanoTime() - from);
                    Thread.sleep(20 + random.nextInt(40));
                } catch (IOException | InterruptedException e) {
                    System.out.println("guests: " + e);
                    LockSupport.parkNanos(500_000_000L);
                }
            }
        }
    }

    public static void main(String[] args) throws Exception {
        System.setProperty("sun.net.httpserver.nodelay", "true");
        List<Counter> counters = new ArrayList<>();
        for (int i = 0; i < 16; i++) counters.add(new Counter());
        HttpServer server = serve(counters, new Kitchen(counters));
        URI base = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
        HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        for (int i = 0; i < 32; i++) Thread.ofPlatform().name("screen-" + i).start(new Screen(http, base, i % 16));
        for (int i = 0; i < 3; i++) Thread.ofPlatform().name("guests-" + i).start(new Guests(http, base, 16));
        long n = 0, ns = 0, o = 0, os = 0;
        for (int s = 1; ; s++) {
            Thread.sleep(1000);
            long n2 = news.get(), ns2 = newsNanos.get(), o2 = orders.get(), os2 = orderNanos.get();
            System.out.printf("measured: %d news, after %.1f ms each; %d orders, %.1f ms each; %d polls ended without news%n",
                n2 - n, (ns2 - ns) / 1e6 / Math.max(1, n2 - n), o2 - o, (os2 - os) / 1e6 / Math.max(1, o2 - o), quiet.get());
            n = n2;
            ns = ns2;
            o = o2;
            os = os2;
            if (s == 5) System.out.println("READY");
            System.out.flush();
        }
    }
}
