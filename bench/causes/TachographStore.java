// SPDX-License-Identifier: Apache-2.0
// cause: TachographStore$DayFile.append packs all of the vehicle's day anew (TachographStore$DayFile.pack, Deflater at level 9) for each event that is added, though a packed day is asked for a few times a second only
// share: packing takes nearly all of the 0.5 CPUs used (0.2 to 0.5 on a crowded machine): 8 MB a second are packed for 130 events of 50 bytes
// expect: hot-code what=compressing frame=TachographStore$
// symptom: hot-code hot-calls hot-method
// judge: NAMED: compressing (Deflater, GZIP, deflating data) for TachographStore$DayFile.pack, or for its callers DayFile.append / Receiver.run with compression said. SYMPTOM ONLY: hot-calls or hot-method at DayFile.pack, or time in native zlib code, without saying compression; allocation or copying at pack. WRONG: Receiver.nextEvent, building strings, collections, locks on the DayFile, writing, inspection (Inspection.run) as the cause, anything else
// jdk: 8
// set: thirty-second
// jvm: -Xmx192m
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;

/** Receives events of the tachographs of a fleet and keeps each vehicle's day ready for inspection. */
public class TachographStore {
    static final int VEHICLES = 12;
    static final int DAY = 2400;

    static final AtomicLong events = new AtomicLong();
    static final AtomicLong packedBytes = new AtomicLong();
    static final AtomicLong appendingNs = new AtomicLong();
    static final AtomicLong inspections = new AtomicLong();
    static final CountDownLatch warm = new CountDownLatch(80);

    static final class Event {
        final long time;
        final int speed;
        final double km;
        final String activity;

        Event(long time, int speed, double km, String activity) {
            this.time = time;
            this.speed = speed;
            this.km = km;
            this.activity = activity;
        }

        String line() {
            return time + ";" + speed + ";" + Math.round(km * 1000) + ";" + activity + ";card=D" + (time * 31 % 9973) + "\n";
        }
    }

    static final class DayFile {
        private final ByteArrayOutputStream text = new ByteArrayOutputStream(160_000);
        private int count;
        private byte[] packed = new byte[0];

        synchronized void prefill(Event event) {
            add(event);
        }

        synchronized void append(Event event) throws IOException {
            if (count >= DAY) {
                text.reset();
                count = 0;
            }
            add(event);
            packed = pack();
        }

        synchronized byte[] packed() {
            return packed;
        }

        private void add(Event event) {
            byte[] line = event.line().getBytes(StandardCharsets.US_ASCII);
            text.write(line, 0, line.length);
            count++;
        }

        private byte[] pack() throws IOException {
            ByteArrayOutputStream result = new ByteArrayOutputStream(32_000);
            Deflater deflater = new Deflater(Deflater.BEST_COMPRESSION);
            try (OutputStream out = new DeflaterOutputStream(result, deflater, 8192)) {
                text.writeTo(out);
            } finally {
                deflater.end();
            }
            packedBytes.addAndGet(text.size());
            return result.toByteArray();
        }
    }

    static final class Receiver implements Runnable {
        private static final String[] ACTIVITIES = {"driving", "work", "available", "rest"};
        private final List<DayFile> days;
        private final int first;
        private final Random random;
        private long time = 1_700_000_000L;
        private double km = 81_000;

        Receiver(List<DayFile> days, int first) {
            this.days = days;
            this.first = first;
            this.random = new Random(first);
        }

        Event nextEvent() {
            time += 1 + random.nextInt(40);
            int speed = random.nextInt(90);
            km += speed / 240.0;
            return new Event(time, speed, km, ACTIVITIES[random.nextInt(4)]);
        }

        @Override
        public void run() {
            try {
                for (int i = first; ; i += 2) {
                    long start = System.nanoTime();
                    days.get(i % VEHICLES).append(nextEvent());
                    appendingNs.addAndGet(System.nanoTime() - start);
                    events.incrementAndGet();
                    warm.countDown();
                    Thread.sleep(Math.max(2, 14 - (System.nanoTime() - start) / 1_000_000));
                }
            } catch (IOException e) {
                System.out.println("receiver: " + e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static final class Inspection implements Runnable {
        private final List<DayFile> days;

        Inspection(List<DayFile> days) {
            this.days = days;
        }

        @Override
        public void run() {
            byte[] page = new byte[4096];
            try {
                for (int i = 0; ; i++) {
                    byte[] day = days.get(i % VEHICLES).packed();
                    if (day.length > 0) {
                        InflaterInputStream in = new InflaterInputStream(new java.io.ByteArrayInputStream(day));
                        while (in.read(page) >= 0) { }
                        inspections.incrementAndGet();
                    }
                    Thread.sleep(500);
                }
            } catch (IOException e) {
                System.out.println("inspection: " + e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static long processCpu() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }

    public static void main(String[] args) throws Exception {
        List<DayFile> days = new ArrayList<>();
        for (int i = 0; i < VEHICLES; i++) {
            DayFile day = new DayFile();
            Receiver history = new Receiver(days, i);
            for (int n = 0; n < 700 + i * 130; n++) day.prefill(history.nextEvent());
            days.add(day);
        }
        for (int i = 0; i < 2; i++) new Thread(new Receiver(days, i), "receiver-" + i).start();
        new Thread(new Inspection(days), "inspection").start();
        warm.await();
        System.out.println("READY");
        System.out.flush();
        long last = System.nanoTime(), count = events.get(), bytes = packedBytes.get(), appending = appendingNs.get(), cpu = processCpu();
        while (true) {
            Thread.sleep(1000);
            long now = System.nanoTime(), c = events.get(), b = packedBytes.get(), a = appendingNs.get(), u = processCpu();
            System.out.printf("measured: %d events, %.1f MB packed, %d inspections so far; appending took %.2f threads, CPUs used %.2f%n",
                c - count, (b - bytes) / 1e6, inspections.get(), (double) (a - appending) / (now - last), (double) (u - cpu) / (now - last));
            last = now; count = c; bytes = b; appending = a; cpu = u;
        }
    }
}
