// SPDX-License-Identifier: Apache-2.0
// cause: ElectoralRoll.stillToRegister calls HashSet.removeAll with an ArrayList that is longer than the set, so that AbstractSet.removeAll calls ArrayList.contains for every element of the set (quadratic string comparisons).
// share: about 92 % of the CPU time; fixed is 13 times better (200000 against 2650000 applications/s)
// judge: Must name the set's removeAll(list) in ElectoralRoll.stillToRegister, or ArrayList.contains/indexOf below AbstractSet.removeAll with that caller. Only "String.equals is hot", "CPU-bound" or an accusation of normalise is a symptom.
// expect: hot-code callee=AbstractSet.removeAll
// symptom: hot-method hot-calls
// set: twentieth
// jdk: 11
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;

public class ElectoralRoll {
    private static final boolean ONE_BY_ONE = Boolean.getBoolean("fixed");
    private static final LongAdder APPLICATIONS = new LongAdder();
    private static volatile int open;

    static final class Ward {
        final int number;
        final List<String> registered = new ArrayList<>();
        final List<String> applications = new ArrayList<>();

        Ward(int number, Random r) {
            this.number = number;
            int size = 900 + r.nextInt(500);
            for (int i = 0; i < size; i++) {
                registered.add(normalise(person(r)));
            }
            for (int i = 0; i < size * 2 / 3; i++) {
                applications.add(r.nextInt(3) == 0 ? registered.get(r.nextInt(size)).toLowerCase(Locale.ROOT) : person(r));
            }
        }
    }

    private static final String[] NAMES = {"Adler", "Brandt", "Castell", "Dvorak", "Ekholm", "Fontana", "Grieg", "Holub"};

    static String person(Random r) {
        return NAMES[r.nextInt(8)] + ", " + NAMES[r.nextInt(8)] + " *" + (1930 + r.nextInt(75)) + "-" + (1000 + r.nextInt(9000));
    }

    static String normalise(String raw) {
        StringBuilder b = new StringBuilder(raw.length());
        for (int i = 0; i < raw.length(); i++) {
            char c = raw.charAt(i);
            if (c != ' ') {
                b.append(Character.toUpperCase(c));
            }
        }
        return b.toString();
    }

    static Set<String> stillToRegister(Ward ward) {
        Set<String> pending = new HashSet<>();
        for (String a : ward.applications) {
            pending.add(normalise(a));
        }
        if (ONE_BY_ONE) {
            ward.registered.forEach(pending::remove);
        } else {
            pending.removeAll(ward.registered);
        }
        return pending;
    }

    static void clerk(List<Ward> wards, int first) {
        for (int i = first; ; i++) {
            Ward w = wards.get(i % wards.size());
            open = stillToRegister(w).size() + w.number;
            APPLICATIONS.add(w.applications.size());
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Random r = new Random(20240609);
        List<Ward> wards = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            wards.add(new Ward(i, r));
        }
        Thread nightly = new Thread(() -> clerk(wards, 0), "roll-import");
        nightly.setDaemon(true);
        nightly.start();
        System.out.println("READY");
        for (int s = 0; s < 220; s++) {
            Thread.sleep(1000);
            System.out.println("measured: " + APPLICATIONS.sumThenReset() + " applications/s");
        }
    }
}
