// SPDX-License-Identifier: Apache-2.0
// cause: one thread of a pipeline encodes what four others produce, and is at its limit
// expect: saturated-thread thread=encoder
// symptom: waiting hot-method hot-calls hot-code
// jdk: 25
// set: third
import java.util.concurrent.SynchronousQueue;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

public final class SlowSerialStage {
    private static final SynchronousQueue<byte[]> HANDOVER = new SynchronousQueue<>();
    private static volatile long sum;

    private static void encode() {
        byte[] out = new byte[1 << 16];
        try {
            for (;;) {
                byte[] in = HANDOVER.take();
                Deflater d = new Deflater(6);
                d.setInput(in);
                d.finish();
                int n = d.deflate(out);
                d.end();
                CRC32 crc = new CRC32();
                crc.update(out, 0, n);
                sum += crc.getValue();
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void produce(int seed) {
        try {
            for (int n = seed;; n++) {
                byte[] data = new byte[20_000];
                for (int i = 0; i < data.length; i++) {
                    data[i] = (byte) (i * n >> 5);
                }
                HANDOVER.put(data);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) {
        new Thread(SlowSerialStage::encode, "encoder").start();
        for (int i = 0; i < 4; i++) {
            int seed = i;
            new Thread(() -> produce(seed), "source-" + i).start();
        }
        System.out.println("READY");
    }
}
