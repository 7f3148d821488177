// SPDX-License-Identifier: Apache-2.0
// healthy: nearly all CPU time is PBKDF2 with 120,000 rounds (RowingClubPortal$Passwords.derive), as it has to be for passwords: once for each sign-in, some 3 a second, while the 30 requests after it use the token of the session.
// share: nothing: 0.2 s a sign-in as meant, on average 0.55 CPUs of 2 (0.3 on a crowded machine); 90 bookings a second with a token, 0.015 ms each, without any derivation.
// judge: RIGHT: nothing stands out, or a neutral sentence that time goes to deriving keys for RowingClubPortal$Passwords.derive (or signIn), which is what it is for. WRONG: an accusation (as a fault) of key derivation or cryptography (a key derived again for what has one), of SecretKeyFactory lookups, SecureRandom, of locks in BoatHouse.book, sleep, or collections.
// jdk: 8
// set: thirty-sixth
// jvm: -Xmx256m
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;

/** The portal of a rowing club: members sign in once, and then see boats and book them with the session's token. */
public class RowingClubPortal {
    static final AtomicLong logins = new AtomicLong(), loginNanos = new AtomicLong(), bookings = new AtomicLong(), bookingNanos = new AtomicLong(), refused = new AtomicLong();

    static final class Member {
        final String name;
        final byte[] salt, verifier;

        Member(String name, byte[] salt, byte[] verifier) {
            this.name = name;
            this.salt = salt;
            this.verifier = verifier;
        }
    }

    /** Passwords are kept as keys that take long to derive, so that a stolen list is of little use. */
    static final class Passwords {
        private static final int ROUNDS = 120000;

        byte[] derive(char[] password, byte[] salt) throws GeneralSecurityException {
            PBEKeySpec spec = new PBEKeySpec(password, salt, ROUNDS, 256);
            try {
                return SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256").generateSecret(spec).getEncoded();
            } finally {
                spec.clearPassword();
            }
        }

        boolean matches(Member m, char[] password) throws GeneralSecurityException {
            return MessageDigest.isEqual(m.verifier, derive(password, m.salt));
        }
    }

    static final class Sessions {
        private final SecureRandom random = new SecureRandom();
        private final Map<String, Member> open = new ConcurrentHashMap<>();

        String begin(Member m) {
            byte[] b = new byte[24];
            random.nextBytes(b);
            String token = Base64.getUrlEncoder().encodeToString(b);
            open.put(token, m);
            return token;
        }

        Member member(String token) {
            return open.get(token);
        }

        void end(String token) {
            open.remove(token);
        }
    }

    static final class BoatHouse {
        private final String[][] hours = new String[48][24 * 14];

        /** The boat that is free for so long and fits the crew best. */
        int book(Member m, int from, int length, int crew, boolean wish) {
            int best = -1;
            double least = Double.MAX_VALUE;
            for (int boat = 0; boat < hours.length; boat++) {
                int gap = 0;
                synchronized (hours[boat]) {
                    while (gap < length && (hours[boat][(from + gap) % 336] == null || wish && hours[boat][(from + gap) % 336].equals(m.name))) {
                        gap++;
                    }
                }
                double cost = Math.abs(boat % 9 - crew) + boat / 100.0;
                if (gap == length && cost < least) {
                    least = cost;
                    best = boat;
                }
            }
            if (best >= 0) {
                synchronized (hours[best]) {
                    for (int h = 0; h < length; h++) {
                        hours[best][(from + h) % 336] = from % 3 == 0 ? null : m.name;
                    }
                }
            }
            return best;
        }
    }

    /** A member at home: signs in, looks around for a while, and leaves. */
    static final class Visit implements Runnable {
        private final List<Member> members;
        private final Passwords passwords = new Passwords();
        private final Sessions sessions;
        private final BoatHouse boats;
        private final Random random;

        Visit(int id, List<Member> members, Sessions sessions, BoatHouse boats) {
            this.members = members;
            this.sessions = sessions;
            this.boats = boats;
            this.random = new Random(20 + id);
        }

        @Override
        public void run() {
            try {
                while (true) {
                    Member m = members.get(random.nextInt(members.size()));
                    String token = signIn(m, random.nextInt(25) == 0 ? "oar" : "pw-" + m.name);
                    for (int i = 0; token != null && i < 30; i++) {
                        long t = System.nanoTime();
                        boats.book(sessions.member(token), random.nextInt(336), 1 + random.nextInt(4), 1 + random.nextInt(8), random.nextBoolean());
                        bookingNanos.addAndGet(System.nanoTime() - t);
                        bookings.incrementAndGet();
                        Thread.sleep(15 + random.nextInt(50));
                    }
                    if (token != null) {
                        sessions.end(token);
                    }
                    Thread.sleep(200 + random.nextInt(300));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private String signIn(Member m, String password) {
            long t = System.nanoTime();
            try {
                if (passwords.matches(m, password.toCharArray())) {
                    return sessions.begin(m);
                }
                refused.incrementAndGet();
                return null;
            } catch (GeneralSecurityException e) {
                throw new IllegalStateException(e);
            } finally {
                loginNanos.addAndGet(System.nanoTime() - t);
                logins.incrementAndGet();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Passwords passwords = new Passwords();
        List<Member> members = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            byte[] salt = new byte[16];
            new SecureRandom().nextBytes(salt);
            members.add(new Member("member-" + i, salt, passwords.derive(("pw-member-" + i).toCharArray(), salt)));
        }
        Sessions sessions = new Sessions();
        BoatHouse boats = new BoatHouse();
        for (int i = 0; i < 5; i++) {
            new Thread(new Visit(i, members, sessions, boats), "visit-" + i).start();
        }
        long ll = 0, ln = 0, lb = 0, lt = 0;
        for (int s = 1; ; s++) {
            Thread.sleep(1000);
            long l = logins.get(), n = loginNanos.get(), b = bookings.get(), t = bookingNanos.get();
            System.out.printf("measured: %d sign-ins, %.0f ms each; %d bookings with a token, %.3f ms each; %.2f threads derive keys; %d refused so far%n",
                    l - ll, (n - ln) / 1e6 / Math.max(1, l - ll), b - lb, (t - lt) / 1e6 / Math.max(1, b - lb), (n - ln) / 1e9, refused.get());
            ll = l;
            ln = n;
            lb = b;
            lt = t;
            if (s == 4) {
                System.out.println("READY");
            }
            System.out.flush();
        }
    }
}
