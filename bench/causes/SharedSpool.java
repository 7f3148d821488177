// SPDX-License-Identifier: Apache-2.0
// cause: another process holds the lock of the spool file most of the time
// expect: waiting frame=SharedSpool.append
// symptom: waiting
// jdk: 21
// set: seventh

import java.io.*;
import java.nio.ByteBuffer;
import java.nio.channels.*;
import java.nio.file.*;
import java.util.concurrent.*;

public class SharedSpool {
    static void append(FileChannel spool, String job) throws IOException {
        try (FileLock lock = spool.lock()) {
            spool.position(spool.size() % 1_000_000);
            spool.write(ByteBuffer.wrap((job + "\n").getBytes()));
        }
    }

    static void printer(Path file) throws Exception {
        new Thread(() -> {
            try {
                while (System.in.read() >= 0) { }
            } catch (IOException e) {
                // the caller is gone
            }
            System.exit(0);
        }).start();
        try (FileChannel spool = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            System.out.println("started");
            while (true) {
                try (FileLock lock = spool.lock()) {
                    Thread.sleep(120);
                }
                Thread.sleep(3);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        if (args.length > 0) {
            printer(Paths.get(args[0]));
            return;
        }
        Path file = Path.of("spool.q");
        file.toFile().deleteOnExit();
        Process child = new ProcessBuilder(System.getProperty("java.home") + "/bin/java", "-Xmx16m", "-cp",
                System.getProperty("java.class.path"), "SharedSpool", file.toString()).start();
        new BufferedReader(new InputStreamReader(child.getInputStream())).readLine();
        BlockingQueue<String> jobs = new LinkedBlockingQueue<>(64);
        FileChannel spool = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.READ);
        new Thread(() -> {
            try {
                while (true)
                    append(spool, jobs.take());
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }, "spooler").start();
        for (int n = 0; n < 3; n++) {
            int number = n;
            new Thread(() -> {
                try {
                    for (int i = 0; ; i++)
                        jobs.put("label " + number + "/" + i);
                } catch (InterruptedException e) {
                    // ends
                }
            }, "desk-" + n).start();
        }
        System.out.println("READY");
    }
}
