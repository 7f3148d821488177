// SPDX-License-Identifier: Apache-2.0
// cause: MeterGatewayDesk.Meter.submit sends each reading as two small writes (the header, then the body) straight to the socket stream without TCP_NODELAY, so Nagle's algorithm holds the body until the header is acknowledged and the server's kernel delays this acknowledgement by about 40 ms for each request.
// share: faulty: 129 readings/s, mean confirmation 44.06 ms; fixed: 2632 readings/s, mean confirmation 0.11 ms; ratio 20.3 (means over the seconds after warm-up of a run of 9 to 13 s, shared 2-core machine)
// expect: held-back
// symptom: waiting
// judge: NAMED: the write-write-read pattern on the Meter socket (Meter.submit) with Nagle on (no TCP_NODELAY, unbuffered header and body writes) against delayed ACK, about 40 ms a request. SYMPTOM ONLY: threads wait in socket read; low CPU; latency near 40 ms. WRONG: slow request handling in the gateway; too few server threads; lock contention; GC; bandwidth limit.
// jdk: 21
// set: twenty-fourth
// jvm:
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** Gateway for readings of electricity meters; each meter keeps one connection. */
public class MeterGatewayDesk {
    static final boolean ALT = Boolean.getBoolean("fixed");
    static final int METERS = 6;

    record Reading(int meter, int sequence, double[] phases) { }

    static final class Gateway {
        private final ServerSocket server;
        private final ConcurrentHashMap<Integer, Reading> latest = new ConcurrentHashMap<>();

        Gateway() throws IOException {
            server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        }

        int port() {
            return server.getLocalPort();
        }

        void acceptLoop() {
            try {
                while (true) {
                    Socket socket = server.accept();
                    socket.setTcpNoDelay(true);
                    Thread.ofPlatform().daemon().name("gateway-" + socket.getPort()).start(() -> serve(socket));
                }
            } catch (IOException e) {
                System.out.println("gateway closed");
            }
        }

        void serve(Socket socket) {
            try (socket) {
                DataInputStream in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
                DataOutputStream out = new DataOutputStream(socket.getOutputStream());
                while (true) {
                    int meter = in.readInt();
                    byte[] body = new byte[in.readInt()];
                    in.readFully(body);
                    Reading reading = decode(meter, body);
                    latest.put(meter, reading);
                    out.writeInt(reading.sequence());
                }
            } catch (EOFException e) {
                System.out.println("meter left");
            } catch (IOException e) {
                System.out.println("connection lost: " + e.getMessage());
            }
        }

        static Reading decode(int meter, byte[] body) {
            java.nio.ByteBuffer b = java.nio.ByteBuffer.wrap(body);
            int sequence = b.getInt();
            double[] phases = new double[3];
            for (int i = 0; i < phases.length; i++) {
                phases[i] = b.getDouble();
            }
            return new Reading(meter, sequence, phases);
        }
    }

    static final class Meter implements AutoCloseable {
        private final int number;
        private final Socket socket;
        private final DataInputStream in;
        private final DataOutputStream out;
        private final SplittableRandom random;
        private int sequence;

        Meter(int number, int port) throws IOException {
            this.number = number;
            random = new SplittableRandom(number);
            socket = new Socket(InetAddress.getLoopbackAddress(), port);
            in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
            out = new DataOutputStream(socket.getOutputStream());
            socket.setTcpNoDelay(ALT);
        }

        byte[] encode() {
            java.nio.ByteBuffer b = java.nio.ByteBuffer.allocate(28);
            b.putInt(++sequence);
            for (int i = 0; i < 3; i++) {
                b.putDouble(230 + random.nextDouble());
            }
            return b.array();
        }

        void submit() throws IOException {
            byte[] body = encode();
            out.writeLong((long) number << 32 | body.length);
            out.write(body);
            int confirmed = in.readInt();
            if (confirmed != sequence) {
                throw new IOException("confirmed " + confirmed + " for " + sequence);
            }
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    public static void main(String[] args) throws Exception {
        Gateway gateway = new Gateway();
        Thread.ofPlatform().daemon().name("gateway-accept").start(gateway::acceptLoop);
        LongAdder readings = new LongAdder();
        LongAdder nanos = new LongAdder();
        for (int i = 0; i < METERS; i++) {
            int number = i;
            Thread.ofPlatform().daemon().name("meter-" + i).start(() -> {
                try (Meter meter = new Meter(number, gateway.port())) {
                    while (true) {
                        long t0 = System.nanoTime();
                        meter.submit();
                        nanos.add(System.nanoTime() - t0);
                        readings.increment();
                        Thread.sleep(2);
                    }
                } catch (IOException | InterruptedException e) {
                    System.out.println("meter stopped: " + e);
                }
            });
        }
        System.out.println("READY");
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(170);
        while (System.nanoTime() < end) {
            Thread.sleep(1000);
            long n = readings.sumThenReset();
            long ns = nanos.sumThenReset();
            System.out.printf("measured: %d readings/s, mean confirmation %.2f ms%n", n, n == 0 ? 0.0 : ns / 1e6 / n);
        }
    }
}
