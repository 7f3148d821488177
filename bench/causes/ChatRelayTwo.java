// SPDX-License-Identifier: Apache-2.0
// cause: AuditLog.event finds the caller by a stack trace (class:line) for each log line, below a deep filter chain
// expect: hot-code kind=exceptions frame=ChatRelayTwo$AuditLog.where
// symptom: hot-method hot-calls promotion gc-pauses
// share: 30000 messages/s, 95 % of the time in logging; fixed: over 250000 messages/s
// judge: right: ChatRelayTwo$AuditLog.where: makes a Throwable's stack trace per log line for the caller's place
// judge: symptom: CPU in fillInStackTrace / getStackTraceElement; StackTraceElement allocations; log lock
// judge: wrong: the filter chain's recursion itself; lock of the log; disk; GC; room fan-out
// jdk: 8
// set: fourteenth
import java.io.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class ChatRelayTwo {
    static final boolean FIXED = Boolean.getBoolean("fixed");

    static final class Message {
        final String room, from, text; final long id; int hops; String lang = "?";
        final Map<String, String> tags = new HashMap<>();
        Message(String room, String from, String text, long id) {
            this.room = room; this.from = from; this.text = text; this.id = id;
        }
    }

    static final class AuditLog {
        private final File file; private final String[] last = new String[4000]; private long n;
        static final LongAdder nanos = new LongAdder();
        AuditLog() throws IOException {
            file = File.createTempFile("chat", ".log");
            file.deleteOnExit();
        }
        void event(Message m, String what) {
            long t = System.nanoTime();
            StringBuilder b = new StringBuilder(120);
            b.append(System.currentTimeMillis()).append(" INFO [").append(where()).append("] ");
            b.append(m.id).append(' ').append(m.room).append(' ').append(what).append('\n');
            keep(b.toString());
            nanos.add(System.nanoTime() - t);
        }
        private String where() {
            if (FIXED) return "chat";
            for (StackTraceElement e : new Throwable().getStackTrace())
                if (!e.getClassName().endsWith("AuditLog"))
                    return e.getClassName() + "." + e.getMethodName() + ":" + e.getLineNumber();
            return "?";
        }
        private synchronized void keep(String line) { last[(int) (n++ % 4000)] = line; }
        /** The newest lines go to a file now and then, for support. */
        void dump() {
            StringBuilder b = new StringBuilder();
            synchronized (this) { for (long i = n; i < n + 4000; i++) b.append(last[(int) (i % 4000)]); }
            try (Writer out = new OutputStreamWriter(new FileOutputStream(file), StandardCharsets.UTF_8)) {
                out.append(b);
            } catch (IOException e) { System.err.println("log: " + e); }
        }
    }

    interface Filter { void apply(Message m, Chain rest); }

    static final class Chain {
        private final List<Filter> filters; private final int at; private final Room end;
        Chain(List<Filter> filters, int at, Room end) { this.filters = filters; this.at = at; this.end = end; }
        void proceed(Message m) {
            m.hops++;
            if (at == filters.size()) end.deliver(m);
            else filters.get(at).apply(m, new Chain(filters, at + 1, end));
        }
    }

    static final class Room {
        final String name; final AuditLog log; final Queue<Message> history = new ConcurrentLinkedQueue<>();
        final AtomicInteger kept = new AtomicInteger(); final AtomicLong seen = new AtomicLong();
        Room(String name, AuditLog log) { this.name = name; this.log = log; }
        void deliver(Message m) {
            history.add(m);
            if (kept.incrementAndGet() > 200 && history.poll() != null) kept.decrementAndGet();
            log.event(m, "delivered to members of " + name + " after " + m.hops + " hops");
            seen.incrementAndGet();
        }
    }

    static List<Filter> filters(AuditLog log) {
        List<Filter> f = new ArrayList<>();
        f.add((m, rest) -> { log.event(m, "received from " + m.from); rest.proceed(m); });
        f.add((m, rest) -> { if (!m.text.isEmpty()) rest.proceed(m); });
        f.add((m, rest) -> { m.lang = m.text.contains(" der ") ? "de" : "en"; rest.proceed(m); });
        for (String word : "casino lottery pills crypto spam refund urgent winner".split(" "))
            f.add((m, rest) -> { if (m.text.contains(word)) m.tags.put("flag", word); rest.proceed(m); });
        for (String tag : "#news #sport #music #cars #food #games #city #work".split(" "))
            f.add(new Filter() {
                @Override public void apply(Message m, Chain rest) { check(m); rest.proceed(m); }
                private void check(Message m) { if (m.text.contains(tag)) m.tags.put(tag, "1"); }
            });
        f.add((m, rest) -> { log.event(m, "tags " + m.tags); rest.proceed(m); });
        f.add((m, rest) -> {
            if ("spam".equals(m.tags.get("flag"))) log.event(m, "dropped"); else rest.proceed(m);
        });
        f.add((m, rest) -> { log.event(m, "language " + m.lang); rest.proceed(m); });
        return f;
    }

    public static void main(String[] args) throws Exception {
        final AuditLog log = new AuditLog();
        final List<Filter> filters = filters(log);
        final List<Room> rooms = new ArrayList<>();
        for (int i = 0; i < 40; i++) rooms.add(new Room("room" + i, log));
        final BlockingQueue<Message> inbox = new ArrayBlockingQueue<>(500);
        final LongAdder done = new LongAdder(), nanos = new LongAdder();
        for (int w = 0; w < 2; w++) {
            new Thread(() -> {
                try {
                    while (true) {
                        Message m = inbox.take();
                        long t = System.nanoTime();
                        new Chain(filters, 0, rooms.get((int) (m.id % rooms.size()))).proceed(m);
                        nanos.add(System.nanoTime() - t);
                        done.increment();
                    }
                } catch (InterruptedException e) { Thread.currentThread().interrupt(); }
            }, "relay-" + w).start();
        }
        new Thread(() -> {
            String[] words = "hello the #food urgent der and #city spam we meet tonight #music at eight".split(" ");
            Random r = new Random(9);
            for (long id = 1; ; id++) {
                StringBuilder b = new StringBuilder();
                for (int i = 0; i < 12; i++) b.append(words[r.nextInt(words.length)]).append(' ');
                try { inbox.put(new Message("room" + id % 40, "user" + r.nextInt(5000), b.toString(), id)); }
                catch (InterruptedException e) { return; }
            }
        }, "members").start();
        Executors.newScheduledThreadPool(1, r -> new Thread(r, "log-dump"))
                .scheduleWithFixedDelay(log::dump, 10, 10, TimeUnit.SECONDS);
        Thread.sleep(1500);
        System.out.println("READY");
        for (long d0 = done.sum(), n0 = nanos.sum(), l0 = AuditLog.nanos.sum(); ; ) {
            Thread.sleep(1000);
            long d = done.sum(), n = nanos.sum(), l = AuditLog.nanos.sum();
            System.out.printf(Locale.ROOT, "measured: %d messages/s, %.1f us each, logging %.0f %% of it%n",
                    d - d0, (n - n0) / 1e3 / Math.max(1, d - d0), 100.0 * (l - l0) / Math.max(1, n - n0));
            d0 = d; n0 = n; l0 = l;
        }
    }
}
