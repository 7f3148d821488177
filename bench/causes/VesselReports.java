// SPDX-License-Identifier: Apache-2.0
// healthy: Decodes position reports of ships into immutable objects: allocates a lot, but all of it dies young, so that the frequent young collections cost only about 1-2 % of the time; the shared lock is taken once per batch and only for an addition.
// judge: Wrong: to accuse allocation or GC as the dominant cost, to recommend a larger heap or object pooling as the remedy, or to accuse the lock in VesselReports.book. Right: busy with its own work, which is spread over decoding and aggregation.
// set: twentieth
// jdk: 25
// jvm: -XX:+UseSerialGC

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Collectors;

public class VesselReports {
    record Position(double lat, double lon) { }

    record Report(int ship, Position at, double knots, String status) { }

    private static final String[] STATUS = {"UNDER WAY", "ANCHORED", "MOORED", "FISHING"};
    private final Map<String, Long> totals = new HashMap<>();
    private long reports;
    private volatile double fastest;

    static int bits(byte[] frame, int from, int count) {
        int v = 0;
        for (int i = from; i < from + count; i++) {
            v = v << 1 | frame[i >> 3] >> (7 - (i & 7)) & 1;
        }
        return v;
    }

    static Report decode(byte[] frame) {
        int ship = bits(frame, 8, 30);
        Position at = new Position(bits(frame, 61, 27) / 600_000.0, bits(frame, 89, 27) / 600_000.0);
        return new Report(ship, at, bits(frame, 50, 10) / 10.0, STATUS[bits(frame, 38, 2)]);
    }

    synchronized void book(Map<String, Long> batch, int count) {
        batch.forEach((k, v) -> totals.merge(k, v, Long::sum));
        reports += count;
    }

    synchronized long takeReports() {
        long n = reports;
        reports = 0;
        return n;
    }

    void station(int number) {
        SplittableRandom air = new SplittableRandom(number);
        while (true) {
            List<Report> batch = new ArrayList<>(1000);
            for (int i = 0; i < 1000; i++) {
                byte[] frame = new byte[21];
                air.nextBytes(frame);
                batch.add(decode(frame));
            }
            fastest = batch.stream().mapToDouble(Report::knots).max().orElse(0);
            book(batch.stream().collect(Collectors.groupingBy(Report::status, Collectors.counting())), batch.size());
        }
    }

    public static void main(String[] args) throws InterruptedException {
        VesselReports service = new VesselReports();
        for (int i = 0; i < 2; i++) {
            int n = i;
            Thread.ofPlatform().daemon().name("coast-station-" + n).start(() -> service.station(n));
        }
        System.out.println("READY");
        for (int s = 0; s < 220; s++) {
            Thread.sleep(1000);
            System.out.println("measured: " + service.takeReports() + " reports/s");
        }
    }
}
