// SPDX-License-Identifier: Apache-2.0
// cause: WellField$PumpLink.exchange reads a controller's answer until the socket's read time-out of 180 ms (SO_TIMEOUT) runs out, as it does not look for the line's end: all of the answer is there after 1 to 3 ms, and each of the 8 registers of a well, asked one after another, costs 180 ms of waiting for data that never comes
// share: about 98 % of the time of a survey of a well, as measured (8 times 180 ms of 1.45 s)
// expect: waiting kind=socket-read frame=WellField$PumpLink.exchange
// symptom: waiting
// judge: NAMED: waiting for a server's answer (data of a socket) at WellField$PumpLink.exchange (or WellField$Surveyor.survey, which asks 8 times one after another); best if it says that a time-out ends the waits, or that the other side has long answered / waits for the next request. SYMPTOM ONLY: that surveys are slow, or threads surveyor wait, without the socket. WRONG: that the controllers (WellField$Controller.serve/answer) are slow or compute, their waiting for requests as the fault, Nagle/held back, exceptions as cost of CPU, the CPU, the machine, collections
// jdk: 11
// set: thirty-fourth
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.LongAdder;

/** A water works' well field: reads the registers of the pump controllers, and works out the draw-down of the wells. */
public class WellField {
    static final int WELLS = 6;
    static final LongAdder surveys = new LongAdder(), surveyNanos = new LongAdder();
    static final LongAdder exchanges = new LongAdder(), exchangeNanos = new LongAdder(), answeredNanos = new LongAdder();

    /** A pump controller, which answers "RD register" by "register=value" and the line's end. */
    static final class Controller implements Runnable {
        private final ServerSocket listening;
        private final int well;

        Controller(int well) throws IOException {
            this.well = well;
            listening = new ServerSocket(0, 4, InetAddress.getByName("127.0.0.1"));
        }

        int port() {
            return listening.getLocalPort();
        }

        private String answer(String request) {
            int register = Integer.parseInt(request.substring(3).trim());
            long tick = System.currentTimeMillis() / 100;
            double value = 20 + well + register % 10 * 1.5 + Math.sin(tick * 0.01 + register) * 2;
            return register + "=" + Math.round(value * 1000) + "\r\n";
        }

        private void serve(Socket socket) throws IOException {
            socket.setTcpNoDelay(true);
            BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
            OutputStream out = socket.getOutputStream();
            String request;
            while ((request = in.readLine()) != null) {
                out.write(answer(request).getBytes(StandardCharsets.US_ASCII));
                out.flush();
            }
        }

        @Override public void run() {
            while (true) {
                try (Socket socket = listening.accept()) {
                    serve(socket);
                } catch (IOException e) {
                    System.err.println("controller " + well + ": " + e);
                }
            }
        }
    }

    /** The line to a controller. */
    static final class PumpLink {
        private static final int TIMEOUT_MS = 180;
        private final byte[] buffer = new byte[256];
        private final OutputStream out;
        private final InputStream in;

        PumpLink(int port) throws IOException {
            Socket socket = new Socket(InetAddress.getByName("127.0.0.1"), port);
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(TIMEOUT_MS);
            out = socket.getOutputStream();
            in = socket.getInputStream();
        }

        double exchange(int register) throws IOException {
            long begin = System.nanoTime(), last = begin;
            out.write(("RD " + register + "\r\n").getBytes(StandardCharsets.US_ASCII));
            out.flush();
            int length = 0;
            try {
                int n;
                while ((n = in.read(buffer, length, buffer.length - length)) > 0) {
                    length += n;
                    last = System.nanoTime();
                }
            } catch (SocketTimeoutException e) {
                // the controller has no more to say
            }
            exchanges.increment();
            exchangeNanos.add(System.nanoTime() - begin);
            answeredNanos.add(last - begin);
            String answer = new String(buffer, 0, length, StandardCharsets.US_ASCII).trim();
            return Long.parseLong(answer.substring(answer.indexOf('=') + 1)) / 1000.0;
        }
    }

    /** The draw-down around a well, after Theis. */
    static final class DrawDown {
        private final double[] head = new double[4000];

        double compute(double flow, double storage, double level) {
            double sum = 0;
            for (int i = 0; i < head.length; i++) {
                double u = (i + 1) * (i + 1) * (storage + 1e-4) / (4 * (flow + 1));
                double term = -0.5772 - Math.log(u), power = 1;
                for (int k = 1; k < 60; k++) {
                    power *= -u / k;
                    term -= power / k;
                }
                head[i] = level - flow / 12.566 * term;
                sum += head[i];
            }
            return sum / head.length;
        }
    }

    static final class Surveyor implements Runnable {
        private final PumpLink link;
        private final DrawDown drawDown = new DrawDown();
        private double mean;

        Surveyor(int port) throws IOException {
            link = new PumpLink(port);
        }

        private void survey() throws IOException {
            long begin = System.nanoTime();
            double[] values = new double[8];
            for (int i = 0; i < values.length; i++)
                values[i] = link.exchange(40010 + i);
            for (int i = 0; i + 2 < values.length; i++)
                mean = drawDown.compute(values[i], values[i + 1] * 1e-4, values[i + 2]);
            surveys.increment();
            surveyNanos.add(System.nanoTime() - begin);
        }

        @Override public void run() {
            while (true) {
                try {
                    survey();
                    Thread.sleep(30);
                } catch (IOException | NumberFormatException e) {
                    System.err.println("survey: " + e);
                } catch (InterruptedException e) {
                    return;
                }
            }
        }
    }

    public static void main(String[] args) throws Exception {
        for (int well = 0; well < WELLS; well++) {
            Controller controller = new Controller(well);
            new Thread(controller, "controller-" + well).start();
            new Thread(new Surveyor(controller.port()), "surveyor-" + well).start();
        }
        for (int second = 0; ; second++) {
            Thread.sleep(1000);
            long n = Math.max(1, exchanges.sumThenReset());
            System.out.printf("measured: %d surveys so far, %.0f ms each; %d questions, %.1f ms each, all of the answer there after %.2f ms%n",
                surveys.sum(), surveyNanos.sum() / 1e6 / Math.max(1, surveys.sum()), n, exchangeNanos.sumThenReset() / 1e6 / n, answeredNanos.sumThenReset() / 1e6 / n);
            if (second == 2) {
                System.out.println("READY");
                System.out.flush();
            }
        }
    }
}
