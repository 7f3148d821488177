// SPDX-License-Identifier: Apache-2.0
// healthy: One thread parses JSON messages at full speed and allocates hundreds of MB per second of short-lived maps, strings and lists, with many young collections, but nothing survives, so the collections cost about 2 % of the time and the CPU is used for the work itself.
// share: 143,000-166,000 claims/s with the machine shared (up to 250,000 on a quiet one), 127-224 Mchar/s, collector total about 17-20 ms in each second
// judge: WRONG: GC as the bottleneck, memory leak (inbox and spent are constant in size), heap too small, boxing of Long as the cause of bad performance, a hot loop bug in Json. ACCEPTABLE: high allocation rate from Json.object/string with cheap young collections; one thread uses a full core for parsing (the purpose of the batch); no fault found.
// jdk: 17
// set: twenty-third
// jvm: -Xmx256m -Xmn180m -XX:+UseParallelGC
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;

public class ClaimParser {
    private static final AtomicLong CLAIMS = new AtomicLong();
    private static final AtomicLong CHARS = new AtomicLong();
    private static final AtomicLong APPROVED = new AtomicLong();

    record Position(String code, int quantity, long cents) {
        long amount() {
            return quantity * cents;
        }
    }

    record Claim(String number, String policy, List<Position> positions) {
        long total() {
            long sum = 0;
            for (Position p : positions) {
                sum += p.amount();
            }
            return sum;
        }
    }

    static final class Json {
        private final String text;
        private int at;

        Json(String text) {
            this.text = text;
        }

        Object value() {
            char c = text.charAt(at);
            if (c == '{') {
                return object();
            }
            if (c == '[') {
                return array();
            }
            if (c == '"') {
                return string();
            }
            return number();
        }

        private Map<String, Object> object() {
            Map<String, Object> m = new LinkedHashMap<>();
            at++;
            while (text.charAt(at) != '}') {
                String key = string();
                expect(':');
                m.put(key, value());
                skipComma();
            }
            at++;
            return m;
        }

        private List<Object> array() {
            List<Object> list = new ArrayList<>();
            at++;
            while (text.charAt(at) != ']') {
                list.add(value());
                skipComma();
            }
            at++;
            return list;
        }

        private String string() {
            int close = text.indexOf('"', at + 1);
            String s = text.substring(at + 1, close);
            at = close + 1;
            return s;
        }

        private Long number() {
            long n = 0;
            char c;
            while ((c = text.charAt(at)) >= '0' && c <= '9') {
                n = n * 10 + (c - '0');
                at++;
            }
            return n;
        }

        private void skipComma() {
            if (text.charAt(at) == ',') {
                at++;
            }
        }

        private void expect(char c) {
            if (text.charAt(at++) != c) {
                throw new IllegalArgumentException("expected " + c + " at " + at);
            }
        }
    }

    static String message(Random r) {
        StringBuilder b = new StringBuilder(2048);
        b.append("{\"number\":\"C").append(r.nextInt(1 << 24)).append("\",\"policy\":\"P").append(r.nextInt(5000));
        b.append("\",\"positions\":[");
        int n = 5 + r.nextInt(30);
        for (int i = 0; i < n; i++) {
            if (i > 0) {
                b.append(',');
            }
            b.append("{\"code\":\"T").append(r.nextInt(900)).append("\",\"quantity\":").append(1 + r.nextInt(5));
            b.append(",\"cents\":").append(100 + r.nextInt(40000)).append('}');
        }
        return b.append("]}").toString();
    }

    static Claim claim(String text) {
        Map<?, ?> m = (Map<?, ?>) new Json(text).value();
        List<Position> positions = new ArrayList<>();
        for (Object o : (List<?>) m.get("positions")) {
            Map<?, ?> p = (Map<?, ?>) o;
            positions.add(new Position((String) p.get("code"), ((Long) p.get("quantity")).intValue(),
                    (Long) p.get("cents")));
        }
        return new Claim((String) m.get("number"), (String) m.get("policy"), positions);
    }

    static void assess(String[] inbox, long end) {
        Map<String, Long> spent = new TreeMap<>();
        int at = 0;
        while (System.nanoTime() < end) {
            String text = inbox[at];
            at = (at + 1) % inbox.length;
            Claim c = claim(text);
            long after = spent.merge(c.policy(), c.total(), Long::sum);
            if (after < 2_000_000_000L) {
                APPROVED.incrementAndGet();
            } else {
                spent.put(c.policy(), 0L);
            }
            CHARS.addAndGet(text.length());
            CLAIMS.incrementAndGet();
        }
    }

    public static void main(String[] args) throws Exception {
        Random r = new Random(12);
        String[] inbox = new String[2000];
        for (int i = 0; i < inbox.length; i++) {
            inbox[i] = message(r);
        }
        long end = System.nanoTime() + 170L * 1_000_000_000L;
        Thread worker = new Thread(() -> assess(inbox, end), "assessor");
        worker.start();
        System.out.println("READY");
        long n0 = 0;
        long c0 = 0;
        while (worker.isAlive()) {
            worker.join(1000);
            long n = CLAIMS.get();
            long c = CHARS.get();
            long gc = 0;
            for (GarbageCollectorMXBean b : ManagementFactory.getGarbageCollectorMXBeans()) {
                gc += b.getCollectionTime();
            }
            System.out.println("measured: " + (n - n0) + " claims/s, " + (c - c0) / 1000000
                    + " Mchar/s, collector total " + gc + " ms");
            n0 = n;
            c0 = c;
        }
    }
}
