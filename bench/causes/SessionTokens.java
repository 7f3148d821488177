// SPDX-License-Identifier: Apache-2.0
// cause: all logins draw their tokens from one SecureRandom, whose lock lets one at a time
// expect: waiting kind=monitor frame=SessionTokens.issue | lock-contention caller=SessionTokens.issue
// symptom: waiting lock-contention hot-code
// jdk: 17
// set: seventh

import java.security.SecureRandom;
import java.util.Base64;
import java.util.concurrent.ConcurrentHashMap;

public class SessionTokens {
    static final SecureRandom RANDOM = new SecureRandom("host-4".getBytes());
    static final ConcurrentHashMap<String, Long> SESSIONS = new ConcurrentHashMap<>();

    static String issue() {
        byte[] secret = new byte[1024];
        RANDOM.nextBytes(secret);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(secret).substring(0, 48);
    }

    static void login(int user) {
        String session = issue() + user;
        SESSIONS.put(session, System.nanoTime());
        if (SESSIONS.size() > 5_000)
            SESSIONS.keySet().iterator().forEachRemaining(SESSIONS::remove);
    }

    public static void main(String[] args) {
        for (int n = 0; n < 8; n++) {
            int number = n;
            new Thread(() -> {
                for (int i = 0; ; i++)
                    login(number * 1_000_000 + i);
            }, "exec-" + n).start();
        }
        System.out.println("READY");
    }
}
