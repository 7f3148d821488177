// SPDX-License-Identifier: Apache-2.0
// cause: the address of the service is looked up in DNS (JNDI) for each call, and the name server needs ~30 ms
// expect: waiting kind=dns frame=ServiceDirectory$Directory.find | endpoint-wait kind=dns frame=ServiceDirectory$Directory.find
// share: lookups take 83 % of the product pages' time
// judge: right: requests wait for DNS lookups (com.sun.jndi.dns / DirContext.getAttributes) in Directory.find, per call.
// judge: symptom: threads wait for a UDP answer / in a channel read or select of port N without DNS or Directory.find.
// judge: wrong: CPU, locks, GC, the name server's thread as the cause, the rating service (Rating.ask).
// jdk: 21
// set: thirteenth

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Hashtable;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import javax.naming.Context;
import javax.naming.NamingException;
import javax.naming.directory.DirContext;
import javax.naming.directory.InitialDirContext;

public class ServiceDirectory {
    static final LongAdder calls = new LongAdder(), finding = new LongAdder(), asking = new LongAdder();

    /** A name server with one answer: SRV 0 0 PORT localhost. */
    static void nameServer(DatagramSocket socket, ScheduledExecutorService timer, int service) throws IOException {
        while (true) {
            DatagramPacket q = new DatagramPacket(new byte[512], 512);
            socket.receive(q);
            ByteBuffer in = ByteBuffer.wrap(q.getData(), 0, q.getLength());
            int end = 12;
            while (in.get(end) != 0) {
                end += in.get(end) + 1;
            }
            end += 5;
            ByteBuffer out = ByteBuffer.allocate(512).put(q.getData(), 0, end);
            out.putShort(2, (short) 0x8580).putShort(6, (short) 1).putShort(8, (short) 0).putShort(10, (short) 0);
            out.putShort((short) 0xc00c).putShort((short) 33).putShort((short) 1).putInt(5).putShort((short) 17);
            out.putShort((short) 0).putShort((short) 0).putShort((short) service);
            out.put((byte) 9).put("localhost".getBytes()).put((byte) 0);
            DatagramPacket a = new DatagramPacket(out.array(), out.position(), q.getSocketAddress());
            timer.schedule(() -> {
                socket.send(a);
                return null;
            }, 30, TimeUnit.MILLISECONDS);
        }
    }

    static void ratings(ServerSocket listener) throws IOException {
        while (true) {
            try (Socket s = listener.accept()) {
                DataInputStream in = new DataInputStream(s.getInputStream());
                DataOutputStream out = new DataOutputStream(s.getOutputStream());
                int product = in.readInt();
                out.writeInt(Math.floorMod(product * 31, 6));
            }
        }
    }

    static class Directory {
        final Hashtable<String, String> env = new Hashtable<>();

        Directory(int port) {
            env.put(Context.INITIAL_CONTEXT_FACTORY, "com.sun.jndi.dns.DnsContextFactory");
            env.put(Context.PROVIDER_URL, "dns://127.0.0.1:" + port);
        }

        InetSocketAddress find(String service) throws NamingException {
            DirContext dns = new InitialDirContext(env);
            try {
                Object srv = dns.getAttributes("_" + service + "._tcp.shop.test", new String[] {"SRV"}).get("SRV").get();
                return new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(srv.toString().split(" ")[2]));
            } finally {
                dns.close();
            }
        }
    }

    record Rating(InetSocketAddress at) {
        int ask(int product) throws IOException {
            try (Socket s = new Socket(at.getAddress(), at.getPort())) {
                new DataOutputStream(s.getOutputStream()).writeInt(product);
                return new DataInputStream(s.getInputStream()).readInt();
            }
        }
    }

    interface Body {
        void run() throws Exception;
    }

    static void start(String name, Body body) {
        Thread t = new Thread(() -> {
            try {
                body.run();
            } catch (Exception e) {
                e.printStackTrace();
            }
        }, name);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        DatagramSocket dns = new DatagramSocket(0, loopback);
        ServerSocket listener = new ServerSocket(0, 50, loopback);
        start("name-server", () -> nameServer(dns, Executors.newScheduledThreadPool(1), listener.getLocalPort()));
        start("rating-service", () -> ratings(listener));
        Directory directory = new Directory(dns.getLocalPort());
        for (int i = 0; i < 10; i++) {
            start("product-page-" + i, () -> {
                int[] stars = new int[6];
                while (true) {
                    long from = System.nanoTime();
                    InetSocketAddress at = directory.find("rating");
                    long found = System.nanoTime();
                    stars[new Rating(at).ask(ThreadLocalRandom.current().nextInt(10_000))]++;
                    calls.increment();
                    finding.add(found - from);
                    asking.add(System.nanoTime() - found);
                    Thread.sleep(5);
                }
            });
        }
        System.out.println("READY");
        while (true) {
            Thread.sleep(1000);
            System.out.printf("measured: %d calls/s, lookups %d, asking %d ms/s of 10 threads%n", calls.sumThenReset(),
                    finding.sumThenReset() / 1_000_000, asking.sumThenReset() / 1_000_000);
        }
    }
}
