// SPDX-License-Identifier: Apache-2.0
// cause: SeismicTraces.decode allocates a new direct buffer per packet; the direct memory limit is reached every few dozen packets, and then ByteBuffer.allocateDirect (Bits.reserveMemory) runs System.gc(), a full collection of the whole live heap, and waits for the Cleaner.
// share: about 90 % of the time (stop-the-world collections and waiting for them); fixed is about 10 times better (150 against 1800 packets/s; machine was loaded by others)
// judge: Must name ByteBuffer.allocateDirect (direct buffers per packet) in SeismicTraces.decode as what triggers full collections (cause System.gc() from Bits.reserveMemory). Only "much GC", "heap too small, raise -Xmx" or "someone calls System.gc()" without the direct buffers is a symptom.
// expect: explicit-gc frame=SeismicTraces
// symptom: gc-pauses gc-cpu
// set: twentieth
// jdk: 17
// jvm: -XX:MaxDirectMemorySize=16m

import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.LongAdder;

public class SeismicTraces {
    static final int SAMPLES = 16 * 1024;
    static final int LARGEST_PACKET = 512 * 1024;
    static final boolean KEEP = Boolean.getBoolean("fixed");
    static final LongAdder packets = new LongAdder();

    record Reading(long time, float peak, float period, Reading previous) { }

    private final Map<Integer, Reading> catalogue = new HashMap<>();
    private ByteBuffer kept;
    private final SplittableRandom ground = new SplittableRandom(1906);

    SeismicTraces() {
        for (int station = 0; station < 400; station++) {
            Reading last = null;
            for (int i = 0; i < 1500; i++) {
                last = new Reading(i * 1000L, ground.nextInt(100) / 10f, 1f, last);
            }
            catalogue.put(station, last);
        }
    }

    private ByteBuffer buffer() {
        if (!KEEP) {
            return ByteBuffer.allocateDirect(LARGEST_PACKET);
        }
        if (kept == null) {
            kept = ByteBuffer.allocateDirect(LARGEST_PACKET);
        }
        kept.clear();
        return kept;
    }

    float decode(int station) {
        IntBuffer trace = buffer().asIntBuffer();
        int level = ground.nextInt(200) - 100;
        int x = ground.nextInt() | 1;
        for (int i = 0; i < SAMPLES; i++) {
            x ^= x << 13;
            x ^= x >>> 17;
            x ^= x << 5;
            level += (x >> 26) - (level >> 6);
            trace.put(level);
        }
        trace.flip();
        float fast = 0;
        float slow = 0;
        float peak = 0;
        while (trace.hasRemaining()) {
            float v = Math.abs(trace.get());
            fast += (v - fast) * 0.05f;
            slow += (v - slow) * 0.002f;
            peak = Math.max(peak, fast / (slow + 1));
        }
        return peak;
    }

    void record(int station, float peak) {
        Reading head = catalogue.get(station);
        catalogue.put(station, new Reading(head.time + 1000, peak, 1f, head.previous));
    }

    void acquire() {
        for (int i = 0; ; i++) {
            int station = i % 400;
            record(station, decode(station));
            packets.increment();
        }
    }

    public static void main(String[] args) throws InterruptedException {
        SeismicTraces traces = new SeismicTraces();
        Thread t = new Thread(traces::acquire, "acquisition");
        t.setDaemon(true);
        t.start();
        System.out.println("READY");
        for (int s = 0; s < 220; s++) {
            Thread.sleep(1000);
            System.out.println("measured: " + packets.sumThenReset() + " packets/s");
        }
    }
}
