// SPDX-License-Identifier: Apache-2.0
// healthy: the live heap grows steadily for 12 seconds at a time, which inside a short observation looks like a leak (a map that only gains entries); but it is a tumbling window whose passages are all needed for the exact bill and median at its end, when everything is released; the live peak (about 32 MB of 128 MB) is the same every time
// share: 24000 passages/s (median of a short run at nice 19 on a 2-core machine under heavy foreign load); passages arrive at a set 24000/s, about 288000 per 12 s window, live peak about 32 MB, heap in use up to 75 MB of 128 MB before a collection, young collections every 2 to 4 s
// judge: any finding of trouble is WRONG (a leak, heap pressure, GC, idle gate threads); a remark that the heap grows within the window and is released at its end is fine
// jdk: 17
// set: twenty-eighth
// jvm: -Xmx128m
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

public class TollWindow {
    static final int SPAN = Integer.getInteger("span", 170);
    static final int RATE = 24_000;
    static final long WINDOW = 12_000_000_000L;

    record Passage(int gate, long at, int axles, int weight) { }

    static final class Window {
        final long opened;
        final Map<Integer, List<Passage>> byPlate = new HashMap<>();
        int passages;

        Window(long opened) {
            this.opened = opened;
        }

        void add(int plate, Passage p) {
            byPlate.computeIfAbsent(plate, k -> new ArrayList<>(2)).add(p);
            passages++;
        }

        String bill() {
            int[] weights = new int[passages];
            int n = 0;
            long cents = 0;
            for (List<Passage> trip : byPlate.values()) {
                int fare = 0;
                for (Passage p : trip) {
                    fare += 40 * p.axles();
                    weights[n++] = p.weight();
                }
                cents += Math.min(fare, 900);
            }
            Arrays.sort(weights);
            return byPlate.size() + " plates, median " + weights[n / 2] + " kg, " + cents / 100 + " billed";
        }
    }

    static final class Gantry {
        private long state = 42;

        int plate() {
            state = state * 6364136223846793005L + 1442695040888963407L;
            return (int) ((state >>> 33) % 160_000);
        }

        Passage passage(long at) {
            int s = (int) (state >>> 40);
            return new Passage(s % 48, at, 2 + s % 5, 900 + s % 38_000);
        }
    }

    public static void main(String[] args) throws Exception {
        long start = System.nanoTime();
        Gantry gantry = new Gantry();
        Window window = new Window(start);
        long due = start;
        long ready = start + 3_000_000_000L;
        long end = start + SPAN * 1_000_000_000L;
        long tick = ready;
        boolean announced = false;
        int count = 0;
        int closed = 0;
        String last = "none yet";
        while (true) {
            long now = System.nanoTime();
            if (now >= end) {
                break;
            }
            if (!announced && now >= ready) {
                System.out.println("READY");
                announced = true;
                count = 0;
            }
            if (announced && now - tick >= 1_000_000_000L) {
                System.out.printf("measured: %.0f passages/s, in window %d, closed %d, last bill: %s%n",
                        count * 1e9 / (now - tick), window.passages, closed, last);
                tick = now;
                count = 0;
            }
            if (now - window.opened >= WINDOW) {
                last = window.bill();
                closed++;
                window = new Window(now);
            }
            int batch = (int) ((now - due) * RATE / 1_000_000_000L);
            for (int i = 0; i < batch; i++) {
                int plate = gantry.plate();
                window.add(plate, gantry.passage(now));
            }
            due += batch * 1_000_000_000L / RATE;
            count += batch;
            LockSupport.parkNanos(2_000_000L);
        }
    }
}
