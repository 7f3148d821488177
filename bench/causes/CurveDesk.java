// SPDX-License-Identifier: Apache-2.0
// cause: the JVM option -XX:SoftRefLRUPolicyMSPerMB=0 makes each collection clear all SoftReferences that were not used since the collection before, so the SoftReference cache in CurveDesk.curves is emptied again and again although the heap has free space, and CurveDesk.build recomputes the discount curves for a large part of the requests.
// share: faulty about 6 000 to 86 000 bonds/s, swinging, at mean 23 to 335 us (mean about 23 000/s, 170 us), fixed about 146 000 bonds/s at mean 14 us (factor 6).
// expect: jvm-option option=SoftRef
// symptom: hot-calls
// judge: NAMED: the soft reference cache of CurveDesk (CurveDesk.curves / held SoftReference<Curve>) loses its entries at each collection because of -XX:SoftRefLRUPolicyMSPerMB=0, so build runs again; naming "SoftReference cache cleared by GC, curves rebuilt" is the cause, with the option named it is complete. SYMPTOM ONLY: CurveDesk.build / Math.exp / Math.pow is hot, low cache hit rate, without the clearing of soft references. WRONG: heap too small or a heap leak, the GC choice (SerialGC) or the pause times as the main cost (the pauses are short, the rebuilt curves cost the time), lock contention on the map, the allocation of the requests, the interpolation in price.
// jdk: 17
// set: twenty-fifth
// jvm: -Xmx80m -Xmn24m -XX:+UseSerialGC -XX:SoftRefLRUPolicyMSPerMB=0

import java.lang.ref.SoftReference;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class CurveDesk {
    static final int CURVES = 12000;

    static final class Curve {
        final int id;
        final double[] discount;

        Curve(int id, double[] discount) {
            this.id = id;
            this.discount = discount;
        }

        double at(double years) {
            double x = years * 3;
            int i = Math.min(discount.length - 2, (int) x);
            double part = x - i;
            return discount[i] * (1 - part) + discount[i + 1] * part;
        }
    }

    interface Held {
        Curve get();
    }

    static final class Firm implements Held {
        private final Curve curve;

        Firm(Curve curve) {
            this.curve = curve;
        }

        @Override
        public Curve get() {
            return curve;
        }
    }

    static final class Loose implements Held {
        private final SoftReference<Curve> ref;

        Loose(Curve curve) {
            this.ref = new SoftReference<>(curve);
        }

        @Override
        public Curve get() {
            return ref.get();
        }
    }

    final boolean variant = Boolean.getBoolean("fixed");
    final ConcurrentMap<Integer, Held> curves = new ConcurrentHashMap<>();
    final AtomicLong priced = new AtomicLong();
    final AtomicLong nanos = new AtomicLong();
    final AtomicLong cents = new AtomicLong();
    final AtomicReferenceArray<List<double[]>> sample = new AtomicReferenceArray<>(1000);
    volatile boolean open = true;

    Curve build(int id) {
        double base = 0.01 + (id % 70) / 2000.0;
        double[] d = new double[120];
        for (int m = 0; m < d.length; m++) {
            double t = m / 3.0;
            double rate = base;
            for (int step = 1; step <= 48; step++) {
                rate += 0.0004 * Math.exp(-t / step) * Math.cos(id + step);
            }
            d[m] = Math.pow(1 + rate, -t);
        }
        return new Curve(id, d);
    }

    Curve curve(int id) {
        Held held = curves.get(id);
        Curve c = held == null ? null : held.get();
        if (c == null) {
            c = build(id);
            curves.put(id, variant ? new Firm(c) : new Loose(c));
        }
        return c;
    }

    double price(int curveId, List<double[]> flows) {
        Curve c = curve(curveId);
        double value = 0;
        for (double[] f : flows) {
            value += c.at(f[0]) * f[1];
        }
        return value;
    }

    List<double[]> bond(Random rnd) {
        int years = 2 + rnd.nextInt(28);
        List<double[]> flows = new ArrayList<>();
        double coupon = 1 + rnd.nextInt(6);
        for (int i = 1; i <= years * 12; i++) {
            flows.add(new double[] {i / 12.0, i == years * 12 ? 100 + coupon : coupon / 12});
        }
        return flows;
    }

    void dealer(int no) {
        Random rnd = new Random(no);
        while (open) {
            long t0 = System.nanoTime();
            List<double[]> flows = bond(rnd);
            double p = price(rnd.nextInt(CURVES), flows);
            if (rnd.nextInt(10) == 0) {
                sample.set(rnd.nextInt(sample.length()), flows);
            }
            cents.addAndGet((long) (p * 100));
            nanos.addAndGet(System.nanoTime() - t0);
            priced.incrementAndGet();
        }
    }

    public static void main(String[] args) throws Exception {
        CurveDesk desk = new CurveDesk();
        ExecutorService dealers = Executors.newFixedThreadPool(2);
        for (int i = 0; i < 2; i++) {
            int no = i;
            dealers.submit(() -> desk.dealer(no));
        }
        System.out.println("READY");
        long last = 0, lastNanos = 0;
        for (int s = 0; s < 168; s++) {
            Thread.sleep(1000);
            long c = desk.priced.get(), n = desk.nanos.get();
            System.out.println("measured: " + (c - last) + " bonds/s, mean "
                    + (n - lastNanos) / Math.max(1, c - last) / 1000 + " us");
            last = c;
            lastNanos = n;
        }
        desk.open = false;
        dealers.shutdown();
        System.out.println("done " + desk.cents.get());
    }
}
