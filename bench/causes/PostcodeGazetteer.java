// SPDX-License-Identifier: Apache-2.0
// healthy: Most of the heap is live reference data that is loaded once and needed; queries allocate little, so that collections are rare and short. Heap occupancy is high and constant, it does not grow.
// judge: Wrong: to report a memory leak, a heap that is too small, GC pressure, or the big arrays and maps as waste; also wrong to accuse the binary search of PostcodeGazetteer.nearest (it is the service's work) or the pause between requests.
// set: twentieth
// jdk: 21
// jvm: -XX:+UseSerialGC

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.LongAdder;

public class PostcodeGazetteer {
    record Place(int postcode, String name, int inhabitants) { }

    private final long[] positions = new long[1_500_000];
    private final short[] places = new short[1_500_000];
    private final byte[] streets = new byte[15_000_000];
    private final Map<Integer, Place> byCode = new HashMap<>();
    private final LongAdder answered = new LongAdder();
    private volatile Place latest;

    PostcodeGazetteer() {
        SplittableRandom r = new SplittableRandom(1850);
        for (int i = 0; i < positions.length; i++) {
            positions[i] = r.nextLong(1L << 40);
            places[i] = (short) r.nextInt(30_000);
        }
        Arrays.sort(positions);
        byte[] pattern = "Bahnhofstrasse;Hauptplatz;Am Kanal;".getBytes(StandardCharsets.ISO_8859_1);
        for (int i = 0; i < streets.length; i++) {
            streets[i] = pattern[i % pattern.length];
        }
        for (int code = 0; code < 30_000; code++) {
            byCode.put(code, new Place(code, "Town " + code, r.nextInt(90_000)));
        }
    }

    int nearest(long position) {
        int at = Arrays.binarySearch(positions, position);
        return at >= 0 ? at : Math.min(-at - 1, positions.length - 1);
    }

    Place locate(long position) {
        int at = nearest(position);
        int street = (int) ((at * 6L) % (streets.length - 64));
        int letters = 0;
        for (int i = 0; i < 64; i++) {
            letters += streets[street + i];
        }
        Place p = byCode.get((int) places[at]);
        return letters % 97 == 0 ? new Place(p.postcode(), p.name() + " (branch)", 0) : p;
    }

    void counter(long seed) {
        SplittableRandom r = new SplittableRandom(seed);
        try {
            while (true) {
                for (int i = 0; i < 2000; i++) {
                    latest = locate(r.nextLong(1L << 40));
                }
                answered.add(2000);
                Thread.sleep(1);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws InterruptedException {
        PostcodeGazetteer gazetteer = new PostcodeGazetteer();
        for (int i = 0; i < 2; i++) {
            int n = i;
            Thread.ofPlatform().daemon().name("counter-" + n).start(() -> gazetteer.counter(n));
        }
        System.out.println("READY");
        for (int s = 0; s < 220; s++) {
            Thread.sleep(1000);
            System.out.println("measured: " + gazetteer.answered.sumThenReset() + " addresses/s");
        }
    }
}
