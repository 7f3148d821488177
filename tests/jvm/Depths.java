// SPDX-License-Identifier: Apache-2.0
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Threads that wait where it hurts: at every depth down to the end of their stacks, and as short as they live. On end of
 * standard input the JVM exits while they are at it; what they found wrong is printed before.
 */
public class Depths {
    static final Object MONITOR = new Object();
    static final AtomicLong overflows = new AtomicLong();
    static final AtomicLong short_lives = new AtomicLong();
    static volatile Throwable wrong;

    static int deeper(int depth, boolean park) {
        if (park) {
            LockSupport.parkNanos(MONITOR, 1);
        } else {
            synchronized (MONITOR) {
                depth++;
            }
        }
        return deeper(depth + 1, park) + 1;
    }

    static void overflow(boolean park) {
        try {
            deeper(0, park);
        } catch (StackOverflowError e) {
            overflows.incrementAndGet();
        }
    }

    static void live() {
        LockSupport.parkNanos(1000);
        synchronized (MONITOR) {
            short_lives.incrementAndGet();
        }
    }

    static Thread start(String name, long stack, Runnable body) {
        Thread t = new Thread(null, () -> {
            try {
                body.run();
            } catch (Throwable e) {
                wrong = e;
            }
        }, name, stack);
        t.setDaemon(true);
        t.start();
        return t;
    }

    static void forever(Runnable body) {
        while (wrong == null) {
            body.run();
        }
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 2; i++) {
            boolean park = i == 0;
            start("deep-" + i, 256 << 10, () -> forever(() -> overflow(park)));
        }
        start("bearer", 0, () -> forever(() -> {
            Thread child = start("child", 0, Depths::live);
            LockSupport.parkNanos(200_000);
            child.interrupt();
        }));
        System.out.println("up");
        while (System.in.read() >= 0) {
            System.out.println(overflows + " overflows " + short_lives + " short lives, wrong: " + wrong);
        }
        System.exit(wrong == null ? 0 : 9);
    }
}
