// SPDX-License-Identifier: Apache-2.0
// cause: a trip asks three services one after another, none of which needs the answer of another
// expect: waiting sequence=TripBoard.board
// symptom: waiting
// jdk: 8
// set: eighth
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.LongAdder;

/** Weather takes 30 ms, traffic 20 and fares 25: a board takes their sum, where the longest would do. */
public final class TripBoard {
    private static final LongAdder ASKED = new LongAdder();
    private static final LongAdder ALL = new LongAdder();

    private static final class Line {
        private final BufferedReader in;
        private final OutputStream out;

        private Line(int port) throws IOException {
            Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
            socket.setTcpNoDelay(true);
            in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
            out = socket.getOutputStream();
        }

        private String ask(String what) throws IOException {
            long start = System.nanoTime();
            out.write((what + '\n').getBytes(StandardCharsets.US_ASCII));
            String answer = in.readLine();
            ASKED.add(System.nanoTime() - start);
            return answer;
        }
    }

    private static final class Weather {
        private final Line line;

        private Weather(int port) throws IOException {
            line = new Line(port);
        }

        private int temperature(String place) throws IOException {
            return Integer.parseInt(line.ask("30 " + place)) % 35;
        }
    }

    private static final class Traffic {
        private final Line line;

        private Traffic(int port) throws IOException {
            line = new Line(port);
        }

        private int delay(String place) throws IOException {
            return Integer.parseInt(line.ask("20 " + place)) % 50;
        }
    }

    private static final class Fares {
        private final Line line;

        private Fares(int port) throws IOException {
            line = new Line(port);
        }

        private int cents(String place) throws IOException {
            return 100 + Integer.parseInt(line.ask("25 " + place)) % 900;
        }
    }

    private final Weather weather;
    private final Traffic traffic;
    private final Fares fares;

    private TripBoard(int port) throws IOException {
        weather = new Weather(port);
        traffic = new Traffic(port);
        fares = new Fares(port);
    }

    private String board(String place) throws IOException {
        int degrees = weather.temperature(place);
        int minutes = traffic.delay(place);
        int cents = fares.cents(place);
        return place + ": " + degrees + " degrees, " + minutes + " min late, " + cents + " cents";
    }

    private static void serve(int number, int port) {
        try {
            TripBoard boards = new TripBoard(port);
            for (int i = 0;; i++) {
                long start = System.nanoTime();
                if (boards.board("place-" + number + "-" + i % 100).isEmpty()) {
                    throw new IllegalStateException("no board");
                }
                ALL.add(System.nanoTime() - start);
                Thread.sleep(8); // the next traveller
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** One of the services, which are elsewhere. */
    private static void answer(Socket socket) {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream()))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                Thread.sleep(Integer.parseInt(line.substring(0, 2)));
                socket.getOutputStream().write(((line.hashCode() & 0xffff) + "\n").getBytes(StandardCharsets.US_ASCII));
            }
        } catch (IOException | InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void services() throws IOException {
        ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        System.out.println(server.getLocalPort());
        new Thread(() -> {
            try {
                while (System.in.read() >= 0) {
                    continue;
                }
            } catch (IOException e) {
                System.exit(1);
            }
            System.exit(0);
        }).start();
        for (;;) {
            Socket socket = server.accept();
            socket.setTcpNoDelay(true);
            new Thread(() -> answer(socket)).start();
        }
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        if (args.length > 0) {
            services();
        }
        Process child = new ProcessBuilder(System.getProperty("java.home") + "/bin/java", "-Xmx16m", "-cp",
                System.getProperty("java.class.path"), "TripBoard", "services").start();
        int port = Integer.parseInt(new BufferedReader(new InputStreamReader(child.getInputStream())).readLine());
        for (int n = 0; n < 3; n++) {
            int number = n;
            new Thread(() -> serve(number, port), "http-" + n).start();
        }
        System.out.println("READY");
        for (;;) {
            Thread.sleep(2000);
            System.out.println("measured: " + 100 * ASKED.sum() / (ALL.sum() + 1) + " % of a board's time is asking in turn");
        }
    }
}
