// SPDX-License-Identifier: Apache-2.0
// healthy: a batch whose purpose is sorting: each tray of 60,000 letters, new each time, is sorted once, by the order of delivery, with a comparator of fields that compares numbers only; nothing is sorted twice, and the comparisons cost nothing that could be computed before
// share: sorting takes 90 % of the work, 170 to 230 ns a letter with a CPU of its own, more by the clock beside other work (60,000 letters, some 15 comparisons each), one CPU of 2; hardly any collections
// judge: RIGHT: nothing stands out, or neutral remarks (time goes to sorting, for MailPresort$Sorter.sort; computing in Letter.compare or the like; no fault of the program shows). WRONG: an accusation of the sorting (done too often, costly comparisons, one saturated thread that others wait for), or any other one (collections, waits for room or elements of the queues).
// jdk: 8
// set: thirty-sixth
// jvm: -Xmx400m
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Random;

/** Sorts the letters of a city by the way that postmen go, tray after tray. */
public class MailPresort {
    private static long sorting;
    private static long working;
    private static long letters;
    private static long bundles;
    private static long misplaced;

    static final class Letter {
        int district;
        int street;
        int house;
        int grams;

        /** The order in which a postman comes by. */
        static final Comparator<Letter> DELIVERY = new Comparator<Letter>() {
            @Override
            public int compare(Letter a, Letter b) {
                if (a.district != b.district)
                    return Integer.compare(a.district, b.district);
                if (a.street != b.street)
                    return Integer.compare(a.street, b.street);
                return Integer.compare(a.house, b.house);
            }
        };
    }

    /** A tray, whose letters are read by the camera one by one. */
    static final class Camera {
        private final Random random = new Random(19);

        void fill(Letter[] tray) {
            for (Letter letter : tray) {
                int code = random.nextInt();
                letter.district = (code >>> 4) % 90;
                letter.street = (code >>> 11) % 700;
                letter.house = 1 + (code >>> 20) % 180;
                letter.grams = 10 + (code & 127);
            }
        }
    }

    static final class Sorter {
        void sort(Letter[] tray) {
            Arrays.sort(tray, Letter.DELIVERY);
        }
    }

    /** Bundles of a street each, by weight; a heavy one is divided. */
    static final class Binder {
        private final int[] weights = new int[90];

        int bind(Letter[] tray) {
            Arrays.fill(weights, 0);
            int bundles = 0, grams = 0;
            for (int i = 0; i < tray.length; i++) {
                Letter letter = tray[i];
                boolean first = i == 0 || tray[i - 1].street != letter.street || tray[i - 1].district != letter.district;
                if (first || grams + letter.grams > 4000) {
                    bundles++;
                    grams = 0;
                }
                grams += letter.grams;
                weights[letter.district] += letter.grams;
            }
            return bundles;
        }

        int check(Letter[] tray) {
            int wrong = 0;
            for (int i = 1; i < tray.length; i++)
                if (tray[i - 1].district > tray[i].district)
                    wrong++;
            return wrong;
        }

        int heaviest() {
            int best = 0;
            for (int i = 1; i < weights.length; i++)
                if (weights[i] > weights[best])
                    best = i;
            return best;
        }
    }

    /** The way of a postman through a district: metres between houses. */
    static final class Walk {
        long metres(Letter[] tray) {
            double sum = 0;
            for (int i = 1; i < tray.length; i++) {
                Letter from = tray[i - 1], to = tray[i];
                if (from.district != to.district)
                    continue;
                double east = from.house * 11.0 - to.house * 11.0, north = (from.street - to.street) * 60.0;
                sum += Math.sqrt(east * east + north * north);
            }
            return (long) sum;
        }
    }

    public static void main(String[] args) {
        Letter[] tray = new Letter[60000];
        for (int i = 0; i < tray.length; i++)
            tray[i] = new Letter();
        Camera camera = new Camera();
        Sorter sorter = new Sorter();
        Binder binder = new Binder();
        Walk walk = new Walk();
        com.sun.management.OperatingSystemMXBean system =
            (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        long metres = 0, begun = System.nanoTime(), cpu = system.getProcessCpuTime();
        int[] heaviest = new int[90];
        for (int seconds = 0; ; ) {
            long start = System.nanoTime();
            camera.fill(tray);
            long filled = System.nanoTime();
            sorter.sort(tray);
            long sorted = System.nanoTime();
            bundles += binder.bind(tray);
            misplaced += binder.check(tray);
            heaviest[binder.heaviest()]++;
            metres += walk.metres(tray);
            long end = System.nanoTime();
            sorting += sorted - filled;
            working += end - start;
            letters += tray.length;
            if (end - begun < 1_000_000_000L)
                continue;
            if (++seconds == 4)
                System.out.println("READY");
            long now = system.getProcessCpuTime();
            System.out.printf("measured: %d letters sorted once each, %d misplaced, %d bundles, %d km; sorting takes %.0f ns a letter, %.0f %% of the work; %.2f CPUs%n",
                letters, misplaced, bundles, metres / 1000, (double) sorting / letters, 100.0 * sorting / working, (now - cpu) / (double) (end - begun));
            System.out.flush();
            letters = bundles = sorting = working = metres = 0;
            begun = end;
            cpu = now;
        }
    }
}
