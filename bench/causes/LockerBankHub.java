// SPDX-License-Identifier: Apache-2.0
// cause: LockerBankHub$DoorRegister.put forces the mapped register to the disk (MappedByteBuffer.force) for each single field, so that one parcel event, written by LockerBankHub$Bank.apply, waits five times for the disk; the bank's threads do hardly anything else
// share: 99 % of the time that the six banks need for an event is in DoorRegister.put: 1.0 to 1.4 ms for each of 4,500 to 6,000 events a second, 0.2 ms or more for each of five fields
// expect: waiting kind=file-sync frame=LockerBankHub$DoorRegister.put
// symptom: hot-calls disk-wait waiting
// judge: NAMED: waiting for fsync / msync / for data to reach the disk, at DoorRegister.put (or DoorRegister.put called by Bank.apply, Bank.run): force once for an event or for many. SYMPTOM ONLY: a slow disk or disk-wait without the method, hot-calls in DoorRegister.put (CPU time that the forcing takes) or "most in msync/fsync" as a mere use of CPU, a wait "in native code" or "for a disk" at DoorRegister.put without saying that data is forced. WRONG: anything else (the hashing in Bank.openCode, monitors, collections, CPUs, too many threads, the mapped file being read). Where java.io.tmpdir is a tmpfs, forcing costs nothing and there is no fault to find.
// jdk: 25
// set: thirty-third
import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/** Hub of parcel locker banks: replays the door events that each bank collected and keeps the state of every door in a register on disk. */
public class LockerBankHub {
    static final int BANKS = 6;
    static final int DOORS = 2048;
    static final LongAdder events = new LongAdder();
    static final LongAdder fieldNanos = new LongAdder();
    static final LongAdder applyNanos = new LongAdder();

    enum Field {
        STATE(0), PARCEL(8), COURIER(16), CODE(24), EXPIRY(32);

        final int offset;

        Field(int offset) {
            this.offset = offset;
        }
    }

    /** What a bank reports: a door was used for a parcel. */
    record DoorEvent(int door, long parcel, long courier, int days, boolean deposit) {
    }

    /** Fixed-size records, one for each door, in a mapped file. */
    static final class DoorRegister {
        static final int RECORD = 64;
        final MappedByteBuffer map;

        DoorRegister(Path file) throws IOException {
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE)) {
                map = channel.map(FileChannel.MapMode.READ_WRITE, 0, (long) DOORS * RECORD);
            }
        }

        long get(int door, Field field) {
            return map.getLong(door * RECORD + field.offset);
        }

        void put(int door, Field field, long value) {
            long begin = System.nanoTime();
            int at = door * RECORD + field.offset;
            map.putLong(at, value);
            map.force(at, Long.BYTES);
            fieldNanos.add(System.nanoTime() - begin);
        }
    }

    /** Produces the backlog of one bank; a real hub reads it from the bank's modem. */
    static final class Backlog {
        private long seed;
        private final boolean[] taken = new boolean[DOORS];

        Backlog(long seed) {
            this.seed = seed * 0x9E3779B97F4A7C15L + 1;
        }

        DoorEvent next() {
            seed ^= seed << 13;
            seed ^= seed >>> 7;
            seed ^= seed << 17;
            int door = (int) (seed >>> 33) % DOORS;
            boolean deposit = !taken[door];
            taken[door] = deposit;
            return new DoorEvent(door, seed & 0xFFFFFFFFFFL, (seed >>> 20) & 0xFFFF, 3 + (int) (seed >>> 60), deposit);
        }
    }

    static final class Bank implements Runnable {
        final DoorRegister register;
        final Backlog backlog;
        long now = 20_000;

        Bank(DoorRegister register, Backlog backlog) {
            this.register = register;
            this.backlog = backlog;
        }

        /** The code that opens the door for the one who collects the parcel. */
        long openCode(DoorEvent event) {
            long code = event.parcel() * 31 + event.door();
            for (int round = 0; round < 2000; round++) {
                code = Long.rotateLeft(code * 0xBF58476D1CE4E5B9L, 29) ^ event.courier();
            }
            return Math.floorMod(code, 1_000_000L);
        }

        void apply(DoorEvent event) {
            long begin = System.nanoTime();
            int door = event.door();
            if (event.deposit()) {
                register.put(door, Field.PARCEL, event.parcel());
                register.put(door, Field.COURIER, event.courier());
                register.put(door, Field.CODE, openCode(event));
                register.put(door, Field.EXPIRY, now + event.days());
                register.put(door, Field.STATE, 1);
            } else {
                boolean late = register.get(door, Field.EXPIRY) < now;
                register.put(door, Field.STATE, late ? 3 : 2);
                register.put(door, Field.PARCEL, 0);
                register.put(door, Field.COURIER, 0);
                register.put(door, Field.CODE, 0);
                register.put(door, Field.EXPIRY, 0);
            }
            applyNanos.add(System.nanoTime() - begin);
            events.increment();
        }

        @Override
        public void run() {
            for (int count = 1;; count++) {
                apply(backlog.next());
                if (count % 5000 == 0) {
                    now++;
                }
            }
        }
    }

    public static void main(String[] args) throws Exception {
        List<Path> files = new ArrayList<>();
        for (int i = 1; i <= BANKS; i++) {
            Path file = Files.createTempFile("lockers-" + i + "-", ".reg");
            file.toFile().deleteOnExit();
            files.add(file);
        }
        for (int i = 0; i < BANKS; i++) {
            Thread thread = new Thread(new Bank(new DoorRegister(files.get(i)), new Backlog(i + 17)), "bank-" + (i + 1));
            thread.setDaemon(true);
            thread.start();
        }
        Thread.sleep(2000);
        System.out.println("READY");
        System.out.flush();
        long lastEvents = events.sum(), lastField = fieldNanos.sum(), lastApply = applyNanos.sum();
        while (true) {
            Thread.sleep(1000);
            long e = events.sum(), f = fieldNanos.sum(), a = applyNanos.sum();
            System.out.printf("measured: %d events/s, %.2f ms each, %.0f %% of that in put (%.0f us a field)%n", e - lastEvents,
                    (a - lastApply) / 1e6 / Math.max(1, e - lastEvents), 100.0 * (f - lastField) / Math.max(1, a - lastApply),
                    (f - lastField) / 5e3 / Math.max(1, e - lastEvents));
            System.out.flush();
            lastEvents = e;
            lastField = f;
            lastApply = a;
        }
    }
}
