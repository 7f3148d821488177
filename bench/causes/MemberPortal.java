// SPDX-License-Identifier: Apache-2.0
// healthy: A login service that checks passwords with PBKDF2 at the iteration count laid down by its security policy; nearly all CPU samples are in PBKDF2/SHA-256 by intent, the load (8 logins/s) is well within capacity and nothing queues.
// share: none; about a quarter of a core in PBKDF2 by policy; 8 logins/s at about 32 ms, the time of one hash
// judge: Right is "no fault found", or the remark that CPU is spent on password hashing as designed and needs no change. Wrong: naming PBKDF2 / PasswordVault.matches as a performance fault to be fixed (fewer iterations, caching of hashes), or accusing the pool, queue, session map, locks, GC or SecureRandom.
// jdk: 11
// set: seventeenth
import java.security.*;
import java.security.spec.InvalidKeySpecException;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.AtomicLong;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;

public class MemberPortal {
    static final int POLICY_ITERATIONS = Integer.getInteger("policy.iterations", 60_000);

    public static void main(String[] args) throws Exception {
        PasswordVault vault = new PasswordVault();
        for (int i = 0; i < 20; i++) vault.enrol("member" + i, ("pw-" + i).toCharArray());
        SignInDesk desk = new SignInDesk(vault, new Sessions());
        ScheduledExecutorService visitors = Executors.newScheduledThreadPool(1, r -> daemon(r, "visitors"));
        Random random = new Random(5);
        visitors.scheduleAtFixedRate(() -> {
            int who = random.nextInt(20);
            desk.signIn("member" + who, ("pw-" + (random.nextInt(10) == 0 ? -1 : who)).toCharArray());
        }, 0, 125, TimeUnit.MILLISECONDS);
        visitors.scheduleAtFixedRate(() -> desk.browse("member" + random.nextInt(20)), 3, 4, TimeUnit.MILLISECONDS);
        System.out.println("READY");
        for (int i = 0; i < 200; i++) {
            Thread.sleep(1000);
            System.out.println("measured: " + desk.report());
        }
    }

    static Thread daemon(Runnable r, String name) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        return t;
    }
}

class PasswordVault {
    private static final class Entry {
        final byte[] salt, hash;
        Entry(byte[] salt, byte[] hash) {
            this.salt = salt;
            this.hash = hash;
        }
    }

    private final Map<String, Entry> entries = new ConcurrentHashMap<>();
    private final SecureRandom random = new SecureRandom();
    private final SecretKeyFactory factory;

    PasswordVault() throws NoSuchAlgorithmException {
        factory = SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256");
    }

    void enrol(String member, char[] password) {
        byte[] salt = new byte[16];
        random.nextBytes(salt);
        entries.put(member, new Entry(salt, derive(password, salt)));
    }

    boolean matches(String member, char[] password) {
        Entry e = entries.get(member);
        return e != null && MessageDigest.isEqual(e.hash, derive(password, e.salt));
    }

    private byte[] derive(char[] password, byte[] salt) {
        PBEKeySpec spec = new PBEKeySpec(password, salt, MemberPortal.POLICY_ITERATIONS, 256);
        try {
            return factory.generateSecret(spec).getEncoded();
        } catch (InvalidKeySpecException e) {
            throw new IllegalStateException(e);
        } finally {
            spec.clearPassword();
        }
    }
}

class Sessions {
    private final Map<String, Long> byMember = new ConcurrentHashMap<>();
    private final AtomicLong pages = new AtomicLong();
    void open(String member) { byMember.put(member, System.nanoTime()); }
    String page(String member) {
        long n = pages.incrementAndGet();
        StringBuilder sb = new StringBuilder("<ul>");
        for (int i = 0; i < 40; i++) sb.append("<li>").append(member).append(" notice ").append(n + i).append("</li>");
        return byMember.containsKey(member) ? sb.append("</ul>").toString() : "sign in";
    }
}

class SignInDesk {
    private final PasswordVault vault;
    private final Sessions sessions;
    private final ExecutorService pool = Executors.newFixedThreadPool(2, r -> MemberPortal.daemon(r, "sign-in"));
    private final AtomicLong logins = new AtomicLong(), refused = new AtomicLong(), nanos = new AtomicLong(), browsed = new AtomicLong();

    SignInDesk(PasswordVault vault, Sessions sessions) {
        this.vault = vault;
        this.sessions = sessions;
    }

    void signIn(String member, char[] password) {
        long t0 = System.nanoTime();
        pool.execute(() -> {
            if (vault.matches(member, password)) sessions.open(member);
            else refused.incrementAndGet();
            nanos.addAndGet(System.nanoTime() - t0);
            logins.incrementAndGet();
        });
    }

    void browse(String member) {
        if (sessions.page(member).length() > 5) browsed.incrementAndGet();
    }

    String report() {
        long n = logins.getAndSet(0), t = nanos.getAndSet(0);
        return String.format("%d logins/s, mean %.1f ms, refused %d, pages %d", n, t / 1e6 / Math.max(1, n), refused.get(), browsed.getAndSet(0));
    }
}
