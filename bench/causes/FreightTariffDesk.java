// SPDX-License-Identifier: Apache-2.0
// cause: FreightTariffDesk$TariffLink.dial tries the standby tariff server first, for each quote anew: that server has its port open but takes no connection (FreightTariffDesk$Standby never accepts), so each attempt to connect ends by its time-out of 800 ms before the primary server is asked
// share: 803 of 804 ms of each quote are spent until connected; 11 of 12 desks wait in connect at any time; 13 attempts a second run out of time
// expect: waiting kind=connect frame=FreightTariffDesk$TariffLink.dial | listen-overflow frame=FreightTariffDesk$TariffLink.dial
// symptom: waiting listen-overflow slow-accept
// judge: NAMED: waiting for connections to be made (connect, Socket.connect) at FreightTariffDesk$TariffLink.dial; or the queue of connections of the listening (standby) socket is full (listen-overflow) with the waits for connections at TariffLink.dial. SYMPTOM ONLY: the queue of a listening socket is full without any wait to connect; quotes are slow or waits of FreightTariffDesk$Desk without connect; connections wait to be accepted at the standby's port (slow-accept) without the waits to connect. WRONG: the primary server is slow (waiting for data of a socket, FreightTariffDesk$Primary), too few desks, collections, CPU.
// jdk: 11
// set: thirty-third
// jvm: -Xmx256m

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;

/** Desks of a freight forwarder quote prices; the tariffs come from one of two servers. */
public class FreightTariffDesk {
    static final int DESKS = 12;

    /** Serves tariffs: a line with the route, a line with the price for 100 kg. */
    static final class Primary implements Runnable {
        private final ServerSocket port;
        private final ExecutorService clerks = Executors.newFixedThreadPool(4);

        Primary(ServerSocket port) {
            this.port = port;
        }

        @Override
        public void run() {
            while (true) {
                try {
                    Socket client = port.accept();
                    clerks.execute(() -> serve(client));
                } catch (IOException e) {
                    return;
                }
            }
        }

        private void serve(Socket client) {
            try (Socket s = client) {
                s.setSoTimeout(5000);
                BufferedReader in = new BufferedReader(new InputStreamReader(s.getInputStream(), StandardCharsets.US_ASCII));
                String route = in.readLine();
                if (route != null) {
                    s.getOutputStream().write((price(route) + "\n").getBytes(StandardCharsets.US_ASCII));
                }
            } catch (IOException e) {
                // the desk asks again
            }
        }

        private int price(String route) {
            return 900 + Math.floorMod(route.hashCode() * 31, 7000);
        }
    }

    /** Has its port, so that nobody else gets it, and begins to serve when it is made the primary server. */
    static final class Standby {
        private final ServerSocket port;
        private Primary role;

        Standby(ServerSocket port) {
            this.port = port;
        }

        synchronized void promote() {
            role = new Primary(port);
            start(role, "tariffs-promoted");
        }
    }

    static final class TariffLink {
        private static final int PATIENCE = 800;
        private final List<InetSocketAddress> servers;
        final AtomicLong dialling = new AtomicLong();

        TariffLink(List<InetSocketAddress> servers) {
            this.servers = servers;
        }

        int ask(String route) throws IOException {
            IOException last = null;
            for (InetSocketAddress server : servers) {
                try (Socket s = dial(server)) {
                    OutputStream out = s.getOutputStream();
                    out.write((route + "\n").getBytes(StandardCharsets.US_ASCII));
                    String line = new BufferedReader(new InputStreamReader(s.getInputStream(), StandardCharsets.US_ASCII)).readLine();
                    if (line != null) {
                        return Integer.parseInt(line);
                    }
                } catch (IOException e) {
                    last = e;
                }
            }
            throw last != null ? last : new IOException("no tariff for " + route);
        }

        private Socket dial(InetSocketAddress server) throws IOException {
            Socket s = new Socket();
            long begun = System.nanoTime();
            try {
                s.setTcpNoDelay(true);
                s.setSoTimeout(PATIENCE);
                s.connect(server, PATIENCE);
                return s;
            } catch (IOException e) {
                s.close();
                throw e;
            } finally {
                dialling.addAndGet(System.nanoTime() - begun);
            }
        }
    }

    static final class Desk implements Runnable {
        private final TariffLink link;
        private final AtomicLong quotes, time;
        private final Random random;

        Desk(TariffLink link, AtomicLong quotes, AtomicLong time, long seed) {
            this.link = link;
            this.quotes = quotes;
            this.time = time;
            this.random = new Random(seed);
        }

        @Override
        public void run() {
            while (true) {
                long begun = System.nanoTime();
                try {
                    String route = "R" + random.nextInt(400) + "-" + random.nextInt(400);
                    int price = link.ask(route) * (5 + random.nextInt(40)) / 10;
                    if (price > 0) {
                        quotes.incrementAndGet();
                    }
                    time.addAndGet(System.nanoTime() - begun);
                    Thread.sleep(20 + random.nextInt(60));
                } catch (IOException e) {
                    // the customer calls again
                } catch (InterruptedException e) {
                    return;
                }
            }
        }
    }

    static void start(Runnable r, String name) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        InetAddress here = InetAddress.getByName("127.0.0.1");
        ServerSocket first = new ServerSocket(0, 2, here), second = new ServerSocket(0, 64, here);
        Standby standby = new Standby(first);
        start(new Primary(second), "tariffs");
        TariffLink link = new TariffLink(List.of((InetSocketAddress) first.getLocalSocketAddress(),
                (InetSocketAddress) second.getLocalSocketAddress()));
        AtomicLong quotes = new AtomicLong(), time = new AtomicLong();
        for (int i = 0; i < DESKS; i++) {
            start(new Desk(link, quotes, time, i), "desk-" + i);
        }
        Thread.sleep(6000);
        System.out.println("READY");
        System.out.flush();
        long q = quotes.get(), w = time.get(), d = link.dialling.get();
        while (standby.role == null) {
            Thread.sleep(1000);
            long qn = quotes.get(), wn = time.get(), dn = link.dialling.get(), n = Math.max(1, qn - q);
            System.out.printf(Locale.ROOT, "measured: %d quotes/s, %.0f ms each, %.0f ms of it until connected%n",
                    qn - q, (wn - w) / 1e6 / n, (dn - d) / 1e6 / n);
            System.out.flush();
            q = qn;
            w = wn;
            d = dn;
        }
    }
}
