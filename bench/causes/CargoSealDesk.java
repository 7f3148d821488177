// SPDX-License-Identifier: Apache-2.0
// cause: SealPort.run, the only thread that accepts connections, asks the licence registry (LicenceDesk.holder, 25 ms over the network) about each terminal before it hands the connection over, so that the others wait at the socket to be accepted
// share: 99 % of what a terminal waits (300 to 350 ms; 2.5 ms once it is accepted); 11 to 13.5 connections wait to be accepted on average
// expect: slow-accept
// symptom: waiting
// judge: NAMED: connections wait to be accepted (slow accept) at the listening socket of SealPort, best with seal-port waiting at LicenceDesk.holder; also NAMED: the accepting thread seal-port waits for the registry's answer at LicenceDesk.holder (socket/datagram receive) in place of accepting. SYMPTOM ONLY: the terminals wait for the server's answer at Terminal.seal (in this process) without the accepting thread; a wait for a datagram at LicenceDesk.holder with nothing said of accepting. WRONG: the pool sealer-N (mostly without work), the registry's sleep at Registry.run alone (a stand-in for a remote system), backlog overflow, computing in Sealer.number, the machine
// jdk: 17
// set: thirty-fifth
// jvm: -Xmx128m
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** Gives seal numbers to the terminals of a container port. */
public class CargoSealDesk {
    static final LongAdder SEALS = new LongAdder();
    static final LongAdder SEAL_TIME = new LongAdder();
    static final LongAdder SERVE_TIME = new LongAdder();
    static final InetAddress LOCAL = InetAddress.getLoopbackAddress();

    /** The register of licences, which another authority runs: answers after 25 ms. */
    static final class Registry implements Runnable {
        private final DatagramSocket socket;

        Registry() throws IOException {
            socket = new DatagramSocket(new InetSocketAddress(LOCAL, 0));
        }

        @Override
        public void run() {
            byte[] question = new byte[64];
            while (true)
                try {
                    DatagramPacket packet = new DatagramPacket(question, question.length);
                    socket.receive(packet);
                    Thread.sleep(25);
                    socket.send(new DatagramPacket(question, packet.getLength(), packet.getSocketAddress()));
                } catch (IOException e) {
                    System.err.println("registry: " + e);
                } catch (InterruptedException e) {
                    return;
                }
        }
    }

    /** Asks the register who may seal containers at an address. */
    static final class LicenceDesk {
        private final DatagramSocket socket;

        LicenceDesk(int registryPort) throws IOException {
            socket = new DatagramSocket(new InetSocketAddress(LOCAL, 0));
            socket.connect(LOCAL, registryPort);
            socket.setSoTimeout(20000);
        }

        String holder(Socket terminal) throws IOException {
            byte[] question = ("licence " + terminal.getPort()).getBytes(StandardCharsets.US_ASCII);
            socket.send(new DatagramPacket(question, question.length));
            DatagramPacket answer = new DatagramPacket(new byte[64], 64);
            socket.receive(answer);
            return new String(answer.getData(), 0, answer.getLength(), StandardCharsets.US_ASCII);
        }
    }

    /** Takes the terminals' connections, and gives them to those who serve them. */
    static final class SealPort implements Runnable {
        private final ServerSocket server = new ServerSocket(0, 80, LOCAL);
        private final LicenceDesk licences;
        private final ExecutorService sealers;

        SealPort(LicenceDesk licences, ExecutorService sealers) throws IOException {
            this.licences = licences;
            this.sealers = sealers;
        }

        int port() {
            return server.getLocalPort();
        }

        @Override
        public void run() {
            while (true)
                try {
                    Socket terminal = server.accept();
                    try {
                        String holder = licences.holder(terminal);
                        sealers.execute(new Sealer(terminal, holder));
                    } catch (SocketTimeoutException e) {
                        terminal.close();
                    }
                } catch (IOException e) {
                    System.err.println("port: " + e);
                }
        }
    }

    static final class Sealer implements Runnable {
        private final Socket terminal;
        private final String holder;

        Sealer(Socket terminal, String holder) {
            this.terminal = terminal;
            this.holder = holder;
        }

        @Override
        public void run() {
            long begin = System.nanoTime();
            try (Socket link = terminal) {
                link.setTcpNoDelay(true);
                BufferedReader in = new BufferedReader(new InputStreamReader(link.getInputStream(), StandardCharsets.US_ASCII));
                String container = in.readLine();
                if (container != null)
                    link.getOutputStream().write(("SEAL " + number(container) + "\n").getBytes(StandardCharsets.US_ASCII));
            } catch (IOException e) {
                System.err.println("sealer: " + e);
            }
            SERVE_TIME.add(System.nanoTime() - begin);
        }

        private long number(String container) {
            long number = holder.hashCode();
            for (int round = 0; round < 150000; round++)
                for (int i = 0; i < container.length(); i++)
                    number = number * 31 + container.charAt(i) ^ number >>> 17;
            return number & 0xffffffffffL;
        }
    }

    static final class Terminal implements Runnable {
        private final int port;

        Terminal(int port) {
            this.port = port;
        }

        private String seal(String container) throws IOException {
            try (Socket link = new Socket()) {
                link.connect(new InetSocketAddress(LOCAL, port), 60000);
                link.setTcpNoDelay(true);
                link.setSoTimeout(60000);
                link.getOutputStream().write((container + "\n").getBytes(StandardCharsets.US_ASCII));
                return new BufferedReader(new InputStreamReader(link.getInputStream(), StandardCharsets.US_ASCII)).readLine();
            }
        }

        @Override
        public void run() {
            ThreadLocalRandom random = ThreadLocalRandom.current();
            while (true)
                try {
                    long begin = System.nanoTime();
                    seal("HLXU" + random.nextInt(1000000, 9999999));
                    SEAL_TIME.add(System.nanoTime() - begin);
                    SEALS.increment();
                    Thread.sleep(random.nextInt(20, 350));
                } catch (IOException e) {
                    System.err.println("terminal: " + e);
                } catch (InterruptedException e) {
                    return;
                }
        }
    }

    public static void main(String[] args) throws Exception {
        Registry registry = new Registry();
        new Thread(registry, "registry").start();
        AtomicInteger number = new AtomicInteger();
        ExecutorService sealers = Executors.newFixedThreadPool(6, task -> new Thread(task, "sealer-" + number.incrementAndGet()));
        SealPort port = new SealPort(new LicenceDesk(registry.socket.getLocalPort()), sealers);
        new Thread(port, "seal-port").start();
        for (int i = 0; i < 20; i++)
            new Thread(new Terminal(port.port()), "terminal-" + i).start();
        for (int second = 0;; second++) {
            long seals = SEALS.sum(), time = SEAL_TIME.sum(), serve = SERVE_TIME.sum();
            Thread.sleep(1000);
            seals = SEALS.sum() - seals;
            time = SEAL_TIME.sum() - time;
            serve = SERVE_TIME.sum() - serve;
            System.out.printf("measured: %d seals, %.0f ms each, of which %.1f ms are served after it was accepted; %.1f connections wait before%n",
                seals, time / 1e6 / Math.max(1, seals), serve / 1e6 / Math.max(1, seals), (time - serve) / 1e9);
            if (second == 3) {
                System.out.println("READY");
                System.out.flush();
            }
        }
    }
}
