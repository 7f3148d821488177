// SPDX-License-Identifier: Apache-2.0
// cause: The requests of the bureau wait for a pipe: PostcodeBureau$Gazetteer.receive reads the answer of an external program (a shell script, one for each worker) from its standard output, and PostcodeBureau$Parcels.handle asks it for the six addresses of a request one by one, each answer of which takes some 60 ms to come
// share: @SHARE@
// expect: waiting kind=pipe frame=PostcodeBureau$ | waiting kind=file-read frame=PostcodeBureau$ | waiting kind=process frame=PostcodeBureau$
// symptom: waiting pool-busy
// judge: NAMED: waiting for data of a pipe (pipe, file-read: an answer of another program, or process) at PostcodeBureau$Gazetteer.receive (or its callers Gazetteer.look, Parcels.handle), also as the wait of the endpoint /parcels. SYMPTOM ONLY: waiting for a server's answer at PostcodeBureau$Depot (clients in the same process, which wait for these requests), also as a pool of workers that is busy without saying that they wait for the pipe. WRONG: starting processes as the cause (they are started once), CPU, sockets or the network as the cause, locks, the timers of PostcodeBureau$Depot
// jdk: 8
// set: thirty-fifth
// jvm: -Xmx128m
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** Completes addresses of parcels with their postcodes, which an old program of the post office knows. */
public class PostcodeBureau {
    static final int WORKERS = 4;
    static final int ADDRESSES = 6;
    static final LongAdder requests = new LongAdder();
    static final LongAdder requestNanos = new LongAdder();
    static final LongAdder answerNanos = new LongAdder();
    static final LongAdder answers = new LongAdder();

    /** The post office's program: a street a line in, a postcode a line out. */
    static final class Gazetteer {
        private static final String SCRIPT = "n=10000; while read street; do sleep 0.055; n=$((n + 7)); echo \"$n\"; done";
        private final BufferedWriter questions;
        private final BufferedReader replies;
        long waited;
        int received;

        Gazetteer() throws IOException {
            Process process = new ProcessBuilder("/bin/sh", "-c", SCRIPT).redirectError(ProcessBuilder.Redirect.INHERIT).start();
            questions = new BufferedWriter(new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8));
            replies = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        }

        String look(String street) throws IOException {
            send(street);
            return receive();
        }

        private void send(String street) throws IOException {
            questions.write(street);
            questions.write('\n');
            questions.flush();
        }

        private String receive() throws IOException {
            long begin = System.nanoTime();
            String reply = replies.readLine();
            waited += System.nanoTime() - begin;
            received++;
            if (reply == null) {
                throw new IOException("the gazetteer has ended");
            }
            return reply;
        }
    }

    /** GET /parcels?s=street,street,...: the label data of a consignment. */
    static final class Parcels implements HttpHandler {
        private final ThreadLocal<Gazetteer> gazetteers = new ThreadLocal<>();

        private Gazetteer gazetteer() throws IOException {
            Gazetteer gazetteer = gazetteers.get();
            if (gazetteer == null) {
                gazetteer = new Gazetteer();
                gazetteers.set(gazetteer);
            }
            return gazetteer;
        }

        @Override
        public void handle(HttpExchange exchange) throws IOException {
            long begin = System.nanoTime();
            int status = 200;
            long waited = 0;
            int received = 0;
            StringBuilder page = new StringBuilder();
            try {
                Gazetteer gazetteer = gazetteer();
                waited -= gazetteer.waited;
                received -= gazetteer.received;
                for (String street : exchange.getRequestURI().getQuery().substring(2).split(",")) {
                    String code = gazetteer.look(street);
                    page.append(street.toUpperCase(Locale.ROOT)).append(' ').append(code).append(' ').append(check(code)).append('\n');
                }
                waited += gazetteer.waited;
                received += gazetteer.received;
            } catch (IOException e) {
                gazetteers.remove();
                waited = 0;
                received = 0;
                status = 503;
            }
            byte[] body = page.toString().getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
            try (OutputStream out = exchange.getResponseBody()) {
                out.write(body);
            }
            exchange.close();
            requests.increment();
            requestNanos.add(System.nanoTime() - begin);
            answerNanos.add(waited);
            answers.add(received);
        }

        private static int check(String code) {
            int sum = 0;
            for (int i = 0; i < code.length(); i++) {
                sum += (i % 2 == 0 ? 3 : 1) * (code.charAt(i) - '0');
            }
            return (10 - sum % 10) % 10;
        }
    }

    /** A depot that has its parcels labelled. */
    static final class Depot implements Runnable {
        private final int port;
        private final Random random;

        Depot(int port, int number) {
            this.port = port;
            this.random = new Random(number);
        }

        private int ask() throws IOException {
            StringBuilder query = new StringBuilder();
            for (int i = 0; i < ADDRESSES; i++) {
                query.append(i == 0 ? "" : ",").append("street-").append(random.nextInt(5000));
            }
            HttpURLConnection connection = (HttpURLConnection) new URL("http://127.0.0.1:" + port + "/parcels?s=" + query).openConnection();
            ByteArrayOutputStream labels = new ByteArrayOutputStream();
            try (InputStream in = connection.getInputStream()) {
                byte[] buffer = new byte[1024];
                for (int n; (n = in.read(buffer)) > 0; ) {
                    labels.write(buffer, 0, n);
                }
            }
            return labels.size();
        }

        @Override
        public void run() {
            for (;;) {
                try {
                    ask();
                    Thread.sleep(5 + random.nextInt(20));
                } catch (IOException e) {
                    System.out.println("depot: " + e);
                } catch (InterruptedException e) {
                    return;
                }
            }
        }
    }

    public static void main(String[] args) throws Exception {
        AtomicInteger number = new AtomicInteger();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0), 50);
        server.createContext("/parcels", new Parcels());
        server.setExecutor(Executors.newFixedThreadPool(WORKERS, task -> new Thread(task, "labels-" + number.incrementAndGet())));
        server.start();
        for (int i = 0; i < WORKERS; i++) {
            Thread depot = new Thread(new Depot(server.getAddress().getPort(), i), "depot-" + i);
            depot.setDaemon(true);
            depot.start();
        }
        for (int second = 0; ; second++) {
            Thread.sleep(1000);
            long n = requests.sumThenReset();
            long whole = requestNanos.sumThenReset();
            long waited = answerNanos.sumThenReset();
            System.out.printf(Locale.ROOT, "measured: %d requests, %.0f ms each; %d answers of the gazetteer, waited for %.2f s = %.0f %% of the requests' time%n",
                    n, whole / 1e6 / Math.max(1, n), answers.sumThenReset(), waited / 1e9, 100.0 * waited / Math.max(1, whole));
            if (second == 3) {
                System.out.println("READY");
            }
            System.out.flush();
        }
    }
}
