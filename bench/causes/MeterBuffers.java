// SPDX-License-Identifier: Apache-2.0
// cause: collectors exchange a full buffer for an empty one with a thread that packs each at the highest level before it comes back: MeterBuffers.pack
// share: 95 % of a collector's time is waiting in exchange(); pack() takes 99 % of the archiver's
// expect: hot-method frame=MeterBuffers.pack | hot-method caller=MeterBuffers.pack | hot-calls frame=MeterBuffers.pack | hot-calls caller=MeterBuffers.pack | hot-code frame=MeterBuffers.pack | saturated-thread frame=MeterBuffers.pack | waiting holder=MeterBuffers.pack | waiting partner=MeterBuffers.pack | endpoint-cpu frame=MeterBuffers.pack
// judge: right is what names pack(), as CPU or as what those wait for who exchange; the wait in Exchanger.exchange alone is a symptom
// symptom: waiting saturated-thread hot-method hot-calls hot-code
// jdk: 17
// set: eleventh
import java.util.concurrent.Exchanger;
import java.util.concurrent.atomic.LongAdder;
import java.util.zip.Deflater;

/** Readings of meters are collected in buffers, and an archiver packs full ones. */
public final class MeterBuffers {
    private static final LongAdder EXCHANGE = new LongAdder();
    private static final LongAdder ALL = new LongAdder();
    private static final LongAdder PACK = new LongAdder();

    private final Exchanger<byte[]> exchanger = new Exchanger<>();
    private long packed;

    private void collect(int seed) {
        byte[] buffer = new byte[96 * 1024];
        long state = seed;
        try {
            for (;;) {
                long start = System.nanoTime();
                for (int i = 0; i < buffer.length; i++) {
                    state = state * 6364136223846793005L + 1442695040888963407L;
                    buffer[i] = (byte) ((state >>> 60) + (i % 24) * 3);
                }
                long full = System.nanoTime();
                buffer = exchanger.exchange(buffer);
                long end = System.nanoTime();
                EXCHANGE.add(end - full);
                ALL.add(end - start);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private int pack(byte[] buffer, byte[] out) {
        Deflater deflater = new Deflater(Deflater.BEST_COMPRESSION);
        try {
            deflater.setInput(buffer);
            deflater.finish();
            int length = 0;
            while (!deflater.finished()) {
                length += deflater.deflate(out);
            }
            return length;
        } finally {
            deflater.end();
        }
    }

    private void archive() {
        byte[] buffer = new byte[96 * 1024];
        byte[] out = new byte[16 * 1024];
        try {
            for (;;) {
                buffer = exchanger.exchange(buffer);
                long start = System.nanoTime();
                packed += pack(buffer, out);
                PACK.add(System.nanoTime() - start);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        MeterBuffers buffers = new MeterBuffers();
        new Thread(() -> buffers.collect(7), "collector").start();
        new Thread(buffers::archive, "archiver").start();
        System.out.println("READY");
        for (;;) {
            Thread.sleep(1000);
            System.out.println("measured: " + 100 * EXCHANGE.sumThenReset() / (ALL.sumThenReset() + 1)
                    + " % of a collector's time is waiting in exchange(); pack() takes " + PACK.sumThenReset() / 1_000_000 + " ms of a second, "
                    + buffers.packed + " bytes");
        }
    }
}
