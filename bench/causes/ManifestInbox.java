// SPDX-License-Identifier: Apache-2.0
// healthy: the inbox looks for new files every 100 ms by design, which bounds the delay to a little over 100 ms against a target of 250 ms; listing a nearly empty folder ten times a second costs nothing, twelve desks are mostly idle, the watcher waits for its batch of about 4 files only for a few ms
// share: target p99 below 250 ms from arrival to booking; reaches 94 ms at 39 manifests/s (10 s mean)
// judge: RIGHT: nothing wrong / intentional polling within target / mostly idle. A hint that the latency comes from the polling interval, stated as within the design, is fine. WRONG (false alarm): polling or Thread.sleep called a fault that must be fixed, oversized or idle pool called a fault, watcher blocked in Future.get, file I/O slow, thread starvation, readAllLines/allocation as a fault
// jdk: 25
// set: twenty-second
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** Ship manifests arrive as files; the inbox looks for new ones at a fixed beat and has them booked. */
public class ManifestInbox {
    static final double TARGET_MS = 250;
    static final long BEAT_MS = 100;

    static final class Booked {
        private long[] millis = new long[1000];
        private int n;
        synchronized void note(long ms) {
            if (n == millis.length) millis = Arrays.copyOf(millis, n * 2);
            millis[n++] = ms;
        }
        synchronized long[] take() {
            long[] a = Arrays.copyOf(millis, n);
            n = 0;
            Arrays.sort(a);
            return a;
        }
    }

    static final class Harbour {
        private final Path inbox;
        Harbour(Path inbox) { this.inbox = inbox; }

        void deliver(int number) throws IOException {
            StringBuilder text = new StringBuilder();
            text.append(System.nanoTime()).append('\n');
            for (int i = 0; i < 40; i++) text.append("container ").append(number * 40L + i).append('\n');
            Path part = inbox.resolve("m" + number + ".part");
            Files.writeString(part, text);
            Files.move(part, inbox.resolve("m" + number + ".manifest"));
        }
    }

    static void book(Path manifest, Booked booked) {
        try {
            List<String> lines = Files.readAllLines(manifest);
            long weight = 0;
            for (String l : lines.subList(1, lines.size())) weight += Long.parseLong(l.substring(10)) % 30;
            if (weight >= 0) booked.note((System.nanoTime() - Long.parseLong(lines.get(0))) / 1_000_000);
            Files.delete(manifest);
        } catch (IOException e) {
            System.err.println("manifest lost: " + e);
        }
    }

    static void watch(Path inbox, ExecutorService desks, Booked booked) {
        try {
            while (true) {
                List<Path> fresh = new ArrayList<>();
                try (DirectoryStream<Path> s = Files.newDirectoryStream(inbox, "*.manifest")) {
                    for (Path p : s) fresh.add(p);
                }
                List<Runnable> work = new ArrayList<>();
                for (Path p : fresh) work.add(() -> book(p, booked));
                var done = new ArrayList<java.util.concurrent.Future<?>>();
                for (Runnable r : work) done.add(desks.submit(r));
                for (var d : done) d.get();
                Thread.sleep(BEAT_MS);
            }
        } catch (IOException | InterruptedException | java.util.concurrent.ExecutionException e) {
            System.err.println("inbox closed: " + e);
        }
    }

    public static void main(String[] args) throws Exception {
        Path inbox = Files.createTempDirectory("manifest-inbox");
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            for (int pass = 0; pass < 3; pass++) {
                try (DirectoryStream<Path> s = Files.newDirectoryStream(inbox)) {
                    for (Path p : s) Files.deleteIfExists(p);
                } catch (IOException e) {
                    // next pass
                }
                try {
                    Files.deleteIfExists(inbox);
                    return;
                } catch (IOException e) {
                    // a manifest came in until now
                }
            }
        }, "tidy"));
        Booked booked = new Booked();
        AtomicInteger n = new AtomicInteger();
        ExecutorService desks = Executors.newFixedThreadPool(12,
                Thread.ofPlatform().daemon().name("booking-desk-", 0).factory());
        Thread.ofPlatform().daemon().name("inbox").start(() -> watch(inbox, desks, booked));
        Harbour harbour = new Harbour(inbox);
        Thread.ofPlatform().daemon().name("harbour").start(() -> {
            try {
                while (true) {
                    harbour.deliver(n.incrementAndGet());
                    Thread.sleep(25);
                }
            } catch (IOException | InterruptedException e) {
                System.err.println("harbour closed: " + e);
            }
        });
        Thread.sleep(3000);
        System.out.println("READY");
        booked.take();
        for (int s = 0; s < 165; s++) {
            Thread.sleep(1000);
            long[] a = booked.take();
            System.out.printf("measured: %d manifests/s, p99 %d ms from arrival to booking (target %.0f ms)%n", a.length,
                    a.length == 0 ? 0 : a[a.length * 99 / 100], TARGET_MS);
        }
        System.exit(0);
    }
}
