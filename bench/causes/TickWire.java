// SPDX-License-Identifier: Apache-2.0
// cause: object streams are never reset and keep all that they wrote, so the heap is nearly full: TickWire.send
// expect: gc-pauses | gc-cpu | live-set | out-of-memory | hot-method frame=TickWire.send | hot-method caller=TickWire.send | hot-calls frame=TickWire.send | hot-code frame=TickWire.send | endpoint-cpu frame=TickWire.send
// symptom: hot-method hot-calls hot-code promotion
// jdk: 8
// jvm: -Xmx160m -Xmn24m
// set: ninth
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.OutputStream;
import java.io.Serializable;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;

/** Subscribers come back with a new stream now and then, which is what lets it live. */
public final class TickWire {
    private static final int SUBSCRIBERS = 24;
    private static final int UNTIL_RECONNECT = 17_500;
    private static volatile long sent;

    private static final class Tick implements Serializable {
        private static final long serialVersionUID = 1;
        private final long time;
        private final int symbol;
        private final int[] book = new int[128];

        private Tick(long time, int symbol) {
            this.time = time;
            this.symbol = symbol;
            for (int i = 0; i < book.length; i++) {
                book[i] = (int) time * 31 + i * symbol;
            }
        }
    }

    /** Stands for a connection: what is written is counted. */
    private static final class Line extends OutputStream {
        @Override
        public void write(int b) {
            sent++;
        }

        @Override
        public void write(byte[] bytes, int offset, int length) {
            sent += length;
        }
    }

    private static void send(ObjectOutputStream to, Tick tick) throws IOException {
        to.writeObject(tick);
    }

    private static void publish() {
        try {
            ObjectOutputStream[] streams = new ObjectOutputStream[SUBSCRIBERS];
            int[] left = new int[SUBSCRIBERS];
            for (int i = 0; i < SUBSCRIBERS; i++) {
                streams[i] = new ObjectOutputStream(new Line());
                left[i] = UNTIL_RECONNECT * (i + 1) / SUBSCRIBERS;
            }
            for (long time = 0;; time++) {
                int subscriber = (int) (time % SUBSCRIBERS);
                if (--left[subscriber] == 0) {
                    streams[subscriber] = new ObjectOutputStream(new Line());
                    left[subscriber] = UNTIL_RECONNECT;
                }
                send(streams[subscriber], new Tick(time, (int) (time % 500)));
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static long collecting() {
        long millis = 0;
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            millis += collector.getCollectionTime();
        }
        return millis;
    }

    public static void main(String[] args) throws InterruptedException {
        new Thread(TickWire::publish, "publisher").start();
        System.out.println("READY");
        for (;;) {
            long start = System.nanoTime();
            long before = collecting();
            Thread.sleep(1000);
            System.out.println("measured: " + 100 * (collecting() - before) / ((System.nanoTime() - start) / 1_000_000)
                    + " % of a second is collecting, " + sent / 1000 + " kB sent, "
                    + (Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory()) / 1_000_000
                    + " MB used");
        }
    }
}
