// SPDX-License-Identifier: Apache-2.0
// healthy: Nearly a full core is spent in PBKDF2 with SHA-256 (60,000 rounds) in the two verifier threads, which looks like a hot spot but is the intended cost of safe password checks, while the offered load is served without a growing queue.
// share: 35-42 logins/s with the machine shared, mean 31-74 ms per login (about 17 ms on a quiet machine), one in ten denied on purpose
// judge: WRONG: the hashing (LoginVault.derive, SHA2.implCompress, PBKDF2KeyImpl) is a fault or should be cached or reduced, SecureRandom blocking, SecretKeyFactory.getInstance as the cause, pool too small, visitors waiting in CompletableFuture.get as contention. ACCEPTABLE: CPU time is spent in key derivation, by design; verifiers partly idle; no fault found.
// jdk: 21
// set: twenty-third
// jvm:
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;

public class LoginVault {
    private static final int ROUNDS = 60000;
    private static final int MEMBERS = 60;
    private static final AtomicLong CHECKED = new AtomicLong();
    private static final AtomicLong NANOS = new AtomicLong();
    private static final AtomicLong DENIED = new AtomicLong();

    record Member(String name, byte[] salt, byte[] hash) {
    }

    record Attempt(Member member, String password, CompletableFuture<Boolean> answer, long at) {
    }

    static byte[] derive(String password, byte[] salt) throws GeneralSecurityException {
        PBEKeySpec spec = new PBEKeySpec(password.toCharArray(), salt, ROUNDS, 256);
        try {
            return SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256").generateSecret(spec).getEncoded();
        } finally {
            spec.clearPassword();
        }
    }

    static final class Vault {
        private final List<Member> members = new ArrayList<>();
        private final BlockingQueue<Attempt> attempts = new ArrayBlockingQueue<>(64);
        private final SecureRandom salts = new SecureRandom();

        void register(String name, String password) throws GeneralSecurityException {
            byte[] salt = new byte[16];
            salts.nextBytes(salt);
            members.add(new Member(name, salt, derive(password, salt)));
        }

        void verifyLoop() {
            try {
                while (true) {
                    Attempt a = attempts.take();
                    byte[] given = derive(a.password(), a.member().salt());
                    boolean ok = MessageDigest.isEqual(given, a.member().hash());
                    if (!ok) {
                        DENIED.incrementAndGet();
                    }
                    NANOS.addAndGet(System.nanoTime() - a.at());
                    CHECKED.incrementAndGet();
                    a.answer().complete(ok);
                }
            } catch (InterruptedException | GeneralSecurityException e) {
                System.out.println("verifier stopped " + e);
            }
        }

        boolean login(Member m, String password) throws Exception {
            CompletableFuture<Boolean> answer = new CompletableFuture<>();
            attempts.put(new Attempt(m, password, answer, System.nanoTime()));
            return answer.get();
        }
    }

    static void visitor(Vault vault, int seed) {
        Random random = new Random(seed);
        try {
            while (true) {
                int i = random.nextInt(MEMBERS);
                String password = random.nextInt(10) == 0 ? "guess" + random.nextInt(100) : "pw-" + i;
                vault.login(vault.members.get(i), password);
                Thread.sleep(80 + random.nextInt(160));
            }
        } catch (Exception e) {
            System.out.println("visitor stopped " + e);
        }
    }

    static void start(String name, Runnable r) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        Vault vault = new Vault();
        for (int i = 0; i < MEMBERS; i++) {
            vault.register("member-" + i, "pw-" + i);
        }
        for (int i = 0; i < 2; i++) {
            start("verifier-" + i, vault::verifyLoop);
        }
        for (int i = 0; i < 8; i++) {
            int seed = i;
            start("visitor-" + i, () -> visitor(vault, seed));
        }
        System.out.println("READY");
        long n0 = 0;
        long t0 = 0;
        for (int s = 0; s < 170; s++) {
            Thread.sleep(1000);
            long n = CHECKED.get();
            long t = NANOS.get();
            System.out.println("measured: " + (n - n0) + " logins/s, mean "
                    + (t - t0) / Math.max(1, n - n0) / 1000 + " us, denied " + DENIED.get());
            n0 = n;
            t0 = t;
        }
    }
}
