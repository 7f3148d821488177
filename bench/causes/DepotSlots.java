// SPDX-License-Identifier: Apache-2.0
// cause: SlotKey.hashCode returns only the depot number (24 values for 14,400 keys), so the booking HashMap degenerates into 24 huge bins and each lookup in SlotPlan walks hundreds of nodes.
// share: throughput about 175,000 bookings/s vs 3,300,000/s fixed (nearly all CPU in the collided HashMap bins)
// judge: Must name the poor hashCode of DepotSlots.SlotKey (few distinct values, collisions) as the reason why HashMap get/put is slow. Naming only "HashMap.get / TreeNode.find is hot" or "too many lookups" without the hash collision of SlotKey does not count.
// set: eighteenth
// expect: hot-code kind=colliding-keys
// symptom: hot-method hot-calls
// jdk: 8
import java.util.*;
import java.util.concurrent.atomic.*;

public class DepotSlots {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final AtomicLong booked = new AtomicLong();
    static final AtomicLong rejected = new AtomicLong();

    static final class SlotKey {
        final int depot;
        final int day;
        final int hour;
        SlotKey(int depot, int day, int hour) {
            this.depot = depot;
            this.day = day;
            this.hour = hour;
        }
        @Override public boolean equals(Object o) {
            if (!(o instanceof SlotKey)) return false;
            SlotKey k = (SlotKey) o;
            return depot == k.depot && day == k.day && hour == k.hour;
        }
        @Override public int hashCode() {
            if (FIXED) return (depot * 31 + day) * 31 + hour;
            return depot;
        }
    }

    static final class Slot {
        int docks = 8;
        long palletsPlanned;
        final int[] usage = new int[8];
    }

    static final class SlotPlan {
        private final Map<SlotKey, Slot> slots = new HashMap<SlotKey, Slot>();

        SlotPlan(int depots, int days, int hours) {
            for (int d = 0; d < depots; d++)
                for (int y = 0; y < days; y++)
                    for (int h = 0; h < hours; h++) slots.put(new SlotKey(d, y, h), new Slot());
        }
        Slot at(int depot, int day, int hour) {
            return slots.get(new SlotKey(depot, day, hour));
        }
        int size() { return slots.size(); }
    }

    static final class Planner implements Runnable {
        private final SlotPlan plan;
        private final Random random;
        private final int depots, days, hours;
        private final StringBuilder note = new StringBuilder();
        Planner(int depots, int days, int hours, long seed) {
            this.depots = depots;
            this.days = days;
            this.hours = hours;
            this.plan = new SlotPlan(depots, days, hours);
            this.random = new Random(seed);
        }
        public void run() {
            while (true) {
                int depot = random.nextInt(depots);
                int day = random.nextInt(days);
                int hour = random.nextInt(hours);
                int pallets = 1 + random.nextInt(33);
                if (place(depot, day, hour, pallets)) booked.incrementAndGet();
                else rejected.incrementAndGet();
            }
        }
        private boolean place(int depot, int day, int hour, int pallets) {
            for (int shift = 0; shift < 3; shift++) {
                Slot slot = plan.at(depot, day, (hour + shift) % hours);
                if (slot == null) return false;
                int dock = leastUsed(slot);
                if (slot.usage[dock] < 66) {
                    slot.usage[dock] += pallets;
                    slot.palletsPlanned += pallets;
                    confirm(depot, day, dock, pallets);
                    return true;
                }
                Arrays.fill(slot.usage, 0);
            }
            return false;
        }
        private int leastUsed(Slot slot) {
            int best = 0;
            for (int i = 1; i < slot.usage.length; i++) if (slot.usage[i] < slot.usage[best]) best = i;
            return best;
        }
        private int confirm(int depot, int day, int dock, int pallets) {
            note.setLength(0);
            note.append("DEP").append(depot).append("/D").append(day).append("/DOCK").append(dock);
            note.append("/PAL").append(pallets);
            int check = 7;
            for (int i = 0; i < note.length(); i++) check = check * 131 + note.charAt(i);
            return check;
        }
    }

    public static void main(String[] args) throws Exception {
        final CountDown ready = new CountDown(2);
        for (int i = 0; i < 2; i++) {
            final int seed = i;
            Thread t = new Thread("planner-" + i) {
                public void run() {
                    Planner p = new Planner(24, 30, 20, seed);
                    ready.hit();
                    p.run();
                }
            };
            t.setDaemon(true);
            t.start();
        }
        ready.await();
        System.out.println("READY");
        long last = 0;
        for (int s = 0; s < 200; s++) {
            Thread.sleep(1000);
            long now = booked.get();
            System.out.println("measured: bookings/s " + (now - last) + " rejected total " + rejected.get());
            last = now;
        }
        System.exit(0);
    }

    static final class CountDown {
        private int left;
        CountDown(int n) { left = n; }
        synchronized void hit() {
            left--;
            notifyAll();
        }
        synchronized void await() throws InterruptedException {
            while (left > 0) wait();
        }
    }
}
