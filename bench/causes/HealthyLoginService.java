// SPDX-License-Identifier: Apache-2.0
// healthy: login service whose CPU time is PBKDF2 by policy; sessions bounded, audit written asynchronously
// share: none to gain; 30 logins/s asked and done, 20-33 ms each, no queue
// judge: right: nothing is wrong; CPU goes to the password hash the policy demands (PBKDF2), it is the purpose
// judge: symptom: almost all CPU time is in PBKDF2 / HmacSHA256 (true, but by design)
// judge: wrong: the hashing as a fault to be removed or cached, lock on the session map, pool too small
// jdk: 21
// set: fourteenth
import java.io.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.security.*;
import java.security.spec.InvalidKeySpecException;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.LongAdder;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;

/** Login: checks passwords, opens sessions, keeps an audit file. Customers come at a steady rate. */
public class HealthyLoginService {
    static final int USERS = 20, ITERATIONS = 100_000, SESSIONS = 500, RATE = 30;

    record Account(String name, byte[] salt, byte[] hash) { }

    private final Map<String, Account> accounts = new ConcurrentHashMap<>();
    private final Map<String, String> sessions = Collections.synchronizedMap(new LinkedHashMap<>() {
        @Override protected boolean removeEldestEntry(Map.Entry<String, String> e) {
            return size() > SESSIONS;
        }
    });
    private final BlockingQueue<String> audit = new ArrayBlockingQueue<>(1000);
    private final SecureRandom random = new SecureRandom();
    final LongAdder hashing = new LongAdder();

    byte[] hash(char[] password, byte[] salt) {
        long t = System.nanoTime();
        PBEKeySpec spec = new PBEKeySpec(password, salt, ITERATIONS, 256);
        try {
            return SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256").generateSecret(spec).getEncoded();
        } catch (NoSuchAlgorithmException | InvalidKeySpecException e) {
            throw new IllegalStateException(e);
        } finally {
            spec.clearPassword();
            hashing.add(System.nanoTime() - t);
        }
    }

    void register(String name, String password) {
        byte[] salt = new byte[16];
        random.nextBytes(salt);
        accounts.put(name, new Account(name, salt, hash(password.toCharArray(), salt)));
    }

    Optional<String> login(String name, char[] password) {
        Account a = accounts.get(name);
        boolean ok = a != null && MessageDigest.isEqual(a.hash(), hash(password, a.salt()));
        audit.offer(System.currentTimeMillis() + " " + name + (ok ? " in" : " refused"));
        if (!ok) return Optional.empty();
        byte[] id = new byte[18];
        random.nextBytes(id);
        String session = Base64.getUrlEncoder().encodeToString(id);
        sessions.put(session, name);
        return Optional.of(session);
    }

    /** Writes what has come together, twice a second; starts anew when the file has 1 MB. */
    void writeAudit(Path file) throws IOException {
        List<String> lines = new ArrayList<>();
        audit.drainTo(lines);
        if (lines.isEmpty()) return;
        boolean fresh = !Files.exists(file) || Files.size(file) > 1 << 20;
        if (fresh) {
            Files.write(file, lines, StandardCharsets.UTF_8);
        } else {
            Files.write(file, lines, StandardCharsets.UTF_8, StandardOpenOption.APPEND);
        }
    }

    public static void main(String[] args) throws Exception {
        HealthyLoginService service = new HealthyLoginService();
        for (int i = 0; i < USERS; i++) service.register("user" + i, "secret-" + i);
        Path file = Files.createTempFile("audit", ".log");
        file.toFile().deleteOnExit();
        ScheduledExecutorService timer = Executors.newScheduledThreadPool(1, r -> new Thread(r, "audit-writer"));
        timer.scheduleWithFixedDelay(() -> {
            try {
                service.writeAudit(file);
            } catch (IOException e) {
                System.err.println("audit: " + e);
            }
        }, 500, 500, TimeUnit.MILLISECONDS);
        ThreadPoolExecutor pool = new ThreadPoolExecutor(8, 8, 0, TimeUnit.SECONDS, new ArrayBlockingQueue<>(100),
            new ThreadPoolExecutor.DiscardPolicy());
        service.hashing.reset();
        LongAdder done = new LongAdder(), nanos = new LongAdder(), refused = new LongAdder();
        Thread arrivals = new Thread(() -> {
            ThreadLocalRandom r = ThreadLocalRandom.current();
            long due = System.nanoTime();
            while (true) {
                due += (long) (1e9 / RATE);
                long wait = due - System.nanoTime();
                if (wait > 0) {
                    try {
                        TimeUnit.NANOSECONDS.sleep(wait);
                    } catch (InterruptedException e) {
                        return;
                    }
                }
                long came = System.nanoTime();
                int u = r.nextInt(USERS);
                String password = "secret-" + (r.nextInt(20) == 0 ? "x" : u);
                pool.execute(() -> {
                    if (service.login("user" + u, password.toCharArray()).isEmpty()) refused.increment();
                    nanos.add(System.nanoTime() - came);
                    done.increment();
                });
            }
        }, "arrivals");
        arrivals.start();
        System.out.println("READY");
        while (true) {
            Thread.sleep(1000);
            long n = Math.max(1, done.sumThenReset());
            System.out.printf(Locale.ROOT,
                "measured: %d logins/s, mean %.1f ms, of it hashing %.1f ms, %d refused, queue %d%n",
                n, nanos.sumThenReset() / 1e6 / n, service.hashing.sumThenReset() / 1e6 / n, refused.sumThenReset(),
                pool.getQueue().size());
        }
    }
}
