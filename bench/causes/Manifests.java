// SPDX-License-Identifier: Apache-2.0
// cause: a shipment copies its list of pieces for each caller, and the loop over the pieces asks for the list twice a piece: Shipment.pieces
// share: 83 to 93 % of a manifest is grams(), in which pieces() copies
// expect: hot-method frame=Shipment.pieces | hot-method caller=Shipment.pieces | hot-calls frame=Shipment.pieces | hot-calls caller=Shipment.pieces | hot-code frame=Shipment.pieces | endpoint-cpu frame=Shipment.pieces | hot-method frame=Manifests.grams | hot-method caller=Manifests.grams | hot-calls frame=Manifests.grams | hot-calls caller=Manifests.grams | hot-code frame=Manifests.grams | endpoint-cpu frame=Manifests.grams | allocation frame=Shipment.pieces | allocation frame=Manifests.grams | gc-pauses frame=Shipment.pieces | gc-pauses frame=Manifests.grams | gc-pauses caller=Shipment.pieces | gc-pauses caller=Manifests.grams | gc-cpu frame=Shipment.pieces | gc-cpu frame=Manifests.grams | gc-cpu caller=Shipment.pieces | gc-cpu caller=Manifests.grams
// judge: right is what names pieces(), or grams() which calls it, as CPU or as allocations; collections alone are a symptom
// symptom: gc-pauses gc-cpu promotion allocation-stall hot-method hot-calls hot-code
// jdk: 21
// set: tenth
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;

/** Manifests of the shipments of a day: pieces, weight and the heaviest piece of each destination. */
public final class Manifests {
    private static final LongAdder SUMMING = new LongAdder();
    private static final LongAdder ALL = new LongAdder();
    private static final LongAdder COUNT = new LongAdder();

    private static Shipment received(Random random) {
        Shipment shipment = new Shipment("HUB" + random.nextInt(40));
        for (int n = 300 + random.nextInt(600); n > 0; n--) {
            shipment.add(new Piece("SSCC" + random.nextInt(1_000_000), 200 + random.nextInt(30_000)));
        }
        return shipment;
    }

    private static long grams(Shipment shipment) {
        long grams = 0;
        for (int i = 0; i < shipment.pieces().size(); i++) {
            grams += shipment.pieces().get(i).grams();
        }
        return grams;
    }

    private static String line(Shipment shipment, long grams) {
        List<Piece> byWeight = shipment.pieces();
        byWeight.sort((a, b) -> Integer.compare(b.grams(), a.grams()));
        return shipment.destination() + " " + byWeight.size() + " pieces, " + grams / 1000 + " kg, " + byWeight.get(0);
    }

    private static void day(int dock) {
        Random random = new Random(dock);
        Map<String, String> manifests = new TreeMap<>();
        try {
            for (;;) {
                long start = System.nanoTime();
                Shipment shipment = received(random);
                long summed = System.nanoTime();
                long grams = grams(shipment);
                SUMMING.add(System.nanoTime() - summed);
                manifests.put(shipment.destination(), line(shipment, grams));
                ALL.add(System.nanoTime() - start);
                COUNT.increment();
                Thread.sleep(3);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        for (int i = 0; i < 2; i++) {
            int dock = i;
            new Thread(() -> day(dock), "dock-" + i).start();
        }
        System.out.println("READY");
        for (;;) {
            Thread.sleep(1000);
            long all = ALL.sumThenReset();
            System.out.println("measured: " + 100 * SUMMING.sumThenReset() / (all + 1) + " % of a manifest is grams(), which copies, "
                    + all / (COUNT.sumThenReset() + 1) / 1000 + " us a manifest");
        }
    }
}

record Piece(String code, int grams) {
}

final class Shipment {
    private final String destination;
    private final List<Piece> pieces = new ArrayList<>();

    Shipment(String destination) {
        this.destination = destination;
    }

    void add(Piece piece) {
        pieces.add(piece);
    }

    String destination() {
        return destination;
    }

    List<Piece> pieces() {
        return new ArrayList<>(pieces);
    }
}
