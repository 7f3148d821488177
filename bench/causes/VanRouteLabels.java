// SPDX-License-Identifier: Apache-2.0
// cause: VanRouteLabels$LabelNumbers.station lists all network interfaces and asks for their hardware addresses (NetworkInterface.getNetworkInterfaces, getHardwareAddress: dozens of system calls) for each label, though the station's identity never changes.
// share: faulty 4800 to 14500 labels/s (mean 7300); fixed (asked once and kept) 0.86 to 1.87 million labels/s (mean 1.29 million); on a crowded machine.
// expect: hot-calls frame=VanRouteLabels$LabelNumbers.station callee=NetworkInterface | hot-code frame=VanRouteLabels$LabelNumbers.station
// symptom: hot-calls hot-code
// judge: NAMED: CPU time (mostly in the kernel) of java.net.NetworkInterface.getNetworkInterfaces / getHardwareAddress called by VanRouteLabels$LabelNumbers.station for each label (by next); ask once. SYMPTOM ONLY: much system time, system calls (socket, ioctl), the packing lines compute, allocation. WRONG: Routes.assign's lock, building strings in print, System.currentTimeMillis, the network or a server being slow, collections.
// jdk: 25
// set: twenty-ninth
// jvm:

import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** A depot's packing lines give each parcel a label with a number that no other depot can give. */
public class VanRouteLabels {
    static final int LINES = 3;
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final long SPAN = Long.getLong("span", 170);
    static final LongAdder labels = new LongAdder();

    /** Numbers made of the time, the station and a count. */
    static final class LabelNumbers {
        private final AtomicLong count = new AtomicLong();
        private volatile long station = -1;

        String next() {
            long s = FIXED ? known() : station();
            long c = count.incrementAndGet();
            return Long.toString(System.currentTimeMillis(), 36) + '-' + Long.toString(s & 0xffffffffffffL, 36) + '-' + Long.toString(c, 36);
        }

        private long known() {
            long s = station;
            if (s == -1) {
                s = station();
                station = s;
            }
            return s;
        }

        private static long station() {
            long id = 17;
            try {
                for (NetworkInterface nic : Collections.list(NetworkInterface.getNetworkInterfaces())) {
                    byte[] mac = nic.getHardwareAddress();
                    if (mac != null) {
                        id = id * 31 + Arrays.hashCode(mac);
                    } else {
                        id = id * 31 + nic.getName().hashCode();
                    }
                }
            } catch (SocketException e) {
                return 1;
            }
            return id;
        }
    }

    /** A parcel on its way through the depot. */
    static final class Parcel {
        final int postcode;
        final int grams;
        String label;
        String route;

        Parcel(int postcode, int grams) {
            this.postcode = postcode;
            this.grams = grams;
        }
    }

    /** Which van goes where, and what it may still carry. */
    static final class Routes {
        private final Map<Integer, String> vans = new HashMap<>();
        private final long[] load = new long[100];

        Routes() {
            for (int i = 0; i < 100; i++) {
                vans.put(i, "van-" + (char) ('A' + i % 26) + i / 26);
            }
        }

        synchronized String assign(Parcel p) {
            int area = p.postcode / 1000;
            load[area] += p.grams;
            if (load[area] > 900_000) {
                load[area] = 0;
            }
            return vans.get(area);
        }
    }

    /** Takes parcels from the belt, and prints their labels. */
    static final class PackingLine extends Thread {
        private final LabelNumbers numbers;
        private final Routes routes;
        private final long end;
        private final Queue<Parcel> recent = new ArrayDeque<>();
        private long checks;

        PackingLine(int number, LabelNumbers numbers, Routes routes, long end) {
            super("line-" + number);
            this.numbers = numbers;
            this.routes = routes;
            this.end = end;
            setDaemon(true);
        }

        @Override
        public void run() {
            while (System.nanoTime() < end) {
                Parcel p = new Parcel(ThreadLocalRandom.current().nextInt(100_000), ThreadLocalRandom.current().nextInt(100, 20_000));
                p.route = routes.assign(p);
                p.label = numbers.next();
                checks += digits(print(p));
                recent.add(p);
                if (recent.size() > 200) {
                    recent.poll();
                }
                labels.increment();
            }
        }

        private String print(Parcel p) {
            StringBuilder b = new StringBuilder(160);
            b.append("^XA^FO50,50^A0N,50,50^FD").append(p.label).append("^FS");
            b.append("^FO50,120^A0N,40,40^FD").append(p.route).append(' ').append(p.postcode).append("^FS");
            b.append("^FO50,180^BCN,100,Y,N,N^FD").append(p.grams).append("^FS^XZ");
            return b.toString();
        }

        private int digits(String text) {
            int sum = 0;
            for (int i = 0; i < text.length(); i++) {
                sum = (sum * 3 + text.charAt(i)) % 97;
            }
            return sum;
        }
    }

    public static void main(String[] args) throws Exception {
        LabelNumbers numbers = new LabelNumbers();
        Routes routes = new Routes();
        System.out.println("first label: " + numbers.next());
        long end = System.nanoTime() + SPAN * 1_000_000_000L;
        for (int i = 0; i < LINES; i++) {
            new PackingLine(i, numbers, routes, end).start();
        }
        System.out.println("READY");
        long last = 0;
        while (System.nanoTime() < end) {
            Thread.sleep(1000);
            long now = labels.sum();
            System.out.printf("measured: %d labels/s%n", now - last);
            last = now;
        }
        System.exit(0);
    }
}
