// SPDX-License-Identifier: Apache-2.0
// cause: PermitPrinter.Desk.print creates a ByteArrayOutputStream with an initial capacity of 900 KB (sized for the largest permit ever) for every permit of about 6 KB; with 1 MB G1 regions each is a humongous allocation that is zeroed and keeps the collector running without pause
// share: with the fault 11306 permits/s (176.9 us each), with -Dfixed=true 246989 permits/s (8 us each): 21.8 times (median of short runs at nice 19 on a 2-core machine under heavy foreign load, so absolute figures are low)
// expect: humongous-allocation caller=Desk.print | humongous-allocation frame=Desk.print
// symptom: humongous-allocation | gc-pauses | hot-code | gc-cpu
// judge: NAMED: the oversized 900 KB initial buffers of PermitPrinter.Desk.print (humongous allocations in G1, buffer far larger than the content); SYMPTOM ONLY: much GC / G1 humongous collections / high byte[] allocation rate without the place or size; WRONG: heap too small as the only finding, the register map is a leak, String.format, locks
// jdk: 17
// set: twenty-eighth
// jvm: -Xmx64m -XX:+UseG1GC
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.zip.CRC32;

public class PermitPrinter {
    static final boolean ALT = Boolean.getBoolean("fixed");
    static final int SPAN = Integer.getInteger("span", 170);
    static final int ROOM = ALT ? 8 * 1024 : 900 * 1024;
    static volatile boolean open = true;
    static final LongAdder permits = new LongAdder();
    static final LongAdder nanos = new LongAdder();

    record Holder(int no, String name, String street, int zone) { }

    static final Map<Integer, Holder> register = new HashMap<>();

    static final class Desk extends Thread {
        private long state;
        final CRC32 crc = new CRC32();
        long checks;

        Desk(int no) {
            super("desk-" + no);
            setDaemon(true);
            state = no * 104729L;
        }

        @Override
        public void run() {
            while (open) {
                state = state * 6364136223846793005L + 1442695040888963407L;
                long t = System.nanoTime();
                Holder h = register.get((int) ((state >>> 33) % register.size()));
                byte[] doc = print(h);
                crc.reset();
                crc.update(doc);
                checks ^= crc.getValue();
                nanos.add(System.nanoTime() - t);
                permits.increment();
            }
        }

        private byte[] print(Holder h) {
            ByteArrayOutputStream page = new ByteArrayOutputStream(ROOM);
            text(page, "PERMIT " + h.no() + "\n");
            text(page, h.name() + "\n" + h.street() + "\n");
            for (int week = 1; week <= 52; week++) {
                text(page, "week " + week + " zone " + (h.zone() + week) % 12
                        + " from 0700 to 1900, loading bay " + (h.no() + week * 3) % 40
                        + ", axle load " + (week * 7 + h.zone()) % 11 + " t, not transferable to other vehicles\n");
            }
            return page.toByteArray();
        }

        private static void text(ByteArrayOutputStream page, String s) {
            byte[] b = s.getBytes(StandardCharsets.ISO_8859_1);
            page.write(b, 0, b.length);
        }
    }

    public static void main(String[] args) throws Exception {
        long start = System.nanoTime();
        for (int i = 0; i < 60_000; i++) {
            register.put(i, new Holder(i, "Holder " + i, "Quay " + i % 900, i % 12));
        }
        new Desk(1).start();
        new Desk(2).start();
        Thread.sleep(3000);
        System.out.println("READY");
        long end = start + SPAN * 1_000_000_000L;
        long before = permits.sum();
        long spent = nanos.sum();
        long at = System.nanoTime();
        while (System.nanoTime() < end) {
            Thread.sleep(1000);
            long now = permits.sum();
            long s = nanos.sum();
            long t = System.nanoTime();
            System.out.printf("measured: %.0f permits/s, %.1f us each%n",
                    (now - before) * 1e9 / (t - at), (s - spent) / 1e3 / Math.max(1, now - before));
            before = now;
            spent = s;
            at = t;
        }
        open = false;
    }
}
