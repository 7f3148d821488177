// SPDX-License-Identifier: Apache-2.0
// cause: LabelArchive.open wraps the InflaterInputStream directly in a DataInputStream, so every byte of readLong/readInt/readShort is a call of Inflater.inflate for one or few bytes, that is a native transition with its set-up each time.
// share: faulty: 220000-630000 labels/s, mean 330000; fixed (BufferedInputStream of 4096 between the two): 1900000-3700000 labels/s, mean 2400000 (about 7 times better).
// expect: hot-code kind=field-by-field frame=LabelArchive
// symptom: hot-code | hot-method | hot-calls
// judge: NAMED: tiny reads straight from InflaterInputStream (LabelArchive.open/read): one native inflate call for every few bytes; put a buffer in between. SYMPTOM ONLY: Inflater.inflate / inflateBytesBytes / native zlib takes most of the CPU time, data should be compressed less. WRONG: disk or network I/O, GC, allocation, DataInputStream decoding as such.
// jdk: 11
// set: twenty-seventh
// jvm: -Xmx64m
import java.io.*;
import java.util.*;
import java.util.concurrent.atomic.*;
import java.util.zip.*;

public class LabelArchive {
    static final long START = System.nanoTime();
    static final boolean OPTION = Boolean.getBoolean("fixed");
    static final AtomicLong labels = new AtomicLong(), weight = new AtomicLong();

    static byte[] crate(int seed) throws IOException {
        Random r = new Random(seed);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(new BufferedOutputStream(new DeflaterOutputStream(bytes)))) {
            out.writeInt(2000);
            for (int i = 0; i < 2000; i++) {
                out.writeLong(400000000L + r.nextInt(1000000));
                out.writeInt(r.nextInt(30000));
                out.writeShort(r.nextInt(90));
                out.writeInt(r.nextInt(100) * 1000);
                out.writeLong(r.nextInt(50));
                out.writeInt(i);
            }
        }
        return bytes.toByteArray();
    }

    static DataInputStream open(byte[] crate) {
        InputStream in = new InflaterInputStream(new ByteArrayInputStream(crate));
        return new DataInputStream(OPTION ? new BufferedInputStream(in, 4096) : in);
    }

    static long read(byte[] crate) throws IOException {
        long sum = 0;
        try (DataInputStream in = open(crate)) {
            int n = in.readInt();
            for (int i = 0; i < n; i++) {
                long parcel = in.readLong();
                int grams = in.readInt();
                int zone = in.readShort();
                int customer = in.readInt();
                long depot = in.readLong();
                int row = in.readInt();
                sum += grams + (parcel ^ customer) % 7 + zone * depot + row;
            }
            labels.addAndGet(n);
        }
        return sum;
    }

    public static void main(String[] a) throws Exception {
        long span = Long.getLong("span", 170);
        byte[][] crates = new byte[16][];
        for (int i = 0; i < crates.length; i++) crates[i] = crate(i);
        Thread t = new Thread(() -> {
            try {
                for (int i = 0; ; i++) weight.addAndGet(read(crates[i & 15]));
            } catch (IOException e) { throw new UncheckedIOException(e); }
        }, "reader");
        t.setDaemon(true);
        t.start();
        Thread.sleep(5000);
        System.out.println("READY");
        long last = labels.get(), lastT = System.nanoTime();
        while (System.nanoTime() - START < span * 1000000000L) {
            Thread.sleep(1000);
            long n = labels.get(), now = System.nanoTime();
            System.out.printf(Locale.ROOT, "measured: %.0f labels/s (check %d)%n", (n - last) * 1e9 / (now - lastT), weight.get() % 10000);
            last = n; lastT = now;
        }
    }
}
