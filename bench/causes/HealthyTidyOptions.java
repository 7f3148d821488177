// SPDX-License-Identifier: Apache-2.0
// healthy: odd options that do no harm: C1 alone for little work, and collections that clear soft references that nobody has
// jvm: -Xmx64m -XX:TieredStopAtLevel=1 -XX:SoftRefLRUPolicyMSPerMB=0
// jdk: 17
// set: fourteenth
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Collects readings of meters and adds them up, four times a second. */
public final class HealthyTidyOptions {
    private static volatile long total;

    private record Reading(int meter, long watts) {}

    private static List<Reading> read(Random r) {
        List<Reading> all = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) all.add(new Reading(r.nextInt(500), r.nextInt(4000)));
        return all;
    }

    public static void main(String[] args) throws InterruptedException {
        Random r = new Random(3);
        System.out.println("READY");
        while (true) {
            long sum = 0;
            for (Reading one : read(r)) sum += one.watts();
            total = sum;
            Thread.sleep(250);
        }
    }
}
