// SPDX-License-Identifier: Apache-2.0
// cause: ChestClinicImages$Reader.load makes a new short[] of 576 KiB for each slice: with G1 and regions of 1 MiB (heap of 384 MiB) each is a humongous object with a region of its own, of which almost half is lost, and the heap passes the threshold of marking again and again: collections start for "G1 Humongous Allocation"
// share: all collections (12 to 19 a second) are for humongous allocations; pauses take 14 to 24 % of the time, mostly 16 %, and the collector's threads, which mark all the time, about as much CPU as the two stations or more (0.8 of 1.4)
// expect: humongous-allocation
// symptom: gc-pauses gc-cpu
// judge: NAMED: humongous allocations (objects of half a region or more) as the reason of most collections, made at ChestClinicImages$Reader.load (or its callers ChestClinicImages$Station.review, .run; arrays of short); advice of a larger -XX:G1HeapRegionSize or of reusing buffers. SYMPTOM ONLY: collections that cost much (pauses, CPU time of the collector, a full or small heap), allocation in load without humongous. WRONG: a memory leak or growing live set (the archive's index is constant), the computing in ChestClinicImages$Reader.load, ChestClinicImages$Window.apply or ChestClinicImages$Station.review as the fault, locks, "nothing stands out"
// jdk: 8
// set: thirty-sixth
// jvm: -XX:+UseG1GC -Xms384m -Xmx384m
import com.sun.management.GarbageCollectionNotificationInfo;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import javax.management.NotificationEmitter;
import javax.management.openmbean.CompositeData;

public class ChestClinicImages {
    static final AtomicLong slices = new AtomicLong();
    static final AtomicLong collections = new AtomicLong();
    static final AtomicLong humongous = new AtomicLong();
    static final AtomicLong pauseMillis = new AtomicLong();

    static final class Study {
        final int patient;
        final String accession;
        final long[] slicePositions;
        Study previous;

        Study(int patient, int slicesInStudy, Study previous) {
            this.patient = patient;
            this.accession = "ACC-" + patient * 7919L;
            this.slicePositions = new long[slicesInStudy];
            for (int i = 0; i < slicesInStudy; i++) {
                slicePositions[i] = patient * 1_000_003L + i * 589_824L;
            }
            this.previous = previous;
        }
    }

    static final class Archive {
        private final Map<Integer, Study> byPatient = new HashMap<>();

        Archive(int patients) {
            for (int p = 0; p < patients; p++) {
                Study first = new Study(p, 24, null);
                byPatient.put(p, new Study(p, 40, first));
            }
        }

        Study latest(int patient) {
            return byPatient.get(patient);
        }

        int size() {
            return byPatient.size();
        }
    }

    static final class Reader {
        private static final int SIDE = 543;

        short[] load(long position) {
            short[] slice = new short[SIDE * SIDE];
            int seed = (int) (position ^ position >>> 32) | 1;
            for (int i = 0; i < slice.length; i += 3) {
                seed = seed * 1_103_515_245 + 12_345;
                slice[i] = (short) (seed >>> 20);
            }
            return slice;
        }
    }

    static final class Window {
        private final int centre;
        private final int width;

        Window(int centre, int width) {
            this.centre = centre;
            this.width = width;
        }

        long apply(short[] slice) {
            long bright = 0;
            for (int i = 0; i < slice.length; i += 5) {
                int v = slice[i] - centre + width / 2;
                bright += v < 0 ? 0 : Math.min(v, width);
            }
            return bright;
        }
    }

    static final class Station implements Runnable {
        private final Archive archive;
        private final Reader reader = new Reader();
        private final Window window = new Window(1800, 900);
        private final Random random;
        private long brightness;

        Station(Archive archive, long seed) {
            this.archive = archive;
            random = new Random(seed);
        }

        private void review(Study study) {
            for (long position : study.slicePositions) {
                brightness += window.apply(reader.load(position));
                slices.incrementAndGet();
            }
        }

        @Override
        public void run() {
            try {
                while (true) {
                    review(archive.latest(random.nextInt(archive.size())));
                    Thread.sleep(10);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static void watchCollections() {
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            ((NotificationEmitter) collector).addNotificationListener((notification, handback) -> {
                GarbageCollectionNotificationInfo info = GarbageCollectionNotificationInfo.from((CompositeData) notification.getUserData());
                collections.incrementAndGet();
                pauseMillis.addAndGet(info.getGcInfo().getDuration());
                if (info.getGcCause().contains("Humongous")) {
                    humongous.incrementAndGet();
                }
            }, null, null);
        }
    }

    public static void main(String[] args) throws Exception {
        watchCollections();
        Archive archive = new Archive(220_000);
        for (int i = 0; i < 2; i++) {
            Thread station = new Thread(new Station(archive, 40 + i), "station-" + i);
            station.setDaemon(true);
            station.start();
        }
        Thread.sleep(4000);
        System.out.println("READY");
        System.out.flush();
        while (true) {
            long n = slices.get(), all = collections.get(), large = humongous.get(), pause = pauseMillis.get();
            Thread.sleep(1000);
            System.out.printf(Locale.ROOT, "measured: %d slices/s; %d collections, %d of them for humongous allocations, %d ms of pauses in a second%n",
                slices.get() - n, collections.get() - all, humongous.get() - large, pauseMillis.get() - pause);
            System.out.flush();
        }
    }
}
