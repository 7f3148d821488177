// SPDX-License-Identifier: Apache-2.0
// cause: the key of each call is checked with a slow password hash of 20000 rounds, where a session would do: ApiKeyCheck.verify
// expect: hot-code frame=ApiKeyCheck | hot-method frame=ApiKeyCheck | hot-method caller=ApiKeyCheck | hot-calls frame=ApiKeyCheck | endpoint-cpu frame=ApiKeyCheck | saturated-thread frame=ApiKeyCheck
// judge: right is what says that CPU time goes to ApiKeyCheck.verify (or who calls it, ApiKeyCheck.orders, or the PBKDF2/HMAC code under it with ApiKeyCheck named)
// jdk: 17
// set: twelfth
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import wick.Scope;
import wick.Wick;

public final class ApiKeyCheck {
    private static volatile int answered;

    private final Map<String, byte[]> hashes = new HashMap<>();
    private final Map<Integer, String> orders = new HashMap<>();

    private ApiKeyCheck() throws GeneralSecurityException {
        for (int tenant = 0; tenant < 20; tenant++) {
            hashes.put("tenant-" + tenant, hash("key-of-" + tenant));
        }
        for (int i = 0; i < 5000; i++) {
            orders.put(i, "order " + i + " of tenant " + i % 20);
        }
    }

    private static byte[] hash(String key) throws GeneralSecurityException {
        PBEKeySpec spec = new PBEKeySpec(key.toCharArray(), new byte[] {1, 2, 3, 4, 5, 6, 7, 8}, 20000, 256);
        return SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256").generateSecret(spec).getEncoded();
    }

    private boolean verify(int tenant, String key) throws GeneralSecurityException {
        return Arrays.equals(hashes.get("tenant-" + tenant), hash(key));
    }

    private String orders(int tenant, String key, int page) throws GeneralSecurityException {
        if (!verify(tenant, key)) {
            return "401";
        }
        StringBuilder json = new StringBuilder("[");
        for (int i = 0; i < 50; i++) {
            json.append('"').append(orders.get((page * 50 + i) % 5000)).append("\",");
        }
        return json.append(']').toString();
    }

    private void client(int tenant) {
        try {
            for (int page = 0;; page++) {
                try (Scope request = Wick.span("GET /orders")) {
                    answered += orders(tenant, "key-of-" + tenant, page).length();
                }
                Thread.sleep(80);
            }
        } catch (GeneralSecurityException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws Exception {
        ApiKeyCheck api = new ApiKeyCheck();
        for (int i = 0; i < 6; i++) {
            int tenant = i;
            new Thread(() -> api.client(tenant), "http-" + i).start();
        }
        System.out.println("READY");
    }
}
