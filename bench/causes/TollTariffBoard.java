// SPDX-License-Identifier: Apache-2.0
// cause: TollTariffBoard.reload (thread tariff-reload) takes the write lock first and keeps it while it reads the whole tariff line by line from the slow tariff office socket; all gantry threads wait for the read lock in TollTariffBoard.price until then.
// share: about 80 % of the gantries' time is spent waiting for the lock; fixed is 5 times better (690 against 3300 vehicles/s, mean 11 ms against 0.01 ms)
// judge: Must say that the gantry threads wait in TollTariffBoard.price for the ReentrantReadWriteLock which thread tariff-reload holds in TollTariffBoard.reload (during its socket read). Only "slow socket reads" or "threads are parked" without the lock's holder is a symptom; sleeping between vehicles is no fault.
// expect: waiting waiter=TollTariffBoard.price frame=TollTariffBoard.receive | waiting waiter=TollTariffBoard.price frame=TollTariffBoard.reload
// symptom: waiting
// set: twentieth
// jdk: 17
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

public class TollTariffBoard {
    private final ReadWriteLock lock = new ReentrantReadWriteLock();
    private Map<String, Integer> cents = new HashMap<>();
    private final int officePort;
    private final boolean aside = Boolean.getBoolean("fixed");
    final LongAdder priced = new LongAdder();
    final LongAdder nanos = new LongAdder();

    TollTariffBoard(int officePort) {
        this.officePort = officePort;
    }

    int price(String section, int axles) {
        lock.readLock().lock();
        try {
            return cents.getOrDefault(section, 100) * axles;
        } finally {
            lock.readLock().unlock();
        }
    }

    void reload() throws Exception {
        if (aside) {
            Map<String, Integer> next = new HashMap<>();
            receive(next);
            lock.writeLock().lock();
            try {
                cents = next;
            } finally {
                lock.writeLock().unlock();
            }
            return;
        }
        lock.writeLock().lock();
        try {
            cents.clear();
            receive(cents);
        } finally {
            lock.writeLock().unlock();
        }
    }

    private void receive(Map<String, Integer> into) throws Exception {
        try (Socket s = new Socket(InetAddress.getLoopbackAddress(), officePort);
             BufferedReader in = new BufferedReader(new InputStreamReader(s.getInputStream()))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                int cut = line.indexOf('=');
                into.put(line.substring(0, cut), Integer.parseInt(line.substring(cut + 1)));
            }
        }
    }

    void gantry(int number) {
        ThreadLocalRandom r = ThreadLocalRandom.current();
        try {
            while (true) {
                Thread.sleep(1 + r.nextInt(3));
                long t = System.nanoTime();
                int sum = 0;
                for (int leg = 0; leg < 5; leg++) {
                    sum += price("A" + (number + leg * 37 + r.nextInt(200)), 2 + r.nextInt(4));
                }
                if (sum > 0) {
                    priced.increment();
                    nanos.add(System.nanoTime() - t);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static void office(ServerSocket server) {
        while (true) {
            try (Socket s = server.accept(); PrintWriter out = new PrintWriter(s.getOutputStream())) {
                for (int page = 0; page < 12; page++) {
                    Thread.sleep(20);
                    for (int row = 0; row < 30; row++) {
                        out.print("A" + (page * 30 + row) + "=" + (80 + row) + "\n");
                    }
                    out.flush();
                }
            } catch (Exception e) {
                return;
            }
        }
    }

    static void start(String name, Runnable r) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        ServerSocket server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        TollTariffBoard board = new TollTariffBoard(server.getLocalPort());
        start("tariff-office", () -> office(server));
        board.reload();
        start("tariff-reload", () -> {
            try {
                while (true) {
                    board.reload();
                    Thread.sleep(60);
                }
            } catch (Exception e) {
                System.err.println("tariff office: " + e);
            }
        });
        for (int i = 0; i < 10; i++) {
            int n = i;
            start("gantry-" + n, () -> board.gantry(n));
        }
        System.out.println("READY");
        for (int s = 0; s < 220; s++) {
            Thread.sleep(1000);
            long n = board.priced.sumThenReset();
            long ns = board.nanos.sumThenReset();
            System.out.printf("measured: %d vehicles/s, mean %.3f ms%n", n, n == 0 ? 0 : ns / 1e6 / n);
        }
    }
}
