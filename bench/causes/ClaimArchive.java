// SPDX-License-Identifier: Apache-2.0
// cause: ClaimArchive.RecentDecisions.ring keeps 5000 Decision objects, each of which holds the whole Claim with its form fields and scanned attachments (Decision.claim) though only number and amount are shown, so about 55 of the 64 MB of the old generation (96 MB heap) are live objects that steadily age and die, and the JVM does full collections all the time
// share: faulty 15821 claims/s; fixed 50822 claims/s; 3.2 times (10 s and 10 s on a shared, loaded 2-CPU machine; time in GC about 70 % faulty, 1 % fixed)
// judge: NAMED = memory retention: the ring/history RecentDecisions keeps whole claims (Field/String/byte[] of fields and attachments) alive via Decision.claim, so the heap is nearly full of live data and full GCs run all the time; keep a summary or fewer entries. "The heap is filled by Claim/Field/String/byte[] held by RecentDecisions.ring" counts. SYMPTOM ONLY = "GC pressure / heap too small / frequent full GCs, raise -Xmx", "high allocation rate" without the holder. WRONG = unbounded leak that grows for ever (it is bounded; half right if the holder is named: count as named), lock contention, wrong collector as the only statement.
// expect: live-set | gc-pauses holder=RecentDecisions
// symptom: gc-pauses gc-cpu
// jdk: 21
// set: sixteenth
// jvm: -Xmx96m -XX:+UseSerialGC
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.zip.CRC32;

public class ClaimArchive {
    static final boolean SUMMARY = Boolean.getBoolean("fixed");

    record Attachment(String name, byte[] scan) {}
    record Field(int page, String text) {}
    record Claim(long number, String holder, int cents, List<Field> fields, List<Attachment> attachments) {}

    static final class Decision {
        final long number;
        final int paid;
        final Claim claim;

        Decision(Claim c, int paid) {
            this.number = c.number();
            this.paid = paid;
            this.claim = SUMMARY ? null : c;
        }

        String line() {
            return number + ": " + paid / 100 + "." + paid % 100;
        }
    }

    /** What the clerks see on the overview page. */
    static final class RecentDecisions {
        private final AtomicReferenceArray<Decision> ring = new AtomicReferenceArray<>(5000);
        private final AtomicLong next = new AtomicLong();

        void add(Decision d) {
            ring.set((int) (next.getAndIncrement() % ring.length()), d);
        }

        List<String> page(int lines) {
            var page = new ArrayList<String>();
            long at = next.get() - 1;
            for (int i = 0; i < lines && at - i >= 0; i++) {
                Decision d = ring.get((int) ((at - i) % ring.length()));
                if (d != null) page.add(d.line());
            }
            return page;
        }
    }

    static final class Examiner {
        int examine(Claim c) {
            int limit = c.cents();
            for (Attachment a : c.attachments()) {
                var crc = new CRC32();
                crc.update(a.scan());
                if (crc.getValue() % 5 == 0) limit = limit * 9 / 10;
                limit -= words(a.scan()) % 7;
            }
            for (Field f : c.fields()) if (f.text().endsWith("7")) limit -= f.page();
            return Math.max(0, limit);
        }

        int words(byte[] scan) {
            int n = 0;
            boolean in = false;
            for (byte b : scan) {
                boolean letter = b > 32;
                if (letter && !in) n++;
                in = letter;
            }
            return n;
        }
    }

    final RecentDecisions recent = new RecentDecisions();
    final Examiner examiner = new Examiner();
    final BlockingQueue<Claim> inbox = new ArrayBlockingQueue<>(32);
    final LongAdder decided = new LongAdder();
    final LongAdder pages = new LongAdder();

    Claim receive(SplittableRandom r, long number) {
        var files = new ArrayList<Attachment>();
        for (int i = 0; i < 2; i++) {
            byte[] scan = new byte[1300 + r.nextInt(500)];
            for (int k = 0; k < scan.length; k += 8) {
                long x = r.nextLong();
                for (int j = 0; j < 8 && k + j < scan.length; j++) scan[k + j] = (byte) (x >> (j * 8) & 0x7f);
            }
            files.add(new Attachment("scan" + i + ".png", scan));
        }
        var fields = new ArrayList<Field>(90);
        for (int i = 0; i < 90; i++) fields.add(new Field(i / 30, "value " + r.nextInt(1_000_000)));
        return new Claim(number, "holder " + number % 977, 1000 + r.nextInt(400_000), fields, files);
    }

    void mailRoom(int id) {
        var r = new SplittableRandom(id);
        long number = id * 100_000_000L;
        try {
            while (true) inbox.put(receive(r, number++));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    void office() {
        try {
            while (true) {
                Claim c = inbox.take();
                recent.add(new Decision(c, examiner.examine(c)));
                decided.increment();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    void clerk() {
        try {
            while (true) {
                pages.add(recent.page(40).size() / 40);
                Thread.sleep(20);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static void start(String name, Runnable r) {
        Thread.ofPlatform().daemon().name(name).start(r);
    }

    public static void main(String[] args) throws Exception {
        var a = new ClaimArchive();
        for (int i = 1; i <= 2; i++) {
            int id = i;
            start("mail-room-" + id, () -> a.mailRoom(id));
            start("office-" + id, a::office);
        }
        for (int i = 1; i <= 3; i++) start("clerk-" + i, a::clerk);
        for (int s = 0; s < 150; s++) {
            Thread.sleep(1000);
            long gc = java.lang.management.ManagementFactory.getGarbageCollectorMXBeans().stream().mapToLong(b -> b.getCollectionTime()).sum();
            System.out.println("measured: " + a.decided.sumThenReset() + " claims/s, " + a.pages.sumThenReset() + " overview pages/s, "
                    + gc * 100 / ((s + 1) * 1000L) + " % of time in GC so far");
            if (s == 6) System.out.println("READY");
        }
        System.exit(0);
    }
}
