// SPDX-License-Identifier: Apache-2.0
// cause: the one timer that renews leases also writes statements to a slow archive, so that renewals are delayed
// expect: pool-busy pool=maintenance | waiting frame=RenewalTimer.writeStatement
// symptom: waiting
// jdk: 11
// set: seventh

import java.io.*;
import java.net.*;
import java.util.*;
import java.util.concurrent.*;

public class RenewalTimer {
    static final Timer TIMER = new Timer("maintenance");

    static final class Lease {
        private final CountDownLatch renewed = new CountDownLatch(1);

        void renew() {
            renewed.countDown();
        }

        void await() throws InterruptedException {
            renewed.await();
        }
    }

    static void archive() throws Exception {
        ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        System.out.println(server.getLocalPort());
        try (Socket one = server.accept(); InputStream in = one.getInputStream()) {
            while (in.read() >= 0) {
                Thread.sleep(90);
                one.getOutputStream().write(1);
            }
        } finally {
            System.exit(0); // the timer would stay
        }
    }

    static void writeStatement(Socket archive) {
        try {
            archive.getOutputStream().write(7);
            archive.getInputStream().read();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static void handle() throws InterruptedException {
        Lease lease = new Lease();
        TIMER.schedule(new TimerTask() {
            @Override
            public void run() {
                lease.renew();
            }
        }, 1);
        lease.await();
    }

    public static void main(String[] args) throws Exception {
        if (args.length > 0) {
            archive();
            return;
        }
        Process child = new ProcessBuilder(System.getProperty("java.home") + "/bin/java", "-Xmx16m", "-cp",
                System.getProperty("java.class.path"), "RenewalTimer", "archive").start();
        int port = Integer.parseInt(new BufferedReader(new InputStreamReader(child.getInputStream())).readLine());
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        TIMER.schedule(new TimerTask() {
            @Override
            public void run() {
                writeStatement(socket);
            }
        }, 10, 100);
        for (int n = 0; n < 6; n++)
            new Thread(() -> {
                try {
                    while (true)
                        handle();
                } catch (InterruptedException e) {
                    // ends
                }
            }, "worker-" + n).start();
        System.out.println("READY");
    }
}
