// SPDX-License-Identifier: Apache-2.0
// cause: WeighTickets$TicketBook.line writes each of the about 25 lines of a weighbridge ticket by a write of its own to a file that TicketBook opens with DSYNC, so that every line waits until the disk has it
// share: 90 to 99 % of the time of the 5 lane threads is spent within TicketBook.line ("writing" in the measured lines); 0.3 to 0.4 ms or more for each line; the process uses less than 0.8 CPUs, most of that in the kernel for these writes
// expect: waiting kind=file-sync frame=WeighTickets$TicketBook | hot-calls forces=disk
// symptom: waiting hot-calls disk-wait
// judge: NAMED: threads wait for writes to a file (file-write; or for the disk, or that writes are forced to the disk: file-sync, DSYNC) at WeighTickets$TicketBook.line (or its callers TicketBook.post, Lane.weigh). SYMPTOM ONLY: says that the disk is slow or busy (disk-wait) without a place in TicketBook; or only that CPU time is in what TicketBook.line calls (write), without waiting. WRONG: Thread.sleep at WeighTickets$Lane.run as the main finding, locks, computing in Tariff, collections, nothing stands out.
// jdk: 21
// set: thirty-sixth

import java.io.*;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.atomic.*;

public class WeighTickets {
    static final AtomicLong tickets = new AtomicLong(), lines = new AtomicLong(), writingNanos = new AtomicLong(), allNanos = new AtomicLong();

    record Load(String plate, int grossKilos, int tareKilos, List<String> materials, double moisture) { }

    /** What a quarry takes for a load. */
    static final class Tariff {
        private final Map<String, Double> perTonne = new TreeMap<>();

        Tariff() {
            String[] names = {"gravel 0/16", "gravel 16/32", "sand", "split 2/5", "split 5/8", "topsoil", "rubble", "basalt"};
            for (int i = 0; i < names.length; i++) perTonne.put(names[i], 6.5 + i * 1.35);
        }

        List<String> materials() { return new ArrayList<>(perTonne.keySet()); }

        double price(String material, double tonnes, double moisture) {
            double dry = tonnes;
            for (int i = 0; i < 200; i++) dry = tonnes * (1 - moisture * Math.exp(-dry / 40));
            return perTonne.get(material) * dry;
        }
    }

    /** The book of one lane; the office of weights needs every line to be there after a power cut. */
    static final class TicketBook {
        private static final long FULL = 8 << 20;
        private final FileChannel channel;
        private long size;

        TicketBook(int lane) throws IOException {
            Path path = Files.createTempFile("tickets-" + lane + "-", ".txt");
            path.toFile().deleteOnExit();
            channel = FileChannel.open(path, StandardOpenOption.WRITE, StandardOpenOption.DSYNC);
        }

        void post(Load load, Tariff tariff, long number) throws IOException {
            line("ticket " + number);
            line("plate " + load.plate());
            line("gross " + load.grossKilos() + " kg");
            line("tare " + load.tareKilos() + " kg");
            int net = load.grossKilos() - load.tareKilos();
            line("net " + net + " kg");
            double total = 0;
            for (String material : load.materials()) {
                double tonnes = net / 1000.0 / load.materials().size();
                double price = tariff.price(material, tonnes, load.moisture());
                total += price;
                line("material " + material);
                line("  tonnes " + Math.round(tonnes * 1000) / 1000.0);
                line("  price " + Math.round(price * 100) / 100.0);
            }
            line("total " + Math.round(total * 100) / 100.0);
            line("");
        }

        void line(String text) throws IOException {
            long from = System.nanoTime();
            ByteBuffer bytes = ByteBuffer.wrap((text + "\n").getBytes(StandardCharsets.UTF_8));
            if (size > FULL) size = 0;
            while (bytes.hasRemaining()) size += channel.write(bytes, size);
            lines.incrementAndGet();
            writingNanos.addAndGet(System.nanoTime() - from);
        }
    }

    static final class Lane implements Runnable {
        final int number;
        final Tariff tariff;
        final TicketBook book;
        final Random random;

        Lane(int number, Tariff tariff) throws IOException {
            this.number = number;
            this.tariff = tariff;
            book = new TicketBook(number);
            random = new Random(number);
        }

        @Override public void run() {
            for (long n = number * 1_000_000L; ; n++) {
                long from = System.nanoTime();
                try {
                    weigh(n);
                    if (n % 20 == 0) Thread.sleep(1); // the barrier opens
                } catch (IOException | InterruptedException e) {
                    System.out.println("lane " + number + ": " + e);
                    return;
                }
                tickets.incrementAndGet();
                allNanos.addAndGet(System.nanoTime() - from);
            }
        }

        void weigh(long n) throws IOException {
            List<String> materials = tariff.materials();
            Collections.shuffle(materials, random);
            int tare = 9000 + random.nextInt(6000);
            Load load = new Load("Q-" + random.nextInt(9000), tare + 5000 + random.nextInt(20000), tare,
                materials.subList(0, 5 + random.nextInt(3)), 0.02 + random.nextDouble() * 0.1);
            book.post(load, tariff, n);
        }
    }

    public static void main(String[] args) throws Exception {
        Tariff tariff = new Tariff();
        for (int i = 1; i <= 5; i++) new Thread(new Lane(i, tariff), "lane-" + i).start();
        long done = 0, written = 0, writing = 0, all = 0;
        for (int s = 1; ; s++) {
            Thread.sleep(1000);
            long d = tickets.get(), l = lines.get(), w = writingNanos.get(), a = allNanos.get();
            System.out.printf("measured: %d tickets, %d lines, %.2f ms a line, writing %.0f %% of the lanes' time%n",
                d - done, l - written, (w - writing) / 1e6 / Math.max(1, l - written), (w - writing) * 100.0 / Math.max(1, a - all));
            done = d;
            written = l;
            writing = w;
            all = a;
            if (s == 3) System.out.println("READY");
            System.out.flush();
        }
    }
}
