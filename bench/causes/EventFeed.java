// SPDX-License-Identifier: Apache-2.0
// cause: object streams that are never reset keep each event that was ever written to them, so the heap is nearly full of them: EventFeed.publish
// share: 46000 to 57000 events a second; 318000 to 354000 if each stream is reset after 1000 events, so 83 % of the time; collections are 3 to 13 %
// expect: hot-method frame=EventFeed.publish | hot-method caller=EventFeed.publish | hot-calls frame=EventFeed.publish | hot-calls caller=EventFeed.publish | hot-code frame=EventFeed.publish | endpoint-cpu frame=EventFeed.publish | live-set frame=EventFeed.publish | live-set class=ObjectOutputStream
// judge: right is what names publish() or the handle table of ObjectOutputStream below it, as code that takes the CPU or as what keeps the heap; collections alone are a symptom
// symptom: gc-pauses gc-cpu live-set heap-limit promotion memory-growth allocation-stall hot-method hot-calls hot-code humongous-allocation
// jvm: -Xmx96m
// jdk: 17
// set: tenth
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.OutputStream;
import java.io.Serializable;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/** Readings of sensors are parsed and sent to subscribers, each of which stays connected for some time. */
public final class EventFeed {
    private static final int SUBSCRIBERS = 4;
    private static final int STAY = 100_000; // events
    private static final LongAdder EVENTS = new LongAdder();

    private static final class Reading implements Serializable {
        private static final long serialVersionUID = 1;
        final String sensor;
        final double[] values;
        final long time;

        Reading(String sensor, double[] values, long time) {
            this.sensor = sensor;
            this.values = values;
            this.time = time;
        }
    }

    /** Where the bytes go; the network is left out. */
    private static final class Wire extends OutputStream {
        private long sent;

        @Override
        public void write(int b) {
            sent++;
        }

        @Override
        public void write(byte[] bytes, int from, int n) {
            sent += n;
        }
    }

    private static final class Subscriber {
        final ObjectOutputStream out;
        int left;

        Subscriber(int left) throws IOException {
            out = new ObjectOutputStream(new Wire());
            this.left = left;
        }
    }

    private final List<Subscriber> subscribers = new ArrayList<>();

    private static Reading parse(String line, long time) {
        String[] fields = line.split(";");
        double[] values = new double[fields.length - 1];
        for (int i = 0; i < values.length; i++) {
            values[i] = Double.parseDouble(fields[i + 1]);
        }
        return new Reading(fields[0], values, time);
    }

    private void publish(Reading reading) throws IOException {
        for (int i = 0; i < subscribers.size(); i++) {
            Subscriber one = subscribers.get(i);
            one.out.writeObject(reading);
            one.out.flush();
            if (--one.left == 0) {
                one.out.close();
                subscribers.set(i, new Subscriber(STAY));
            }
        }
    }

    private void run() {
        try {
            for (int i = 0; i < SUBSCRIBERS; i++) {
                subscribers.add(new Subscriber(STAY / SUBSCRIBERS * (i + 1)));
            }
            for (int n = 0;; n++) {
                publish(parse("sensor-" + n % 500 + ";" + n % 97 + ".5;" + n % 13 + ".25;" + n % 1009, n));
                EVENTS.increment();
                if (n % 1000 == 0) {
                    Thread.sleep(1);
                }
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        new Thread(new EventFeed()::run, "feed").start();
        System.out.println("READY");
        long before = 0;
        for (;;) {
            Thread.sleep(1000);
            long ms = 0;
            for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
                ms += collector.getCollectionTime();
            }
            System.out.println("measured: " + (ms - before) + " ms of a second are collections, " + EVENTS.sumThenReset()
                    + " events; heap " + ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() / 1_000_000 + " MB");
            before = ms;
        }
    }
}
