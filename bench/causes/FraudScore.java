// SPDX-License-Identifier: Apache-2.0
// cause: -XX:TieredStopAtLevel=1 (left over from development) keeps the JVM at C1 code; C2 never compiles the model
// expect: jvm-option option=TieredStopAtLevel
// symptom: hot-method hot-calls
// share: 29000 payments/s, mean 0.83 ms a batch; without the option (no fixed switch): 108000/s, 0.22 ms
// judge: right: JVM option TieredStopAtLevel=1: no C2, the hot loops (FraudScore$Layer.apply) run as C1 code
// judge: symptom: CPU is busy in FraudScore$Layer.apply, both workers saturated
// judge: wrong: the algorithm or data structure of the model; GC; locks; pool of 2 workers; feature extraction
// jvm: -XX:TieredStopAtLevel=1
// jdk: 21
// set: fourteenth
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class FraudScore {
    record Payment(long card, int cents, String country, int merchant, long at) {}
    record Verdict(long card, float score, boolean hold) {}

    /** A dense layer, weights kept by input so that zero inputs cost nothing. */
    static final class Layer {
        final int in, out; final float[][] weights; final float[] bias; final boolean last;
        Layer(int in, int out, boolean last, Random r) {
            this.in = in; this.out = out; this.last = last;
            weights = new float[in][out];
            bias = new float[out];
            for (float[] row : weights)
                for (int j = 0; j < out; j++) row[j] = (float) (r.nextGaussian() / Math.sqrt(in));
            for (int j = 0; j < out; j++) bias[j] = (float) r.nextGaussian() * 0.1f;
        }
        float[] apply(float[] x) {
            float[] y = bias.clone();
            for (int i = 0; i < in; i++) {
                float v = x[i];
                if (v == 0f) continue;
                float[] row = weights[i];
                for (int j = 0; j < y.length; j++) y[j] += v * row[j];
            }
            if (!last) for (int j = 0; j < y.length; j++) y[j] = Math.max(0f, y[j]);
            return y;
        }
    }

    static final class History {
        final int[] amounts = new int[16]; int n; long lastAt;
        synchronized void features(Payment p, float[] x) {
            long sum = 0;
            int max = 0;
            for (int a : amounts) { sum += a; max = Math.max(max, a); }
            x[0] = p.cents / 1000f;
            x[1] = sum / 16000f;
            x[2] = max == 0 ? 1 : (float) p.cents / max;
            x[3] = Math.min(10, (p.at - lastAt) / 1000f);
            for (int i = 0; i < 16; i++) x[8 + i] = amounts[i] / 1000f;
            amounts[n++ & 15] = p.cents;
            lastAt = p.at;
        }
    }

    final Layer[] model;
    final ConcurrentHashMap<Long, History> histories = new ConcurrentHashMap<>();
    final LongAdder scored = new LongAdder(), held = new LongAdder();
    final LongAdder nanos = new LongAdder(), modelNanos = new LongAdder();

    FraudScore() {
        Random r = new Random(12);
        model = new Layer[] {
            new Layer(320, 512, false, r), new Layer(512, 192, false, r), new Layer(192, 1, true, r)};
    }

    Verdict score(Payment p) {
        float[] x = new float[320];
        histories.computeIfAbsent(p.card, k -> new History()).features(p, x);
        x[32 + Math.floorMod(p.country.hashCode(), 64)] = 1;
        x[96 + p.merchant % 128] = 1;
        for (int i = 0; i < 96; i++) x[224 + i] = (float) Math.sin((i + 1) * x[0]);
        long t = System.nanoTime();
        for (Layer l : model) x = l.apply(x);
        modelNanos.add(System.nanoTime() - t);
        float s = (float) (1 / (1 + Math.exp(-x[0])));
        return new Verdict(p.card, s, s > 0.93f);
    }

    static Payment parse(String line) {
        String[] f = line.split(",");
        int cents = Integer.parseInt(f[1]), merchant = Integer.parseInt(f[3]);
        return new Payment(Long.parseLong(f[0]), cents, f[2], merchant, Long.parseLong(f[4]));
    }

    public static void main(String[] args) throws Exception {
        FraudScore service = new FraudScore();
        ExecutorService workers = Executors.newFixedThreadPool(2, Thread.ofPlatform().name("score-", 0).factory());
        String[] countries = {"DE", "FR", "NL", "US", "BR", "IN", "GB", "SE"};
        for (int c = 0; c < 6; c++) {
            Random r = new Random(c);
            Thread.ofPlatform().name("acquirer-" + c).start(() -> {
                while (true) {
                    StringBuilder batch = new StringBuilder();
                    for (int i = 0; i < 4; i++)
                        batch.append(4_000_000 + r.nextInt(20_000)).append(',')
                                .append(50 + r.nextInt(40_000)).append(',').append(countries[r.nextInt(8)])
                                .append(',').append(r.nextInt(9000)).append(',')
                                .append(System.currentTimeMillis()).append('\n');
                    String text = batch.toString();
                    long t = System.nanoTime();
                    try {
                        workers.submit(() -> {
                            int holds = 0;
                            for (String line : text.split("\n")) if (service.score(parse(line)).hold) holds++;
                            service.held.add(holds);
                            return holds;
                        }).get();
                    } catch (Exception e) { System.err.println("acquirer: " + e); }
                    service.scored.add(4);
                    service.nanos.add(System.nanoTime() - t);
                }
            });
        }
        Thread.sleep(2000);
        System.out.println("READY");
        for (long s0 = service.scored.sum(), n0 = service.nanos.sum(), m0 = service.modelNanos.sum(); ; ) {
            Thread.sleep(1000);
            long s = service.scored.sum(), n = service.nanos.sum(), m = service.modelNanos.sum();
            System.out.printf(Locale.ROOT,
                    "measured: %d payments/s, mean %.2f ms a batch, model %.0f us each, %d held%n",
                    s - s0,
                    (n - n0) / 1e6 / Math.max(1, (s - s0) / 4), (m - m0) / 1e3 / Math.max(1, s - s0),
                    service.held.sumThenReset());
            s0 = s; n0 = n; m0 = m;
        }
    }
}
