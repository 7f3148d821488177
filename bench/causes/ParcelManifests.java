// SPDX-License-Identifier: Apache-2.0
// cause: ParcelManifests$Export.render puts the whole manifest of a depot into one StringBuilder; that of the hub (2,200,000 lines, 100 MB) does not fit into the heap of 192 MiB while the builder doubles, so each attempt ends with OutOfMemoryError: Java heap space, which Export.run catches, and tries again half a second later: it never gets out
// share: one or two attempts a second end with OutOfMemoryError, which take 130 to 470 ms of each second; HUB-07 is never out, the other 24 depots are
// expect: out-of-memory
// symptom: hot-code humongous-allocation gc-pauses gc-cpu heap-limit
// judge: NAMED: OutOfMemoryError (Java heap space) thrown again and again in the thread manifest-export, best with ParcelManifests$Export.render (StringBuilder.append) as what fills the heap. SYMPTOM ONLY: collections take much of the time, humongous allocations, the heap is full or too small, Export.render takes the CPU time (building strings), without the OutOfMemoryError. WRONG: a memory leak or a collection that grows without end, a thread that has ended (none does), the scans (ScanIntake), locks, the machine, "nothing stands out".
// jdk: 21
// set: thirty-fourth
// jvm: -Xmx192m
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32;

/** Manifests of a parcel carrier's depots: each depot's is exported whenever it is due. */
public class ParcelManifests {
    static final AtomicLong exported = new AtomicLong();
    static final AtomicLong failed = new AtomicLong();
    static final AtomicLong memoryErrors = new AtomicLong();
    static final AtomicLong lostNanos = new AtomicLong();
    static final AtomicLong scans = new AtomicLong();

    static final class Depot {
        final String code;
        final int parcels;

        Depot(String code, int parcels) {
            this.code = code;
            this.parcels = parcels;
        }

        long parcel(int index) {
            long x = (code.hashCode() * 31L + index) * 0x9E3779B97F4A7C15L;
            return (x ^ x >>> 29) >>> 1;
        }
    }

    static final class Job implements Delayed {
        final Depot depot;
        final long due;

        Job(Depot depot, long delayMillis) {
            this.depot = depot;
            this.due = System.nanoTime() + delayMillis * 1_000_000;
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(due - System.nanoTime(), TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(due - ((Job) other).due, 0);
        }
    }

    /** Writes manifests, one after another, as they are due. */
    static final class Export implements Runnable {
        final DelayQueue<Job> jobs;
        final Map<String, Long> checksums = new HashMap<>();

        Export(DelayQueue<Job> jobs) {
            this.jobs = jobs;
        }

        @Override
        public void run() {
            while (true) {
                Job job;
                try {
                    job = jobs.take();
                } catch (InterruptedException e) {
                    return;
                }
                long start = System.nanoTime();
                try {
                    byte[] manifest = render(job.depot).getBytes(StandardCharsets.ISO_8859_1);
                    send(job.depot, manifest);
                    exported.incrementAndGet();
                    jobs.put(new Job(job.depot, 1500));
                } catch (Throwable t) {
                    failed.incrementAndGet();
                    lostNanos.addAndGet(System.nanoTime() - start);
                    if (t instanceof OutOfMemoryError) {
                        memoryErrors.incrementAndGet();
                    }
                    jobs.put(new Job(job.depot, 500));
                }
            }
        }

        String render(Depot depot) {
            StringBuilder text = new StringBuilder(64 << 10);
            text.append("MANIFEST;").append(depot.code).append(';').append(depot.parcels).append('\n');
            for (int i = 0; i < depot.parcels; i++) {
                long parcel = depot.parcel(i);
                text.append("P;").append(parcel).append(';').append(depot.code).append(';')
                        .append(parcel % 31_500 / 100).append('.').append(parcel % 10).append("kg;")
                        .append("R").append(parcel % 97).append(';').append(1 + parcel % 4).append('\n');
            }
            return text.append("END;").append(depot.code).append('\n').toString();
        }

        void send(Depot depot, byte[] manifest) {
            CRC32 crc = new CRC32();
            crc.update(manifest);
            checksums.put(depot.code, crc.getValue());
        }
    }

    /** Scans at the belts: the last place of each of some thousand parcels. */
    static final class ScanIntake implements Runnable {
        final Map<Long, String> places = new HashMap<>();
        final List<Depot> depots;

        ScanIntake(List<Depot> depots) {
            this.depots = depots;
        }

        @Override
        public void run() {
            int turn = 0;
            while (true) {
                Depot depot = depots.get(turn++ % depots.size());
                for (int i = 0; i < 100; i++) {
                    places.put(depot.parcel(i), depot.code);
                    scans.incrementAndGet();
                }
                try {
                    Thread.sleep(20);
                } catch (InterruptedException e) {
                    return;
                }
            }
        }
    }

    public static void main(String[] args) throws Exception {
        List<Depot> depots = new ArrayList<>();
        for (int i = 0; i < 24; i++) {
            depots.add(new Depot(String.format("DEP-%02d", i), 1200 + 40 * i));
        }
        depots.add(new Depot("HUB-07", 2_200_000));
        DelayQueue<Job> jobs = new DelayQueue<>();
        for (int i = 0; i < depots.size(); i++) {
            jobs.put(new Job(depots.get(i), 40L * i));
        }
        Thread intake = new Thread(new ScanIntake(depots), "scan-intake");
        intake.setDaemon(true);
        intake.start();
        Thread export = new Thread(new Export(jobs), "manifest-export");
        export.setDaemon(true);
        export.start();
        boolean ready = false;
        long time = System.nanoTime();
        long done = 0;
        long lost = 0;
        long errors = 0;
        while (true) {
            Thread.sleep(1000);
            long now = System.nanoTime();
            long out = exported.get();
            long wasted = lostNanos.get();
            long memory = memoryErrors.get();
            System.out.printf("measured: %d manifests out, %d attempts ended with OutOfMemoryError (%d of %d failures so far), which took %d of %d ms; HUB-07 is not out; %d scans so far%n",
                    out - done, memory - errors, memory, failed.get(), (wasted - lost) / 1_000_000,
                    (now - time) / 1_000_000, scans.get());
            if (!ready && memory >= 2 && out >= 40) {
                ready = true;
                System.out.println("READY");
            }
            System.out.flush();
            time = now;
            done = out;
            lost = wasted;
            errors = memory;
        }
    }
}
