// SPDX-License-Identifier: Apache-2.0
package wick.bench;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Random;

import com.sun.management.HotSpotDiagnosticMXBean;

/** A heap of records in a map, a list and an array, some of them in chains, dumped to a file: `HeapDump RECORDS FILE`.
 *  A record makes 4.25 objects and about 200 bytes of dump. */
public final class HeapDump {
    static final Map<Integer, Item> MAP = new HashMap<>();
    static final LinkedList<Item> LIST = new LinkedList<>();
    static final List<Item> ARRAY = new ArrayList<>();

    private HeapDump() {
    }

    static final class Item {
        final int id;
        final long stamp;
        final String name;
        final Item parent;
        final Object[] tags;

        Item(int id, Item parent) {
            this.id = id;
            this.stamp = id * 31L;
            this.name = "record-" + id % 100_000;
            this.parent = parent;
            this.tags = id % 4 == 0 ? new Object[] {name, parent} : null;
        }
    }

    /** Fills the heap with so many records. */
    static void fill(int n) {
        Random random = new Random(1);
        Item last = null;
        for (int i = 0; i < n; i++) {
            Item item = new Item(i, last);
            if (i % 3 == 0)
                MAP.put(i, item);
            else if (i % 3 == 1)
                LIST.add(item);
            else
                ARRAY.add(item);
            last = random.nextInt(5) == 0 ? null : item;
        }
    }

    /** Entry point. */
    public static void main(String[] args) throws Exception {
        fill(Integer.parseInt(args[0]));
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class).dumpHeap(args[1], true);
    }
}
