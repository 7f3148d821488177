// SPDX-License-Identifier: Apache-2.0
// healthy: Tickets are encoded on both cores with many short-lived objects (strings, byte arrays); young collections are frequent but take little time since almost nothing survives; the time goes into useful hashing and encoding.
// judge: Right: nothing wrong / CPU-bound by useful work (CRC, SHA-256, Base64 in TicketEncoder.encode), the high allocation rate costs little (share of GC time is small). Wrong: GC pressure, memory retention, MessageDigest or allocation as the fault, contention, too few threads.
// set: nineteenth
// jdk: 17
// jvm: -XX:+UseParallelGC
import java.nio.charset.StandardCharsets;
import java.security.*;
import java.util.*;
import java.util.concurrent.atomic.LongAdder;
import java.util.zip.CRC32;

public class TicketEncoder {
    private static final LongAdder tickets = new LongAdder();
    private static final String[] LINES = {"S1", "S2", "RE7", "IC14", "U6", "T12", "N40"};

    record Journey(String line, int from, int to, int day, int seat) { }

    record Ticket(Journey journey, String code, int cents) {
        String print() {
            return journey.line() + ' ' + journey.from() + '-' + journey.to() + ' ' + cents + ' ' + code;
        }
    }

    static final class Inspector {
        private final Map<String, Integer> perLine = new TreeMap<>();
        private final ArrayDeque<String> recent = new ArrayDeque<>();

        void look(Ticket t) {
            perLine.merge(t.journey().line(), 1, Integer::sum);
            recent.addLast(t.print());
            if (recent.size() > 100) recent.removeFirst();
        }

        int seen() {
            int n = 0;
            for (int v : perLine.values()) n += v;
            return n;
        }
    }

    private final MessageDigest digest;
    private final CRC32 crc = new CRC32();
    private final Base64.Encoder base64 = Base64.getUrlEncoder().withoutPadding();
    private final byte[] secret;

    TicketEncoder(int terminal) throws GeneralSecurityException {
        digest = MessageDigest.getInstance("SHA-256");
        secret = ("terminal-secret-" + terminal).getBytes(StandardCharsets.US_ASCII);
    }

    private static String text(Journey j) {
        StringBuilder b = new StringBuilder(160);
        b.append("TICKET|line=").append(j.line());
        b.append("|from=").append(String.valueOf(j.from()));
        b.append("|to=").append(String.valueOf(j.to()));
        b.append("|day=").append(String.valueOf(j.day()));
        b.append("|seat=").append(String.valueOf(j.seat()));
        for (int stop = j.from(); stop < j.to(); stop += 5) b.append("|via=").append(stop);
        return b.toString();
    }

    private static int price(Journey j) {
        int stops = j.to() - j.from();
        int base = 180 + stops * 35;
        return j.line().startsWith("IC") ? base * 3 / 2 : base;
    }

    Ticket encode(Journey j) {
        byte[] body = text(j).getBytes(StandardCharsets.UTF_8);
        crc.reset();
        crc.update(body);
        digest.update(secret);
        digest.update(body);
        byte[] signature = digest.digest();
        byte[] all = Arrays.copyOf(body, body.length + 4 + 16);
        int check = (int) crc.getValue();
        for (int i = 0; i < 4; i++) all[body.length + i] = (byte) (check >>> (8 * i));
        System.arraycopy(signature, 0, all, body.length + 4, 16);
        return new Ticket(j, base64.encodeToString(all), price(j));
    }

    private static void terminal(int number) {
        try {
            TicketEncoder encoder = new TicketEncoder(number);
            Inspector inspector = new Inspector();
            SplittableRandom r = new SplittableRandom(number);
            while (inspector.seen() >= 0) {
                for (int i = 0; i < 500; i++) {
                    int from = r.nextInt(60);
                    Journey j = new Journey(LINES[r.nextInt(LINES.length)], from, from + 1 + r.nextInt(40),
                            r.nextInt(365), r.nextInt(80));
                    inspector.look(encoder.encode(j));
                    tickets.increment();
                }
            }
        } catch (GeneralSecurityException e) {
            System.err.println(e);
        }
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 2; i++) {
            int number = i;
            Thread t = new Thread(() -> terminal(number), "terminal-" + i);
            t.setDaemon(true);
            t.start();
        }
        Thread.sleep(4000);
        System.out.println("READY");
        long before = tickets.sum();
        long at = System.nanoTime();
        for (int i = Integer.getInteger("secs", 165); i > 0; i--) {
            Thread.sleep(1000);
            long now = tickets.sum();
            long t = System.nanoTime();
            System.out.printf(Locale.ROOT, "measured: %.0f tickets/s%n", (now - before) * 1e9 / (t - at));
            before = now;
            at = t;
        }
        System.exit(0);
    }
}
