// SPDX-License-Identifier: Apache-2.0
// cause: notify() wakes one thread of either kind, often one that can do nothing with it, and then all wait until a timeout: ParcelDock.take and put
// share: 41 to 179 parcels a second, of which the scan is 1 %, as all 12 threads wait for timeouts; 12600 with notifyAll()
// expect: waiting frame=ParcelDock.take | waiting frame=ParcelDock.put | waiting frame=ParcelDock.await
// judge: right is that take() and put() wait although there is room or a parcel, or that they wait nearly all of the time for a notification with a timeout
// symptom: waiting lock-contention
// jdk: 17
// set: tenth
import java.util.concurrent.atomic.LongAdder;

/** Trucks unload parcels at a dock with room for two; sorters scan them. */
public final class ParcelDock {
    private static final LongAdder PARCELS = new LongAdder();
    private static final LongAdder WAITING = new LongAdder();
    private static final LongAdder TIMEOUTS = new LongAdder();
    private static final LongAdder SCANNING = new LongAdder();

    private final String[] places = new String[2];
    private int used;

    /** A wait of the whole time was not ended by another thread. */
    private void await() throws InterruptedException {
        long start = System.nanoTime();
        wait(250);
        long ns = System.nanoTime() - start;
        WAITING.add(ns);
        if (ns >= 250_000_000) {
            TIMEOUTS.increment();
        }
    }

    private synchronized void put(String parcel) throws InterruptedException {
        while (used == places.length) {
            await();
        }
        places[used++] = parcel;
        notify();
    }

    private synchronized String take() throws InterruptedException {
        while (used == 0) {
            await();
        }
        String parcel = places[--used];
        notify();
        return parcel;
    }

    private static int scan(String parcel) {
        int check = 0;
        for (int round = 0; round < 2000; round++) {
            for (int i = 0; i < parcel.length(); i++) {
                check = check * 10 % 97 + parcel.charAt(i) % 10;
            }
        }
        return check;
    }

    private void truck(int number) {
        try {
            for (int n = number;; n += 6) {
                put("JJD0" + n);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void sort() {
        int[] chutes = new int[97];
        try {
            for (;;) {
                String parcel = take();
                long start = System.nanoTime();
                chutes[scan(parcel) % 97]++;
                SCANNING.add(System.nanoTime() - start);
                PARCELS.increment();
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        ParcelDock dock = new ParcelDock();
        for (int i = 0; i < 6; i++) {
            int number = i;
            new Thread(() -> dock.truck(number), "truck-" + i).start();
            new Thread(dock::sort, "sorter-" + i).start();
        }
        System.out.println("READY");
        for (;;) {
            Thread.sleep(1000);
            System.out.println("measured: " + PARCELS.sumThenReset() + " parcels of a second, scanned in "
                    + SCANNING.sumThenReset() / 1_000_000 + " ms; 12 threads waited " + WAITING.sumThenReset() / 1_000_000 + " ms and "
                    + TIMEOUTS.sumThenReset() + " times until the timeout");
        }
    }
}
