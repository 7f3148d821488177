// SPDX-License-Identifier: Apache-2.0
// cause: a new edition is published before its classes are initialised, so the first clerk who calls EditionTariff.dues runs the static initialiser of HarbourFees$RateTable (fetch: 60 questions to the register, about 0.75 s), and all other clerks wait for the end of that class initialisation, every 1.2 s anew.
// share: faulty 62 to 1422 port calls/s (mean 640); fixed (the publisher has the class initialised before it exchanges the module) 2924 to 3885 port calls/s (mean 3380); on a crowded machine.
// expect: waiting frame=HarbourFees$EditionTariff.dues kind=class-init | waiting holder=HarbourFees$RateTable kind=class-init
// symptom: waiting class-unloading
// judge: NAMED: clerks wait for the initialisation of class HarbourFees$RateTable (its static initialiser fetch, which reads from a socket), from HarbourFees$EditionTariff.dues or RateTable.of; load and initialise before the edition is put into force. That fetch asks 60 questions one after another is right in addition. SYMPTOM ONLY: one clerk waits for answers of the register in RateTable.fetch, without saying that the others wait for that class; classes are loaded again and again. WRONG: a deadlock, a contended monitor of the program, the class loader's lock, the sleep of 2 ms of clerk, the publisher's sleep, CPU or collections.
// jdk: 21
// set: twenty-ninth
// jvm:

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;

/** Works out port dues by the tariff in force; the tariff module is exchanged whenever the port publishes an edition. */
public class HarbourFees {
    static final int CLERKS = 8;
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final long SPAN = Long.getLong("span", 170);
    static final LongAdder calls = new LongAdder();
    static final LongAdder nanos = new LongAdder();
    static volatile Tariff current;

    /** What a module of an edition offers. */
    public interface Tariff {
        long dues(int berth, int tonnes, int hours);
    }

    /** The rates of one edition, by berth. */
    public static final class RateTable {
        static final long[] CENTS = fetch();

        private static long[] fetch() {
            long[] cents = new long[60];
            try (Socket s = new Socket(InetAddress.getLoopbackAddress(), Integer.getInteger("harbour.port"));
                    BufferedReader in = new BufferedReader(new InputStreamReader(s.getInputStream()));
                    PrintWriter out = new PrintWriter(s.getOutputStream(), true)) {
                for (int berth = 0; berth < cents.length; berth++) {
                    out.println(berth);
                    cents[berth] = Long.parseLong(in.readLine());
                }
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
            return cents;
        }

        static long of(int berth) {
            return CENTS[berth % CENTS.length];
        }
    }

    /** The module's rules. */
    public static final class EditionTariff implements Tariff {
        @Override
        public long dues(int berth, int tonnes, int hours) {
            long base = RateTable.of(berth) * tonnes / 100;
            long stay = hours <= 6 ? base : base + base * (hours - 6) / 24;
            return tonnes > 50_000 ? stay * 9 / 10 : stay;
        }
    }

    /** Loads the classes of an edition anew, apart from those of the one before. */
    static final class EditionLoader extends URLClassLoader {
        EditionLoader(URL[] urls) {
            super(urls, HarbourFees.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.endsWith("$EditionTariff") || name.endsWith("$RateTable")) {
                synchronized (getClassLoadingLock(name)) {
                    Class<?> c = findLoadedClass(name);
                    return c != null ? c : findClass(name);
                }
            }
            return super.loadClass(name, resolve);
        }
    }

    /** Brings editions into force. */
    static final class Publisher extends Thread {
        Publisher() {
            super("publisher");
            setDaemon(true);
        }

        void publish() throws Exception {
            URL[] urls = {HarbourFees.class.getProtectionDomain().getCodeSource().getLocation()};
            EditionLoader loader = new EditionLoader(urls);
            Tariff next = (Tariff) loader.loadClass("HarbourFees$EditionTariff").getDeclaredConstructor().newInstance();
            if (FIXED) {
                next.dues(0, 1, 1);
            }
            current = next;
        }

        @Override
        public void run() {
            try {
                while (true) {
                    Thread.sleep(1200);
                    publish();
                }
            } catch (Exception e) {
                e.printStackTrace();
            }
        }
    }

    /** The port authority's register of rates. */
    static void register(ServerSocket server) {
        while (true) {
            try (Socket s = server.accept();
                    BufferedReader in = new BufferedReader(new InputStreamReader(s.getInputStream()));
                    PrintWriter out = new PrintWriter(s.getOutputStream(), true)) {
                String line;
                while ((line = in.readLine()) != null) {
                    Thread.sleep(12);
                    out.println(700 + Integer.parseInt(line) * 13 + ThreadLocalRandom.current().nextInt(20));
                }
            } catch (IOException | InterruptedException e) {
                return;
            }
        }
    }

    /** Works out the dues of calls as ships report them. */
    static void clerk(long end) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        long total = 0;
        try {
            while (System.nanoTime() < end) {
                long start = System.nanoTime();
                Tariff tariff = current;
                for (int stop = 0; stop < 4; stop++) {
                    total += tariff.dues(random.nextInt(60), random.nextInt(1_000, 90_000), random.nextInt(1, 72));
                }
                nanos.add(System.nanoTime() - start);
                calls.increment();
                Thread.sleep(2);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (total == 1) {
            System.out.println("one cent");
        }
    }

    public static void main(String[] args) throws Exception {
        ServerSocket server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        System.setProperty("harbour.port", String.valueOf(server.getLocalPort()));
        Thread register = new Thread(() -> register(server), "rate-register");
        register.setDaemon(true);
        register.start();
        Publisher publisher = new Publisher();
        publisher.publish();
        publisher.start();
        long end = System.nanoTime() + SPAN * 1_000_000_000L;
        for (int i = 0; i < CLERKS; i++) {
            Thread t = new Thread(() -> clerk(end), "clerk-" + i);
            t.setDaemon(true);
            t.start();
        }
        System.out.println("READY");
        long lastCalls = 0;
        long lastNanos = 0;
        while (System.nanoTime() < end) {
            Thread.sleep(1000);
            long c = calls.sum();
            long n = nanos.sum();
            System.out.printf("measured: %d port calls/s, mean %.3f ms%n", c - lastCalls, (n - lastNanos) / 1e6 / Math.max(1, c - lastCalls));
            lastCalls = c;
            lastNanos = n;
        }
        System.exit(0);
    }
}
