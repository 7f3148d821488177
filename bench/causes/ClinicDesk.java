// SPDX-License-Identifier: Apache-2.0
// healthy: a clinic's appointment server: connections of a pool that suffices, a small database behind sockets that
// judge: answers at once, a buffered log. ~20 % of a CPU. Nothing is wrong; every finding is wrong.
// jdk: 8
// set: thirteenth

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.BufferedWriter;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.File;
import java.io.FileWriter;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;

public class ClinicDesk {
    static final AtomicLong booked = new AtomicLong(), nanos = new AtomicLong();

    static class Connection {
        final DataInputStream in;
        final DataOutputStream out;

        Connection(int port) throws IOException {
            Socket s = new Socket(InetAddress.getLoopbackAddress(), port);
            s.setTcpNoDelay(true);
            in = new DataInputStream(new BufferedInputStream(s.getInputStream()));
            out = new DataOutputStream(new BufferedOutputStream(s.getOutputStream()));
        }

        String query(String sql) throws IOException {
            out.writeUTF(sql);
            out.flush();
            return in.readUTF();
        }
    }

    static void database(Socket s) {
        try {
            s.setTcpNoDelay(true);
            DataInputStream in = new DataInputStream(new BufferedInputStream(s.getInputStream()));
            DataOutputStream out = new DataOutputStream(new BufferedOutputStream(s.getOutputStream()));
            while (true) {
                String sql = in.readUTF();
                int hash = 7;
                for (int i = 0; i < 200; i++) {
                    hash = hash * 31 + sql.charAt(i % sql.length());
                }
                StringBuilder row = new StringBuilder();
                for (int i = 0; i < 12; i++) {
                    row.append("slot").append(i).append('=').append((hash >>> i & 1) == 0 ? "free" : "taken").append(';');
                }
                out.writeUTF(row.toString());
                out.flush();
            }
        } catch (IOException e) {
            System.err.println(e);
        }
    }

    static class Log {
        private final BufferedWriter out;
        private long lines;

        Log(File file) throws IOException {
            out = new BufferedWriter(new FileWriter(file), 1 << 15);
        }

        synchronized void line(String text) throws IOException {
            if (++lines < 200_000) {
                out.write(text);
                out.newLine();
            }
        }
    }

    static void book(BlockingQueue<Connection> pool, Log log, int patient) throws IOException, InterruptedException {
        long from = System.nanoTime();
        Connection c = pool.take();
        String day;
        try {
            day = c.query("select * from slots where doctor = " + patient % 23);
            c.query("update slots set patient = " + patient + " where slot = " + day.indexOf("free"));
        } finally {
            pool.put(c);
        }
        int free = 0;
        for (String slot : day.split(";")) {
            free += slot.endsWith("=free") ? 1 : 0;
        }
        log.line(System.currentTimeMillis() + " patient " + patient + " of " + free + " slots");
        booked.incrementAndGet();
        nanos.addAndGet(System.nanoTime() - from);
    }

    public static void main(String[] args) throws Exception {
        final ServerSocket listener = new ServerSocket(0, 20, InetAddress.getLoopbackAddress());
        new Thread(() -> {
            try {
                while (true) {
                    Socket s = listener.accept();
                    new Thread(() -> database(s), "database").start();
                }
            } catch (IOException e) {
                System.err.println(e);
            }
        }, "database-accept").start();
        BlockingQueue<Connection> pool = new ArrayBlockingQueue<>(8);
        for (int i = 0; i < 8; i++) {
            pool.put(new Connection(listener.getLocalPort()));
        }
        File file = File.createTempFile("clinic", ".log");
        file.deleteOnExit();
        Log log = new Log(file);
        ExecutorService desk = Executors.newFixedThreadPool(8);
        Thread phones = new Thread(() -> {
            try {
                while (true) {
                    int patient = ThreadLocalRandom.current().nextInt(100_000);
                    desk.submit(() -> {
                        book(pool, log, patient);
                        return null;
                    });
                    Thread.sleep(2);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }, "phones");
        phones.start();
        System.out.println("READY");
        while (true) {
            Thread.sleep(1000);
            long n = Math.max(1, booked.getAndSet(0));
            System.out.printf("measured: %d bookings/s of %d us%n", n, nanos.getAndSet(0) / n / 1000);
        }
    }
}
