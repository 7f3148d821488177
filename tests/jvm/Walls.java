// SPDX-License-Identifier: Apache-2.0
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Scanner;
import java.util.concurrent.locks.LockSupport;

/**
 * Threads that are known to do one thing all the time, named after it; `park=N` adds N that park,
 * `burn=N` that compute, `naps=N` that compute and sleep in turn, `wink=N` that wake up often. A line `native MS` lets
 * native code wait in system calls that a signal would break off, and says what came of it.
 */
public class Walls {
    static final Object held = new Object(), never = new Object();
    static volatile long sink;

    static native int waitIn(int call, int ms);

    static void sleeping() {
        while (true) {
            try {
                Thread.sleep(1_000_000);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    static void holding() {
        synchronized (held) {
            sleeping();
        }
    }

    static void entering() {
        synchronized (held) {
            sink++;
        }
    }

    static void parking() {
        while (true)
            LockSupport.park();
    }

    static void waiting() {
        synchronized (never) {
            while (true) {
                try {
                    never.wait();
                } catch (InterruptedException e) {
                    return;
                }
            }
        }
    }

    static void reading() {
        try (ServerSocket server = new ServerSocket(0); Socket s = new Socket("127.0.0.1", server.getLocalPort())) {
            s.getInputStream().read();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    static void accepting() {
        try (ServerSocket server = new ServerSocket(0)) {
            server.accept();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    static void burning() {
        while (true)
            compute();
    }

    static void compute() {
        long x = sink;
        for (int i = 0; i < 1000; i++)
            x = x * 31 + i;
        sink = x;
    }

    /** Computes for a while and sleeps for a while. */
    static void napping() {
        ThreadMXBean clock = ManagementFactory.getThreadMXBean();
        while (true) {
            for (long end = clock.getCurrentThreadCpuTime() + 2_000_000; clock.getCurrentThreadCpuTime() < end;)
                compute();
            rest(20);
        }
    }

    /** Wakes up often for next to nothing. */
    static void blinking() {
        while (true)
            rest(1);
    }

    static void rest(long ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static void go(String name, Runnable r) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    static Runnable work(String name) {
        switch (name) {
        case "burn":
            return Walls::burning;
        case "naps":
            return Walls::napping;
        case "wink":
            return Walls::blinking;
        default:
            return Walls::parking;
        }
    }

    static void nativeWaits(int ms) {
        for (int call = 0; call < 5; call++) {
            int c = call;
            go("native-" + call, () -> System.out.println("call " + c + " ended with " + waitIn(c, ms)));
        }
    }

    public static void main(String[] args) throws Exception {
        String library = System.getProperty("native");
        if (library != null)
            System.load(library);
        go("holding", Walls::holding);
        Thread.sleep(200);
        go("entering", Walls::entering);
        go("parking", Walls::parking);
        go("waiting", Walls::waiting);
        go("reading", Walls::reading);
        go("accepting", Walls::accepting);
        for (String a : args) {
            int n = Integer.parseInt(a.substring(a.indexOf('=') + 1));
            for (int i = 0; i < n; i++)
                go(a.substring(0, a.indexOf('=')) + "-" + i, work(a.substring(0, 4)));
        }
        Thread.sleep(500); // all have arrived where they stay
        System.out.println("up");
        Scanner in = new Scanner(System.in);
        while (in.hasNextLine()) {
            String line = in.nextLine();
            if (line.startsWith("native "))
                nativeWaits(Integer.parseInt(line.substring(7)));
            System.out.println("done " + line);
        }
    }
}
