// SPDX-License-Identifier: Apache-2.0
// cause: a virtual thread reads a scale in native code and keeps the only carrier, so that no request ever begins
// expect: waiting kind=pinned frame=ScaleReadings | waiting kind=carrier | endpoint-wait kind=carrier | unmounted-wait | unstarted-threads
// symptom: waiting
// jdk: 21
// jvm: -Djdk.virtualThreadScheduler.parallelism=1 -Djdk.virtualThreadScheduler.maxPoolSize=1
// set: eighth
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.atomic.AtomicInteger;

/** The scale is a process that says a weight each 20 s; requests come ten times a second. */
public final class ScaleReadings {
    private static final AtomicInteger CAME = new AtomicInteger();
    private static final AtomicInteger BEGAN = new AtomicInteger();
    private static volatile int weight;

    private static void readings(InputStream scale) {
        try {
            for (int b = scale.read(); b >= 0; b = scale.read()) {
                weight = b;
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void request() {
        BEGAN.incrementAndGet();
        weight++;
    }

    private static void clients() {
        try {
            for (int i = 0;; i++) {
                CAME.incrementAndGet();
                Thread.ofVirtual().name("request-" + i).start(ScaleReadings::request);
                Thread.sleep(100); // the next client
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        Process scale = new ProcessBuilder("sh", "-c", "while sleep 20 && echo; do :; done").start();
        InputStream weights = scale.getInputStream();
        Thread.ofVirtual().name("scale").start(() -> readings(weights));
        new Thread(ScaleReadings::clients, "acceptor").start();
        System.out.println("READY");
        for (;;) {
            Thread.sleep(2000);
            System.out.println("measured: " + CAME.get() + " requests came, " + BEGAN.get() + " began");
        }
    }
}
