// SPDX-License-Identifier: Apache-2.0
// cause: the finalizer of a scanned page is slow, so pages wait for it and fill the heap
// expect: cleaners-behind caller=ScanPages$Page.finalize
// symptom: gc-pauses gc-cpu
// jvm: -Xmx48m
// jdk: 11
// set: seventh

import java.util.concurrent.atomic.AtomicInteger;

public class ScanPages {
    static final AtomicInteger OPEN = new AtomicInteger();

    static final class Page {
        final byte[] pixels = new byte[64 * 1024];
        final int number;

        Page(int number) {
            this.number = number;
            OPEN.incrementAndGet();
        }

        int darkness() {
            int sum = 0;
            for (int i = number & 63; i < pixels.length; i += 64)
                sum += 255 - pixels[i];
            return sum;
        }

        @Override
        protected void finalize() throws Throwable {
            Thread.sleep(4); // the scanner is let go
            OPEN.decrementAndGet();
        }
    }

    static int scan(int number) throws InterruptedException {
        while (OPEN.get() > 520)
            Thread.sleep(1);
        return new Page(number).darkness();
    }

    public static void main(String[] args) {
        for (int n = 0; n < 2; n++)
            new Thread(() -> {
                try {
                    for (int i = 0; ; i++)
                        scan(i);
                } catch (InterruptedException e) {
                    // ends
                }
            }, "feeder-" + n).start();
        System.out.println("READY");
    }
}
