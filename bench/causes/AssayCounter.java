// SPDX-License-Identifier: Apache-2.0
// cause: AssayCounter$Balance.settle waits a fixed 60 ms in native code (poll() of the C library, called through the foreign linker) after each of the four commands of a weighing, though the balance is stable 3 ms after a command: a request takes 240 ms for it
// share: 98 to 100 % of the time of each request (four times 60 ms of about 245 ms), as measured; 12 ms would do
// expect: waiting frame=AssayCounter$Libc.rest | waiting frame=AssayCounter$Balance
// symptom: waiting pool-busy
// judge: NAMED: waiting in native code (or: for a timer/poll of the C library, native sleep) at AssayCounter$Balance.settle, or at the methods around it (Balance.command, Balance.weigh, WeighDesk.handle, or the method handle it calls, Libc.rest) within the request GET /weigh. SYMPTOM ONLY: waiting for a server's answer at AssayCounter$Counter.ask / run (the clients in the same process) without saying what the server's threads do; the pool assay-desk is busy, without the native wait. WRONG: anything about CPU, Balance.mean, collections, locks, the machine, or that nothing is wrong
// jdk: 17
// set: thirty-fourth
// jvm: --add-modules jdk.incubator.foreign --enable-native-access=ALL-UNNAMED
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Array;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** The counter of an assay office: a service that weighs what is on a tray, with six balances on serial lines. */
public class AssayCounter {
    static final int TRAYS = 6;
    static final LongAdder requests = new LongAdder(), requestNanos = new LongAdder();
    static final LongAdder settleNanos = new LongAdder(), stableNanos = new LongAdder(), commands = new LongAdder();

    /** What the driver needs of the C library, bound by name: the linker's package is still an incubator's. */
    static final class Libc {
        private static final MethodHandle POLL = bind();

        private static MethodHandle bind() {
            try {
                Class<?> linker = Class.forName("jdk.incubator.foreign.CLinker");
                Class<?> lookup = Class.forName("jdk.incubator.foreign.SymbolLookup");
                Class<?> layout = Class.forName("jdk.incubator.foreign.MemoryLayout");
                Class<?> descriptor = Class.forName("jdk.incubator.foreign.FunctionDescriptor");
                Class<?> address = Class.forName("jdk.incubator.foreign.MemoryAddress");
                Class<?> addressable = Class.forName("jdk.incubator.foreign.Addressable");
                Object c = linker.getMethod("getInstance").invoke(null);
                Object system = linker.getMethod("systemLookup").invoke(null);
                Object symbol = ((Optional<?>) lookup.getMethod("lookup", String.class).invoke(system, "poll")).get();
                Object arguments = Array.newInstance(layout, 3);
                Array.set(arguments, 0, linker.getField("C_POINTER").get(null));
                Array.set(arguments, 1, linker.getField("C_LONG").get(null));
                Array.set(arguments, 2, linker.getField("C_INT").get(null));
                Object type = descriptor.getMethod("of", layout, arguments.getClass())
                    .invoke(null, linker.getField("C_INT").get(null), arguments);
                MethodHandle handle = (MethodHandle) linker
                    .getMethod("downcallHandle", addressable, MethodType.class, descriptor)
                    .invoke(c, symbol, MethodType.methodType(int.class, address, long.class, int.class), type);
                return MethodHandles.insertArguments(handle, 0, address.getField("NULL").get(null), 0L);
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        static int rest(int millis) throws Throwable {
            return (int) POLL.invokeExact(millis);
        }
    }

    /** One balance on its line. After each command the pan swings for a moment, then the stable flag is set. */
    static final class Balance {
        private static final int SETTLE_MS = 60;      // manual of 1994, p. 14
        private final double[] swing = new double[512];
        private long stableAt;

        synchronized double weigh(int gramsTimes1000) throws IOException {
            command("TARE", 0);
            command("UNIT g", 0);
            command("FILTER 2", gramsTimes1000);
            command("PRINT", gramsTimes1000);
            return mean();
        }

        private void command(String text, int load) throws IOException {
            long sent = System.nanoTime();
            stableAt = sent + 3_000_000;
            double amplitude = load / 1000.0 * 0.01;
            for (int i = 0; i < swing.length; i++)
                swing[i] = load / 1000.0 + amplitude * Math.cos(i * 0.7 + text.length()) * Math.exp(-i / 40.0);
            settle();
            long now = System.nanoTime();
            if (now < stableAt)
                throw new IOException(text + ": not stable");
            commands.increment();
            settleNanos.add(now - sent);
            stableNanos.add(stableAt - sent);
        }

        private void settle() throws IOException {
            try {
                Libc.rest(SETTLE_MS);
            } catch (Throwable e) {
                throw new IOException(e);
            }
        }

        private double mean() {
            double sum = 0;
            for (double s : swing)
                sum += s;
            return sum / swing.length;
        }
    }

    static final class WeighDesk implements HttpHandler {
        private final Balance[] balances = new Balance[TRAYS];

        WeighDesk() {
            for (int i = 0; i < TRAYS; i++)
                balances[i] = new Balance();
        }

        @Override public void handle(HttpExchange exchange) throws IOException {
            long begin = System.nanoTime();
            String query = exchange.getRequestURI().getQuery();
            int tray = Integer.parseInt(query.substring(query.indexOf('=') + 1));
            double grams = balances[tray].weigh(31_103 + tray);
            byte[] body = ("tray " + tray + ": " + Math.round(grams * 1000) / 1000.0 + " g\n").getBytes(StandardCharsets.US_ASCII);
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
            requests.increment();
            requestNanos.add(System.nanoTime() - begin);
        }
    }

    /** A clerk at the counter, with a tray of his own. */
    static final class Counter implements Runnable {
        private final URL url;

        Counter(int port, int tray) throws IOException {
            url = new URL("http://127.0.0.1:" + port + "/weigh?tray=" + tray);
        }

        private int ask() throws IOException {
            HttpURLConnection connection = (HttpURLConnection) url.openConnection();
            try (InputStream in = connection.getInputStream()) {
                return in.readAllBytes().length;
            }
        }

        @Override public void run() {
            while (true) {
                try {
                    ask();
                    Thread.sleep(20);
                } catch (IOException e) {
                    System.err.println("clerk: " + e);
                } catch (InterruptedException e) {
                    return;
                }
            }
        }
    }

    public static void main(String[] args) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0), 64);
        AtomicInteger number = new AtomicInteger();
        ExecutorService desk = Executors.newFixedThreadPool(TRAYS + 2, r -> new Thread(r, "assay-desk-" + number.incrementAndGet()));
        server.setExecutor(desk);
        server.createContext("/weigh", new WeighDesk());
        server.start();
        for (int i = 0; i < TRAYS; i++)
            new Thread(new Counter(server.getAddress().getPort(), i), "clerk-" + i).start();
        for (int second = 0; ; second++) {
            Thread.sleep(1000);
            long n = requests.sumThenReset(), c = Math.max(1, commands.sumThenReset());
            double each = requestNanos.sumThenReset() / 1e6 / Math.max(1, n), settled = settleNanos.sumThenReset() / 1e6 / c;
            System.out.printf("measured: %d requests, %.0f ms each, %.0f %% of it settling; %.0f ms a command, stable after %.0f ms%n",
                n, each, each > 0 ? 400 * settled / each : 0, settled, stableNanos.sumThenReset() / 1e6 / c);
            if (second == 2) {
                System.out.println("READY");
                System.out.flush();
            }
        }
    }
}
