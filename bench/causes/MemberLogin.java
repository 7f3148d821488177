// SPDX-License-Identifier: Apache-2.0
// healthy: passwords are hashed with PBKDF2 once for each login, which is meant to cost CPU time and is done as rarely as it can be: all pages after that go by a session token, checked with a cheap HMAC; logins take as long as the number of rounds asks for, pages a fraction of a millisecond, and most of the CPUs is free
// share: 2 to 3 logins/s of 70 ms each, 80 pages/s of 0.1 ms; 0.2 CPUs, most of it for PBKDF2; 27 to 42 pages for a login
// judge: RIGHT: nothing stands out, or a neutral statement that CPU time goes to deriving keys (PBKDF2) for MemberLogin$Passwords.hash, or to a login, without calling it a fault. WRONG: an accusation that keys are derived too often or needlessly, too few rounds or threads, waits (the members' pauses), locks, collections, CPUs.
// jdk: 25
// set: thirty-third
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.security.spec.KeySpec;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import javax.crypto.Mac;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.SecretKeySpec;

/** The members' portal of an allotment society: log in once, then read pages with the session's token. */
public class MemberLogin {
    static final int VISITORS = 4;
    static final int MEMBERS = 24;
    static final LongAdder logins = new LongAdder();
    static final LongAdder loginNanos = new LongAdder();
    static final LongAdder pages = new LongAdder();
    static final LongAdder pageNanos = new LongAdder();
    static final LongAdder refused = new LongAdder();

    record Member(int number, String name, byte[] salt, byte[] hash, int plots) {
    }

    /** Password hashes as the society's rules want them. */
    static final class Passwords {
        private static final int ROUNDS = 310_000;
        private final SecureRandom random = new SecureRandom();

        byte[] salt() {
            byte[] salt = new byte[16];
            random.nextBytes(salt);
            return salt;
        }

        byte[] hash(char[] password, byte[] salt) throws GeneralSecurityException {
            KeySpec spec = new PBEKeySpec(password, salt, ROUNDS, 256);
            return SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256").generateSecret(spec).getEncoded();
        }

        boolean matches(char[] password, Member member) throws GeneralSecurityException {
            return MessageDigest.isEqual(hash(password, member.salt()), member.hash());
        }
    }

    /** Tokens that carry the member's number and an end, signed by the portal. */
    static final class Sessions {
        private static final long LIFETIME = 30 * 60_000;
        private final SecretKeySpec key;

        Sessions(byte[] secret) {
            key = new SecretKeySpec(secret, "HmacSHA256");
        }

        private byte[] sign(String text) throws GeneralSecurityException {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(key);
            return mac.doFinal(text.getBytes(StandardCharsets.US_ASCII));
        }

        String issue(Member member) throws GeneralSecurityException {
            String text = member.number() + "." + (System.currentTimeMillis() + LIFETIME);
            return text + "." + Base64.getUrlEncoder().withoutPadding().encodeToString(sign(text));
        }

        int check(String token) throws GeneralSecurityException {
            int dot = token.lastIndexOf('.');
            String text = token.substring(0, dot);
            if (!MessageDigest.isEqual(sign(text), Base64.getUrlDecoder().decode(token.substring(dot + 1)))) {
                return -1;
            }
            int end = text.indexOf('.');
            return Long.parseLong(text.substring(end + 1)) < System.currentTimeMillis() ? -1 : Integer.parseInt(text.substring(0, end));
        }
    }

    static final class Portal {
        private final Passwords passwords = new Passwords();
        private final Sessions sessions = new Sessions(passwords.salt());
        private final Map<Integer, Member> members = new ConcurrentHashMap<>();

        void enrol(int number, String name, char[] password, int plots) throws GeneralSecurityException {
            byte[] salt = passwords.salt();
            members.put(number, new Member(number, name, salt, passwords.hash(password, salt), plots));
        }

        String login(int number, char[] password) throws GeneralSecurityException {
            long begin = System.nanoTime();
            Member member = members.get(number);
            if (member == null || !passwords.matches(password, member)) {
                refused.increment();
                return null;
            }
            String token = sessions.issue(member);
            logins.increment();
            loginNanos.add(System.nanoTime() - begin);
            return token;
        }

        String page(String token, int month) throws GeneralSecurityException {
            long begin = System.nanoTime();
            int number = sessions.check(token);
            if (number < 0) {
                refused.increment();
                return "please log in";
            }
            Member member = members.get(number);
            StringBuilder text = new StringBuilder("<h1>").append(member.name()).append("</h1><table>");
            for (int plot = 1; plot <= member.plots(); plot++) {
                int litres = (number * 37 + plot * 101 + month * 13) % 900;
                text.append("<tr><td>").append(plot).append("</td><td>").append(litres).append(" l</td><td>").append(litres * 3 / 10).append(" ct</td></tr>");
            }
            pages.increment();
            pageNanos.add(System.nanoTime() - begin);
            return text.append("</table>").toString();
        }
    }

    static char[] password(int number) {
        return ("garden-" + HexFormat.of().toHexDigits(number * 0x9E3779B1)).toCharArray();
    }

    /** People at their browsers: each logs in, reads some pages and leaves. */
    private static void visit(Portal portal, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        try {
            while (true) {
                int number = 1 + random.nextInt(MEMBERS);
                String token = portal.login(number, password(number));
                int views = 20 + random.nextInt(20);
                for (int view = 0; view < views && token != null; view++) {
                    Thread.sleep(20 + random.nextInt(40));
                    portal.page(token, random.nextInt(12));
                }
                Thread.sleep(300);
            }
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws Exception {
        Portal portal = new Portal();
        for (int number = 1; number <= MEMBERS; number++) {
            portal.enrol(number, "Member " + number, password(number), 1 + number % 6);
        }
        for (int i = 1; i <= VISITORS; i++) {
            long seed = i;
            Thread.ofPlatform().daemon().name("visitor-" + i).start(() -> visit(portal, seed));
        }
        while (logins.sum() < 8) {
            Thread.sleep(50);
        }
        System.out.println("READY");
        System.out.flush();
        long lastLogins = logins.sum(), lastLogin = loginNanos.sum(), lastPages = pages.sum(), lastPage = pageNanos.sum();
        while (true) {
            Thread.sleep(2000);
            long l = logins.sum(), ln = loginNanos.sum(), p = pages.sum(), pn = pageNanos.sum();
            System.out.printf("measured: %.1f logins/s, %.0f ms each (%d rounds); %d pages/s, %.3f ms each; %.0f pages for a login; %d refused%n", (l - lastLogins) / 2.0,
                    (ln - lastLogin) / 1e6 / Math.max(1, l - lastLogins), Passwords.ROUNDS, (p - lastPages) / 2, (pn - lastPage) / 1e6 / Math.max(1, p - lastPages),
                    (double) (p - lastPages) / Math.max(1, l - lastLogins), refused.sum());
            System.out.flush();
            lastLogins = l;
            lastLogin = ln;
            lastPages = p;
            lastPage = pn;
        }
    }
}
