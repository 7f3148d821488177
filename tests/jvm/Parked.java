// SPDX-License-Identifier: Apache-2.0
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.concurrent.locks.LockSupport;

/** Threads that stand still in known places; answers {@code tick} on standard input, ends on anything else. */
public class Parked {
    static final Object lock = new Object();

    static void parks() {
        while (true) {
            LockSupport.park();
        }
    }

    static void sleeps() throws InterruptedException {
        Thread.sleep(1_000_000);
    }

    static void waits() throws InterruptedException {
        Object own = new Object();
        synchronized (own) {
            own.wait();
        }
    }

    static void blocks() {
        synchronized (lock) {
            System.out.println("never");
        }
    }

    static void dives(int depth) {
        if (depth == 0) {
            parks();
        } else {
            dives(depth - 1);
        }
    }

    interface Job {
        void run() throws Exception;
    }

    static void go(String name, Job job) {
        Thread t = new Thread(() -> {
            try {
                job.run();
            } catch (Exception e) {
                e.printStackTrace();
            }
        }, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        synchronized (lock) {
            go("parked", Parked::parks);
            go("sleeping", Parked::sleeps);
            go("waiting", Parked::waits);
            go("blocked", Parked::blocks);
            go("deep", () -> dives(300));
            Thread.sleep(500);
            System.out.println("up");
            BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
            for (int n = 0; "tick".equals(in.readLine()); n++) {
                System.out.println("tick " + n);
            }
        }
    }
}
