// SPDX-License-Identifier: Apache-2.0
// cause: HeatMeterReadout$Bus.exchange holds the lock of the bus while $Bus.settle rests 15 ms (LockSupport.parkNanos) after each telegram, three times a reading (the wire would need 1 ms, and only before the next telegram); the 10 readers of the buildings wait for that lock all the time
// share: of the time in which the bus is held, 98 % or more is that rest in $Bus.settle; 8 to 9 of the 10 readers wait for its lock at any time
// expect: waiting frame=HeatMeterReadout$Bus.settle | waiting frame=HeatMeterReadout$Bus.exchange chain=settle
// symptom: waiting
// judge: NAMED: the rest / timed park (parkNanos, a timer) at HeatMeterReadout$Bus.settle, or waiting for the lock at $Bus.exchange if the answer says that its holder rests in settle (parkNanos, timed park). SYMPTOM ONLY: contention for the lock at $Bus.exchange without what its holder does. WRONG: the decoding ($Telegram.decode) or the checksum as CPU load, $Station.answer, the log thread, too few threads, the collector, or that nothing stands out
// jdk: 8
// set: thirty-fourth
// jvm: -Xmx256m
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/** Reads the heat meters of a district: many buildings behind one two-wire bus. */
public class HeatMeterReadout {
    static final int BUILDINGS = 10;
    static final int METERS = 40;

    enum Part { HEADER, VALUES, HISTORY }

    static final class Telegram {
        final byte[] bytes;

        Telegram(byte[] bytes) {
            this.bytes = bytes;
        }

        static Telegram request(int address, Part part) {
            byte[] b = new byte[5];
            b[0] = 0x10;
            b[1] = (byte) (0x5B + 0x20 * (part.ordinal() & 1));
            b[2] = (byte) address;
            b[3] = (byte) (b[1] + b[2]);
            b[4] = 0x16;
            return new Telegram(b);
        }

        /** Records of a telegram as numbers, or null if its check sum is wrong. */
        long[] decode() {
            int sum = 0;
            for (int i = 4; i < bytes.length - 2; i++) sum += bytes[i];
            if ((byte) sum != bytes[bytes.length - 2]) return null;
            int n = (bytes.length - 6) / 4;
            long[] values = new long[n];
            for (int i = 0; i < n; i++) {
                long v = 0;
                for (int k = 3; k >= 0; k--) {
                    int b = bytes[4 + 4 * i + k];
                    v = v * 100 + ((b >> 4) & 15) * 10 + (b & 15);
                }
                values[i] = v;
            }
            return values;
        }
    }

    /** The meters' side of the wire. */
    static final class Station {
        final int[] energy = new int[BUILDINGS * METERS];

        synchronized Telegram answer(Telegram request, int meter, Part part) {
            int n = part == Part.HISTORY ? 48 : part == Part.VALUES ? 12 : 4;
            byte[] b = new byte[6 + 4 * n];
            b[0] = 0x68;
            int value = energy[meter] += 3 + request.bytes[2] % 5;
            int sum = 0;
            for (int i = 0; i < n; i++) {
                int v = value + 17 * i;
                for (int k = 0; k < 4; k++) {
                    b[4 + 4 * i + k] = (byte) ((v / 10 % 10) << 4 | v % 10);
                    v /= 100;
                }
            }
            for (int i = 4; i < b.length - 2; i++) sum += b[i];
            b[b.length - 2] = (byte) sum;
            b[b.length - 1] = 0x16;
            return new Telegram(b);
        }
    }

    static final class Bus {
        static final long SETTLE_NANOS = TimeUnit.MILLISECONDS.toNanos(15);
        final ReentrantLock line = new ReentrantLock();
        final Station station = new Station();
        final LongAdder heldNanos = new LongAdder();
        final LongAdder restNanos = new LongAdder();

        /** All parts of one meter's reading, without telegrams of others between them. */
        List<Telegram> exchange(int meter) {
            line.lock();
            long got = System.nanoTime();
            try {
                List<Telegram> answers = new ArrayList<>();
                for (Part part : Part.values()) {
                    Telegram request = Telegram.request(meter % 251, part);
                    answers.add(station.answer(request, meter, part));
                    settle();
                }
                return answers;
            } finally {
                heldNanos.add(System.nanoTime() - got);
                line.unlock();
            }
        }

        /** The line has to be quiet before the next telegram. */
        void settle() {
            long begin = System.nanoTime();
            long until = begin + SETTLE_NANOS;
            for (long left = SETTLE_NANOS; left > 0; left = until - System.nanoTime()) LockSupport.parkNanos(this, left);
            restNanos.add(System.nanoTime() - begin);
        }
    }

    static final class Reader implements Runnable {
        final int building;
        final Bus bus;
        final ConcurrentHashMap<Integer, long[]> latest;
        final LongAdder readings;

        Reader(int building, Bus bus, ConcurrentHashMap<Integer, long[]> latest, LongAdder readings) {
            this.building = building;
            this.bus = bus;
            this.latest = latest;
            this.readings = readings;
        }

        @Override
        public void run() {
            for (int round = 0; ; round++) {
                for (int m = 0; m < METERS; m++) {
                    int meter = building * METERS + m;
                    for (Telegram t : bus.exchange(meter)) {
                        long[] values = t.decode();
                        if (values != null) latest.merge(meter, values, (a, b) -> a.length > b.length ? a : b);
                    }
                    readings.increment();
                }
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Bus bus = new Bus();
        ConcurrentHashMap<Integer, long[]> latest = new ConcurrentHashMap<>();
        LongAdder readings = new LongAdder();
        for (int b = 0; b < BUILDINGS; b++) {
            Thread t = new Thread(new Reader(b, bus, latest, readings), "building-" + b);
            t.setDaemon(true);
            t.start();
        }
        Thread.sleep(1_500);
        System.out.println("READY");
        System.out.flush();
        while (true) {
            bus.heldNanos.reset();
            bus.restNanos.reset();
            readings.reset();
            long begin = System.nanoTime();
            double waiting = 0;
            for (int i = 0; i < 20; i++) {
                Thread.sleep(50);
                waiting += bus.line.getQueueLength() / 20.0;
            }
            double span = System.nanoTime() - begin;
            System.out.printf("measured: %d readings, %d meters known; bus held %.0f %% of the time, %.1f %% of that at rest; %.1f of %d readers wait for it%n",
                    readings.sum(), latest.size(), 100 * bus.heldNanos.sum() / span, 100.0 * bus.restNanos.sum() / Math.max(1, bus.heldNanos.sum()),
                    waiting, BUILDINGS);
            System.out.flush();
        }
    }
}
