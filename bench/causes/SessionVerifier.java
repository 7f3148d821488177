// SPDX-License-Identifier: Apache-2.0
// cause: verified-token cache is keyed by byte[] (identity equals), never hits: every request verifies ECDSA anew
// expect: cache-misses frame=SessionVerifier.verify
// symptom: hot-code hot-method hot-calls
// share: about 98 %; 2,100 requests/s, 1.9 ms; fixed 107,000 requests/s, 0.04 ms
// judge: right: the cache in SessionVerifier.verify never hits (byte[] key), so each request re-verifies its token
// judge: symptom: CPU goes to ECDSA/BigInteger/Signature.verify; requests slow because CPUs are busy with crypto
// judge: wrong: lock contention on the cache, GC, socket reads, String.split, too few threads
// jdk: 17
// set: fourteenth
import java.io.*;
import java.net.*;
import java.nio.charset.StandardCharsets;
import java.security.*;
import java.security.spec.ECGenParameterSpec;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

/** Edge gateway: checks the bearer token of each request, then routes it to an account handler. */
public class SessionVerifier {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final int CACHE = 2_000, USERS = 400, CLIENTS = 4;

    record Claims(String user, long expires, Set<String> scopes) { }

    static <K, V> Map<K, V> lru(int max) {
        return Collections.synchronizedMap(new LinkedHashMap<K, V>(max * 2, 0.75f, true) {
            @Override protected boolean removeEldestEntry(Map.Entry<K, V> e) {
                return size() > max;
            }
        });
    }

    private final Map<byte[], Claims> verified = lru(CACHE);
    private final Map<String, Claims> verifiedByText = lru(CACHE);
    private final PublicKey key;
    private final ConcurrentHashMap<String, LongAdder> usage = new ConcurrentHashMap<>();
    final LongAdder verifyNanos = new LongAdder();

    SessionVerifier(PublicKey key) {
        this.key = key;
    }

    Claims verify(String token) throws GeneralSecurityException {
        if (FIXED) {
            Claims c = verifiedByText.get(token);
            if (c == null) verifiedByText.put(token, c = check(token));
            return c;
        }
        byte[] id = token.substring(token.indexOf('.') + 1).getBytes(StandardCharsets.US_ASCII);
        Claims c = verified.get(id);
        if (c == null) {
            c = check(token);
            verified.put(id, c);
        }
        return c;
    }

    private Claims check(String token) throws GeneralSecurityException {
        long t = System.nanoTime();
        int dot = token.indexOf('.');
        byte[] body = Base64.getUrlDecoder().decode(token.substring(0, dot));
        Signature s = Signature.getInstance("SHA256withECDSA");
        s.initVerify(key);
        s.update(body);
        byte[] sign = Base64.getUrlDecoder().decode(token.substring(dot + 1));
        if (!s.verify(sign)) throw new SignatureException("bad token");
        String[] f = new String(body, StandardCharsets.UTF_8).split("\\|");
        verifyNanos.add(System.nanoTime() - t);
        return new Claims(f[0], Long.parseLong(f[1]), Set.of(f[2].split(",")));
    }

    String handle(String line) {
        try {
            String[] p = line.split(" ");
            Claims c = verify(p[2]);
            if (c.expires() < System.currentTimeMillis()) return "401 expired";
            if (!c.scopes().contains("read")) return "403 scope";
            usage.computeIfAbsent(c.user(), u -> new LongAdder()).increment();
            StringBuilder sb = new StringBuilder("200 {\"user\":\"").append(c.user()).append("\",\"lines\":[");
            int seed = p[1].hashCode();
            for (int i = 0; i < 12; i++) {
                seed = seed * 1103515245 + 12345;
                sb.append(i == 0 ? "" : ",").append("{\"id\":").append(i);
                sb.append(",\"cents\":").append(seed >>> 12).append('}');
            }
            return sb.append("]}").toString();
        } catch (GeneralSecurityException | RuntimeException e) {
            return "400 " + e.getMessage();
        }
    }

    void serve(Socket s) {
        try (s; BufferedReader in = new BufferedReader(new InputStreamReader(s.getInputStream()));
             Writer out = new BufferedWriter(new OutputStreamWriter(s.getOutputStream()))) {
            s.setTcpNoDelay(true);
            for (String line; (line = in.readLine()) != null; ) {
                out.write(handle(line));
                out.write('\n');
                out.flush();
            }
        } catch (IOException e) {
            System.err.println("client gone: " + e);
        }
    }

    public static void main(String[] args) throws Exception {
        KeyPairGenerator g = KeyPairGenerator.getInstance("EC");
        g.initialize(new ECGenParameterSpec("secp256r1"));
        KeyPair pair = g.generateKeyPair();
        List<String> tokens = new ArrayList<>();
        for (int i = 0; i < USERS; i++) {
            byte[] body = ("user" + i + "|" + (System.currentTimeMillis() + 86_400_000L) + "|read,pay").getBytes();
            Signature s = Signature.getInstance("SHA256withECDSA");
            s.initSign(pair.getPrivate());
            s.update(body);
            Base64.Encoder b = Base64.getUrlEncoder().withoutPadding();
            tokens.add(b.encodeToString(body) + "." + b.encodeToString(s.sign()));
        }
        SessionVerifier v = new SessionVerifier(pair.getPublic());
        ServerSocket ss = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        ExecutorService pool = Executors.newFixedThreadPool(CLIENTS);
        Thread acc = new Thread(() -> {
            try {
                while (true) {
                    Socket s = ss.accept();
                    pool.execute(() -> v.serve(s));
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }, "acceptor");
        acc.start();
        LongAdder done = new LongAdder(), nanos = new LongAdder(), bad = new LongAdder();
        for (int c = 0; c < CLIENTS; c++) {
            new Thread(() -> {
                try (Socket s = new Socket(ss.getInetAddress(), ss.getLocalPort());
                     BufferedReader in = new BufferedReader(new InputStreamReader(s.getInputStream()));
                     Writer out = new BufferedWriter(new OutputStreamWriter(s.getOutputStream()))) {
                    s.setTcpNoDelay(true);
                    ThreadLocalRandom r = ThreadLocalRandom.current();
                    while (true) {
                        long t = System.nanoTime();
                        out.write("GET /accounts/" + r.nextInt(9999) + " " + tokens.get(r.nextInt(USERS)) + "\n");
                        out.flush();
                        if (!in.readLine().startsWith("200")) bad.increment();
                        nanos.add(System.nanoTime() - t);
                        done.increment();
                    }
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }, "client-" + c).start();
        }
        System.out.println("READY");
        while (true) {
            Thread.sleep(1000);
            long n = Math.max(1, done.sumThenReset()), t = nanos.sumThenReset();
            System.out.printf(Locale.ROOT,
                "measured: %d requests/s, mean %.3f ms, in check() %.0f %% of request time, %d bad%n",
                n, t / 1e6 / n, 100.0 * v.verifyNanos.sumThenReset() / t, bad.sum());
        }
    }
}
