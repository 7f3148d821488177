// SPDX-License-Identifier: Apache-2.0
// cause: each sale first tries to connect to an acquirer's host that hangs and takes no connections (its listening queue is full), until the connect time-out of 650 ms, before it asks the second one: FuelForecourt$CardAuthorisation.dial, called by authorise, does not remember that the host was dead a moment ago
// share: 653 of 655 ms of each authorisation is spent to connect to the first host; 9.8 of the 10 pumps are there all the time
// expect: listen-overflow frame=FuelForecourt$CardAuthorisation.dial | waiting kind=connect frame=FuelForecourt$CardAuthorisation
// symptom: slow-accept listen-overflow
// judge: NAMED: waiting for connections to be made (connect) at FuelForecourt$CardAuthorisation.dial or authorise; or a full listening queue (listen-overflow) that says that threads wait to connect at that place. With or without the address, the time-outs and that nobody accepts there. SYMPTOM ONLY: a full listening queue, dropped connection attempts or connections nobody accepts without the place (dial, authorise, Pump) that waits for them. WRONG: anything else first (the sleep in Pump.run or rest, waiting for answers in CardAuthorisation.ask, a slow acceptor host-b-door, the pool host-b, a process that does nothing or nothing that stands out)
// jdk: 25
// set: thirty-fourth
// jvm: -Xmx256m
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;

/** Card terminals of a chain of filling stations: each sale is authorised by one of two hosts of the acquirer. */
public class FuelForecourt {
    static final int PUMPS = 10;
    static final AtomicLong SALES = new AtomicLong();
    static final AtomicLong AUTHORISE_NS = new AtomicLong();
    static final AtomicLong FIRST_HOST_NS = new AtomicLong();
    static final AtomicLong DECLINED = new AtomicLong();

    record Sale(int pump, long card, int cents) {}

    record AcquirerHost(String name, InetSocketAddress address) {}

    /** Asks the hosts in the order of the contract. */
    static final class CardAuthorisation {
        private static final int CONNECT_MS = 650;
        private static final int ANSWER_MS = 5000;
        private final List<AcquirerHost> hosts;

        CardAuthorisation(List<AcquirerHost> hosts) {
            this.hosts = hosts;
        }

        boolean authorise(Sale sale) {
            for (AcquirerHost host : hosts) {
                try (Socket line = dial(host)) {
                    return ask(line, sale);
                } catch (IOException e) {
                    continue;
                }
            }
            return false;
        }

        private Socket dial(AcquirerHost host) throws IOException {
            long begin = System.nanoTime();
            Socket line = new Socket();
            try {
                line.setTcpNoDelay(true);
                line.connect(host.address(), CONNECT_MS);
                line.setSoTimeout(ANSWER_MS);
                return line;
            } catch (SocketTimeoutException e) {
                line.close();
                throw e;
            } finally {
                if (host == hosts.get(0)) {
                    FIRST_HOST_NS.addAndGet(System.nanoTime() - begin);
                }
            }
        }

        private boolean ask(Socket line, Sale sale) throws IOException {
            DataOutputStream out = new DataOutputStream(new java.io.BufferedOutputStream(line.getOutputStream()));
            out.writeLong(sale.card());
            out.writeInt(sale.cents());
            out.flush();
            return new DataInputStream(line.getInputStream()).readBoolean();
        }
    }

    static final class Pump implements Runnable {
        private final int number;
        private final CardAuthorisation cards;
        private final Random random;

        Pump(int number, CardAuthorisation cards) {
            this.number = number;
            this.cards = cards;
            this.random = new Random(number);
        }

        @Override
        public void run() {
            while (true) {
                Sale sale = new Sale(number, cardNumber(), 1000 + random.nextInt(9000));
                long begin = System.nanoTime();
                if (!cards.authorise(sale)) {
                    DECLINED.incrementAndGet();
                }
                AUTHORISE_NS.addAndGet(System.nanoTime() - begin);
                SALES.incrementAndGet();
                rest(20 + random.nextInt(60));
            }
        }

        private long cardNumber() {
            long number = 4_000_000_000_00000L + random.nextInt(1_000_000_000);
            int sum = 0;
            int place = 0;
            for (long n = number; n > 0; n /= 10) {
                int digit = (int) (n % 10) * (place++ % 2 == 0 ? 2 : 1);
                sum += digit > 9 ? digit - 9 : digit;
            }
            return number * 10 + (10 - sum % 10) % 10;
        }
    }

    /** The acquirer's second data centre. */
    static AcquirerHost secondHost() throws IOException {
        ServerSocket door = new ServerSocket(0, 128, InetAddress.getLoopbackAddress());
        ExecutorService lines = Executors.newFixedThreadPool(6, r -> {
            Thread thread = new Thread(r, "host-b");
            thread.setDaemon(true);
            return thread;
        });
        Thread.ofPlatform().daemon().name("host-b-door").start(() -> {
            while (true) {
                try {
                    Socket line = door.accept();
                    lines.execute(() -> decide(line));
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        });
        return new AcquirerHost("host-b", new InetSocketAddress(InetAddress.getLoopbackAddress(), door.getLocalPort()));
    }

    static void decide(Socket line) {
        try (line) {
            DataInputStream in = new DataInputStream(line.getInputStream());
            long card = in.readLong();
            int cents = in.readInt();
            new DataOutputStream(line.getOutputStream()).writeBoolean((card ^ cents) % 50 != 0);
        } catch (IOException e) {
            // the terminal has gone
        }
    }

    static final List<Object> OPEN = new ArrayList<>();

    /** The acquirer's first data centre. */
    static AcquirerHost firstHost() throws IOException {
        ServerSocket door = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), door.getLocalPort());
        OPEN.add(door);
        for (int i = 0; i < 4; i++) {
            Socket earlier = new Socket();
            OPEN.add(earlier);
            try {
                earlier.connect(address, 200);
            } catch (SocketTimeoutException e) {
                break;
            }
        }
        return new AcquirerHost("host-a", address);
    }

    static void rest(long ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws Exception {
        CardAuthorisation cards = new CardAuthorisation(List.of(firstHost(), secondHost()));
        for (int pump = 1; pump <= PUMPS; pump++) {
            new Thread(new Pump(pump, cards), "pump-" + pump).start();
        }
        long sales = 0;
        long whole = 0;
        long first = 0;
        long at = System.nanoTime();
        for (int report = 1;; report++) {
            rest(2000);
            long now = System.nanoTime();
            long n = SALES.get();
            long w = AUTHORISE_NS.get();
            long f = FIRST_HOST_NS.get();
            double count = Math.max(1, n - sales);
            System.out.printf("measured: %.1f sales/s, %.0f ms to authorise each, %.0f ms of it to connect to the first host; %.1f of %d pumps wait for that; %d declined%n",
                (n - sales) * 1e9 / (now - at), (w - whole) / 1e6 / count, (f - first) / 1e6 / count,
                (f - first) / (double) (now - at), PUMPS, DECLINED.get());
            sales = n;
            whole = w;
            first = f;
            at = now;
            if (report == 2) {
                System.out.println("READY");
                System.out.flush();
            }
        }
    }
}
