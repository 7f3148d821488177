// SPDX-License-Identifier: Apache-2.0
// cause: a direct buffer of 4 MB for each upload; when 32 MB are used up, the JDK asks for a collection to free some
// expect: direct-memory | explicit-gc frame=OffHeapPerUpload | explicit-gc
// symptom: gc-pauses gc-cpu waiting endpoint-wait hot-calls hot-method hot-code allocation-stall cleaners-behind
// jvm: -Xmx128m -XX:MaxDirectMemorySize=32m -XX:+UseSerialGC
// jdk: 21
// set: fifth
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import wick.Scope;
import wick.Wick;

/** The heap holds an index of half a million entries, so each such collection takes a tenth of a second or more. */
public final class OffHeapPerUpload {
    private static final int WORKERS = 3;
    private static final int BUFFER_BYTES = 4 << 20;
    private static final int ENTRIES = 500_000;
    private static volatile int checksum;

    private final Map<Integer, Entry> index = new HashMap<>();

    private static final class Entry {
        private final int size;
        private final List<String> tags;

        private Entry(int size) {
            this.size = size;
            this.tags = size % 8 == 0 ? new ArrayList<>(List.of("image", "large-" + size % 100)) : List.of();
        }
    }

    private void fill() {
        for (int i = 0; i < ENTRIES; i++) {
            index.put(i, new Entry(i));
        }
    }

    private static int receive(ByteBuffer buffer, int upload) {
        for (int i = 0; i < 4096; i++) {
            buffer.putInt(upload ^ i); // what the socket would have
        }
        buffer.flip();
        int sum = 0;
        while (buffer.hasRemaining()) {
            sum = sum * 31 + buffer.getInt();
        }
        return sum;
    }

    private int upload(int n) {
        ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
        int sum = receive(buffer, n);
        Entry entry = index.get(Math.floorMod(sum, ENTRIES));
        return sum ^ entry.size ^ entry.tags.size();
    }

    private void serve(int worker) {
        try {
            for (int n = worker;; n += WORKERS) {
                try (Scope request = Wick.span("POST /upload")) {
                    checksum ^= upload(n);
                }
                Thread.sleep(5); // the next upload
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) {
        OffHeapPerUpload service = new OffHeapPerUpload();
        service.fill();
        for (int i = 0; i < WORKERS; i++) {
            int worker = i;
            new Thread(() -> service.serve(worker), "upload-" + i).start();
        }
        System.out.println("READY");
    }
}
