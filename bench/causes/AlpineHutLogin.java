// SPDX-License-Identifier: Apache-2.0
// healthy: almost all CPU goes into PBKDF2 (javax.crypto) and visitors wait some hundred milliseconds, but the rounds of the key derivation are the point of it: it is the password policy's stated cost, it runs without any shared lock, and the answers come within the promised half second.
// share: measures e.g. "47 log-ins/s, mean 86 ms"
// judge: Right is: no fault (CPU-bound on deliberate password hashing set by policy); naming the PBKDF2 rounds/SecretKeyFactory, the waiting of visitors on the semaphore, or too few threads as a fault is wrong.
// set: twenty-first
// jdk: 25
import java.security.*;
import java.security.spec.InvalidKeySpecException;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.LongAdder;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;

/** Log-in of a booking site for alpine huts: checks pass phrases against salted keys and opens sessions. */
public class AlpineHutLogin {
    static final int MEMBERS = 40;
    static final int VISITORS = 4;
    static final LongAdder LOGINS = new LongAdder();
    static final LongAdder NANOS = new LongAdder();

    record Policy(String algorithm, int rounds, int keyBits) { }

    record Member(int number, byte[] salt, byte[] key) { }

    record Session(int member, String token, long until) { }

    /** Keeps members' salted keys and checks phrases by the policy. */
    static final class PhraseKeeper {
        private final Policy policy;
        private final Map<Integer, Member> members = new ConcurrentHashMap<>();
        private final Semaphore cores = new Semaphore(2);

        PhraseKeeper(Policy policy) {
            this.policy = policy;
        }

        void enrol(int number, String phrase, Random random) throws GeneralSecurityException {
            byte[] salt = new byte[16];
            random.nextBytes(salt);
            members.put(number, new Member(number, salt, derive(phrase, salt)));
        }

        private byte[] derive(String phrase, byte[] salt) throws NoSuchAlgorithmException, InvalidKeySpecException {
            var spec = new PBEKeySpec(phrase.toCharArray(), salt, policy.rounds(), policy.keyBits());
            try {
                return SecretKeyFactory.getInstance(policy.algorithm()).generateSecret(spec).getEncoded();
            } finally {
                spec.clearPassword();
            }
        }

        boolean check(int number, String phrase) throws GeneralSecurityException, InterruptedException {
            Member member = members.get(number);
            if (member == null) {
                return false;
            }
            cores.acquire();
            try {
                return MessageDigest.isEqual(member.key(), derive(phrase, member.salt()));
            } finally {
                cores.release();
            }
        }
    }

    /** Open sessions; expired ones leave when the desk is tidied. */
    static final class SessionDesk {
        private final ConcurrentMap<String, Session> open = new ConcurrentHashMap<>();
        private final HexFormat hex = HexFormat.of();

        Session open(int member) {
            byte[] raw = new byte[12];
            ThreadLocalRandom.current().nextBytes(raw);
            var session = new Session(member, hex.formatHex(raw), System.nanoTime() + 30_000_000_000L);
            open.put(session.token(), session);
            return session;
        }

        void tidy() {
            long now = System.nanoTime();
            open.values().removeIf(s -> s.until() - now < 0);
        }
    }

    static String phraseOf(int member) {
        return "edelweiss-" + member * 7919 + "-ridge";
    }

    static void visit(PhraseKeeper keeper, SessionDesk desk) {
        var r = ThreadLocalRandom.current();
        try {
            while (true) {
                int member = r.nextInt(MEMBERS);
                String phrase = r.nextInt(20) == 0 ? "mistyped" : phraseOf(member);
                long t0 = System.nanoTime();
                if (keeper.check(member, phrase)) {
                    desk.open(member);
                }
                NANOS.add(System.nanoTime() - t0);
                LOGINS.increment();
            }
        } catch (GeneralSecurityException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws Exception {
        var keeper = new PhraseKeeper(new Policy("PBKDF2WithHmacSHA256", 120_000, 256));
        var desk = new SessionDesk();
        var random = new SecureRandom();
        for (int i = 0; i < MEMBERS; i++) {
            keeper.enrol(i, phraseOf(i), random);
        }
        for (int i = 0; i < VISITORS; i++) {
            Thread.ofPlatform().daemon().name("visitor-" + i).start(() -> visit(keeper, desk));
        }
        Thread.sleep(2000);
        System.out.println("READY");
        LOGINS.sumThenReset();
        NANOS.sumThenReset();
        for (int s = 0; s < 240; s++) {
            Thread.sleep(1000);
            desk.tidy();
            long n = LOGINS.sumThenReset();
            long ns = NANOS.sumThenReset();
            System.out.printf("measured: %d log-ins/s, mean %.0f ms%n", n, n == 0 ? 0.0 : ns / 1e6 / n);
        }
        System.exit(0);
    }
}
