// SPDX-License-Identifier: Apache-2.0
// cause: Press.render calls ByteBuffer.allocateDirect for every label sheet; the direct-memory limit is reached after some dozens of sheets and the JDK (Bits.reserveMemory) then calls System.gc() to have old buffers freed, so full collections of a half-full heap stop all threads many times a second.
// share: throughput 1,250-2,900 sheets/s vs 60,000-70,000/s fixed; about 30 System.gc() full collections/s, threads stopped 83 % of the time
// judge: Must say that full GCs (System.gc()) come from direct ByteBuffer allocation per sheet (allocateDirect hitting the MaxDirectMemorySize limit, Bits.reserveMemory), placed in LabelPress.Press.render or at ByteBuffer.allocateDirect. "Heap too small", "too much GC" or "someone calls System.gc()" without the direct buffers does not count.
// set: eighteenth
// expect: explicit-gc what=direct_buffers frame=Press.render
// symptom: direct-memory gc-pauses gc-cpu
// jdk: 11
// jvm: -XX:MaxDirectMemorySize=16m
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class LabelPress {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final int SHEET = 192 * 1024;
    static final LongAdder sheets = new LongAdder();
    static final AtomicLong worst = new AtomicLong();

    static final class Address {
        final String name, street, town;
        final int zip;
        Address(int n) {
            name = "Customer " + n;
            street = "Street " + (n % 977) + " No " + (n % 113);
            town = "Town-" + (n % 401);
            zip = 10000 + n % 89999;
        }
    }

    static final class AddressBook {
        private final Map<Integer, Address> byId = new ConcurrentHashMap<>();
        AddressBook(int n) { for (int i = 0; i < n; i++) byId.put(i, new Address(i)); }
        Address find(int id) { return byId.get(id); }
        int size() { return byId.size(); }
    }

    static final class Press implements Runnable {
        private final AddressBook book;
        private final FileChannel spool;
        private final ByteBuffer own = FIXED ? ByteBuffer.allocateDirect(SHEET) : null;
        private long spooled;
        Press(AddressBook book, FileChannel spool) {
            this.book = book;
            this.spool = spool;
        }

        @Override public void run() {
            try {
                while (true) {
                    long t0 = System.nanoTime();
                    int[] ids = nextOrder();
                    ByteBuffer sheet = render(ids);
                    send(sheet);
                    sheets.increment();
                    worst.accumulateAndGet(System.nanoTime() - t0, Math::max);
                }
            } catch (IOException e) {
                e.printStackTrace();
            }
        }

        private int[] nextOrder() {
            ThreadLocalRandom r = ThreadLocalRandom.current();
            int[] ids = new int[24];
            for (int i = 0; i < ids.length; i++) ids[i] = r.nextInt(book.size());
            Arrays.sort(ids);
            return ids;
        }

        private ByteBuffer render(int[] ids) {
            ByteBuffer b = FIXED ? own : ByteBuffer.allocateDirect(SHEET);
            b.clear();
            for (int id : ids) {
                Address a = book.find(id);
                b.put(text(a).getBytes(StandardCharsets.UTF_8));
                bars(b, a.zip);
            }
            b.flip();
            return b;
        }

        private String text(Address a) {
            return "^XA^FO50,60^FD" + a.name + "^FS^FO50,110^FD" + a.street + "^FS^FO50,160^FD" + a.zip + " " + a.town + "^FS";
        }

        private void bars(ByteBuffer b, int zip) {
            int v = zip;
            for (int i = 0; i < 128; i++) {
                v = v * 1103515245 + 12345;
                b.put((byte) ((v >>> 16 & 1) == 0 ? '|' : ' '));
            }
        }

        private void send(ByteBuffer sheet) throws IOException {
            if (spooled > 8_000_000) {
                spool.truncate(0);
                spooled = 0;
            }
            while (sheet.hasRemaining()) spooled += spool.write(sheet, spooled);
        }
    }

    public static void main(String[] args) throws Exception {
        AddressBook book = new AddressBook(90000);
        List<Path> files = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            Path p = Files.createTempFile("labels", ".spool");
            p.toFile().deleteOnExit();
            files.add(p);
            FileChannel ch = FileChannel.open(p, StandardOpenOption.WRITE);
            Thread t = new Thread(new Press(book, ch), "press-" + i);
            t.setDaemon(true);
            t.start();
        }
        System.out.println("READY");
        for (int s = 0; s < 200; s++) {
            Thread.sleep(1000);
            System.out.println("measured: sheets/s " + sheets.sumThenReset() + " worst ms " + worst.getAndSet(0) / 1000000);
        }
        for (Path p : files) Files.deleteIfExists(p);
        System.exit(0);
    }
}
