// SPDX-License-Identifier: Apache-2.0
// cause: requests sleep under the lock of a home-made rate limiter
// expect: waiting frame=RateLimiter.acquire
// symptom: waiting lock-contention
// jdk: 17
// set: third
public final class RateLimiter {
    private static long next = System.nanoTime();
    private static volatile long served;

    private static synchronized void acquire() throws InterruptedException {
        long now = System.nanoTime();
        if (now < next) {
            Thread.sleep((next - now) / 1_000_000, (int) ((next - now) % 1_000_000));
        }
        next = Math.max(now, next) + 15_000_000;
    }

    private static void request() {
        try {
            for (;;) {
                acquire();
                served += Integer.toString((int) served).length();
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) {
        for (int i = 0; i < 10; i++) {
            new Thread(RateLimiter::request, "http-" + i).start();
        }
        System.out.println("READY");
    }
}
