// SPDX-License-Identifier: Apache-2.0
// cause: buffers that G1 has to give regions of their own
// expect: humongous-allocation frame=HumongousBuffers.encode
// symptom: gc-pauses gc-cpu allocation-stall
// jvm: -Xmx128m -XX:+UseG1GC -XX:G1HeapRegionSize=1m
// jdk: 17
import java.util.ArrayDeque;
import java.util.Deque;

public final class HumongousBuffers {
    private final Deque<byte[]> sent = new ArrayDeque<>();

    private byte[] encode(int n) {
        byte[] buffer = new byte[3 << 20];
        buffer[n % buffer.length] = 1;
        return buffer;
    }

    private void serve() throws InterruptedException {
        for (int n = 0;; n++) {
            sent.add(encode(n));
            if (sent.size() > 12) {
                sent.remove();
            }
            Thread.sleep(1);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        System.out.println("READY");
        new HumongousBuffers().serve();
    }
}
