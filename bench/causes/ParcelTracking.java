// SPDX-License-Identifier: Apache-2.0
// cause: LaneRouter.laneFor picks the lane as parcelId modulo 8, but ScanDesk numbers its parcels in steps of 8, so all scans go to only one or two of the eight lane threads while the others stay idle.
// share: throughput 757 scans/s, mean latency 84.5 ms; fixed 3020 scans/s, 21 ms
// judge: NAMED only if the finding says that the work is spread unevenly over the lanes (one or two lanes get everything, the others idle) AND places this in LaneRouter.laneFor / the parcel-id modulo routing (or in the id numbering that fits badly with it). "Lane queue is long", "lane-N thread is mostly waiting in DepotStore.write", "the store is slow" or "more threads needed" is a symptom. Blaming the semaphore of the desks, the queues' locks or GC is wrong.
// symptom: waiting
// jdk: 8
// set: seventeenth
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.concurrent.locks.LockSupport;

public class ParcelTracking {
    static final int LANES = 8;
    static final AtomicLong done = new AtomicLong();
    static final AtomicLong waited = new AtomicLong();

    public static void main(String[] args) throws Exception {
        DepotStore store = new DepotStore();
        List<Lane> lanes = new ArrayList<>();
        for (int i = 0; i < LANES; i++) {
            Lane lane = new Lane(i, store);
            lanes.add(lane);
            daemon(lane, "lane-" + i);
        }
        LaneRouter router = new LaneRouter(lanes);
        for (int d = 0; d < 4; d++) daemon(new ScanDesk(d, router), "scan-desk-" + d);
        System.out.println("READY");
        long lastDone = 0, lastWaited = 0;
        for (int s = 0; s < 200; s++) {
            Thread.sleep(1000);
            long n = done.get(), w = waited.get();
            long delta = Math.max(1, n - lastDone);
            System.out.printf("measured: %d scans/s, mean latency %.1f ms%n", n - lastDone, (w - lastWaited) / 1e6 / delta);
            lastDone = n;
            lastWaited = w;
        }
    }

    static void daemon(Runnable r, String name) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }
}

class Scan {
    final long parcelId, at = System.nanoTime();
    final String place;
    final Semaphore window;
    Scan(long parcelId, String place, Semaphore window) {
        this.parcelId = parcelId;
        this.place = place;
        this.window = window;
    }
}

class LaneRouter {
    private final List<Lane> lanes;
    private final boolean fixed = Boolean.getBoolean("fixed");
    LaneRouter(List<Lane> lanes) { this.lanes = lanes; }

    int laneFor(long parcelId) {
        long key = fixed ? (parcelId * 0x9E3779B97F4A7C15L) >>> 33 : parcelId;
        return (int) (key % lanes.size());
    }

    void route(Scan scan) throws InterruptedException {
        lanes.get(laneFor(scan.parcelId)).accept(scan);
    }
}

class ScanDesk implements Runnable {
    private final int desk;
    private final LaneRouter router;
    private final Semaphore window = new Semaphore(16);
    private final Random random;
    ScanDesk(int desk, LaneRouter router) {
        this.desk = desk;
        this.router = router;
        this.random = new Random(desk);
    }
    public void run() {
        long block = 4_000_000L + desk * 1_000_000L + (desk == 3 ? 4 : 0);
        try {
            for (long n = 0; ; n++) {
                window.acquire();
                long parcelId = block + ParcelTracking.LANES * (n % 100_000);
                router.route(new Scan(parcelId, "HUB-" + random.nextInt(40), window));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

class Lane implements Runnable {
    private final BlockingQueue<Scan> queue = new LinkedBlockingQueue<>(500);
    private final Map<Long, String> lastPlace;
    private final DepotStore store;
    Lane(int number, DepotStore store) {
        this.store = store;
        this.lastPlace = new LinkedHashMap<Long, String>() {
            @Override protected boolean removeEldestEntry(Map.Entry<Long, String> e) { return size() > 5000; }
        };
    }
    void accept(Scan scan) throws InterruptedException { queue.put(scan); }

    public void run() {
        try {
            while (true) {
                Scan scan = queue.take();
                String before = lastPlace.put(scan.parcelId, scan.place);
                store.write(scan.parcelId + ";" + scan.place + ";" + before);
                ParcelTracking.waited.addAndGet(System.nanoTime() - scan.at);
                ParcelTracking.done.incrementAndGet();
                scan.window.release();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

class DepotStore {
    private final LongAdder bytes = new LongAdder();
    void write(String row) {
        LockSupport.parkNanos(2_500_000L);
        int crc = 0;
        for (int i = 0; i < row.length(); i++) crc = crc * 31 + row.charAt(i);
        bytes.add(row.length() + (crc & 1));
    }
}
