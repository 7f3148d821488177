// SPDX-License-Identifier: Apache-2.0
// cause: each call to a partner reads the store of trusted certificates for a new SSLContext: TrustPerCall.context
// expect: hot-method frame=TrustPerCall.context | hot-method caller=TrustPerCall.context | hot-calls frame=TrustPerCall.context | hot-code frame=TrustPerCall.context | endpoint-cpu frame=TrustPerCall.context
// symptom: hot-method hot-calls hot-code
// jdk: 17
// set: ninth
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.util.concurrent.atomic.LongAdder;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManagerFactory;

/** Payments are announced to partners; what goes over the network is left out. */
public final class TrustPerCall {
    private static final LongAdder LOADING = new LongAdder();
    private static final LongAdder ALL = new LongAdder();
    private static final LongAdder CALLS = new LongAdder();

    private static SSLContext context() throws GeneralSecurityException, IOException {
        KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
        try (InputStream in = new FileInputStream(System.getProperty("java.home") + "/lib/security/cacerts")) {
            trusted.load(in, "changeit".toCharArray());
        }
        TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        managers.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, managers.getTrustManagers(), null);
        return context;
    }

    private static int announcement(SSLContext context, String partner, int payment) throws GeneralSecurityException {
        SSLEngine engine = context.createSSLEngine(partner, 443);
        engine.setUseClientMode(true);
        byte[] body = ("{\"partner\":\"" + engine.getPeerHost() + "\",\"payment\":" + payment + "}").repeat(40)
                .getBytes(StandardCharsets.US_ASCII);
        return body.length + MessageDigest.getInstance("SHA-256").digest(body).length;
    }

    private static void announce(int worker) {
        try {
            int bytes = 0;
            for (int payment = worker;; payment += 3) {
                long start = System.nanoTime();
                SSLContext context = context();
                LOADING.add(System.nanoTime() - start);
                bytes += announcement(context, "partner-" + payment % 20 + ".example", payment);
                ALL.add(System.nanoTime() - start);
                CALLS.increment();
                Thread.sleep(bytes > 0 ? 10 : 11); // the next payment
            }
        } catch (GeneralSecurityException | IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        for (int i = 0; i < 3; i++) {
            int worker = i;
            new Thread(() -> announce(worker), "announce-" + i).start();
        }
        System.out.println("READY");
        for (;;) {
            Thread.sleep(1000);
            long all = ALL.sumThenReset();
            System.out.println("measured: " + 100 * LOADING.sumThenReset() / (all + 1) + " % of a call is context(), "
                    + all / (CALLS.sumThenReset() + 1) / 1000 + " us a call");
        }
    }
}
