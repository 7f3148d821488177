// SPDX-License-Identifier: Apache-2.0
// cause: dns: MailGate$Directory.txt looks up the policy of the sender's domain by the name service (JNDI, dns:) for every mail, with no cache though there are 40 domains, and the first of its two name servers never answers, so that each lookup waits for a time-out (150 ms) before it asks the second one
// share: 99 % of the time in which the gate threads have work, nearly 6 of 6 threads on average, 150 ms for each mail, waits for the name service in DirContext.getAttributes
// expect: waiting kind=dns frame=MailGate$
// symptom: waiting
// judge: NAMED: waiting for the name service / DNS at MailGate$Directory.txt (or its callers Policy.allows, Gate.run). SYMPTOM ONLY: waiting for data of a socket, a datagram or a selector at Directory.txt without saying that names are looked up; pool-busy of the gate threads; mails that wait in the queue. WRONG: the queue of mails in Intake, the rest in Intake.run, NameServer.run (this is the stand-in for the name server in the same process, which waits for questions), locks, CPU, nothing stands out.
// jdk: 25
// set: thirty-sixth
// jvm: -Xmx256m
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.Hashtable;
import java.util.SplittableRandom;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import javax.naming.Context;
import javax.naming.NamingException;
import javax.naming.directory.Attribute;
import javax.naming.directory.DirContext;
import javax.naming.directory.InitialDirContext;

/** Inbound gate of a mail provider: takes mails and checks them against the policy that the sender's domain publishes. */
public class MailGate {
    record Mail(String from, String domain, String relay, byte[] body) { }

    /** The name service of the data centre. */
    static final class Directory {
        private final DirContext context;

        Directory(String servers) throws NamingException {
            Hashtable<String, String> settings = new Hashtable<>();
            settings.put(Context.INITIAL_CONTEXT_FACTORY, "com.sun.jndi.dns.DnsContextFactory");
            settings.put(Context.PROVIDER_URL, servers);
            settings.put("com.sun.jndi.dns.timeout.initial", "150");
            settings.put("com.sun.jndi.dns.timeout.retries", "5");
            context = new InitialDirContext(settings);
        }

        String txt(String domain) throws NamingException {
            long begin = System.nanoTime();
            try {
                Attribute found = context.getAttributes(domain, new String[] {"TXT"}).get("TXT");
                return found == null ? "" : String.valueOf(found.get());
            } finally {
                asking.add(System.nanoTime() - begin);
            }
        }
    }

    static final class Policy {
        private final Directory directory;

        Policy(Directory directory) {
            this.directory = directory;
        }

        boolean allows(Mail mail) {
            try {
                for (String term : directory.txt(mail.domain()).split(" ")) {
                    if (term.startsWith("ip4:") && mail.relay().startsWith(term.substring(4))) {
                        return true;
                    }
                }
                return false;
            } catch (NamingException e) {
                deferred.increment();
                return false;
            }
        }
    }

    static final class Gate implements Runnable {
        private final BlockingQueue<Mail> queue;
        private final Policy policy;

        Gate(BlockingQueue<Mail> queue, Policy policy) {
            this.queue = queue;
            this.policy = policy;
        }

        int score(byte[] body) {
            int links = 0;
            for (int i = 0; i + 3 < body.length; i++) {
                if (body[i] == 'h' && body[i + 1] == 't' && body[i + 2] == 't' && body[i + 3] == 'p') {
                    links++;
                }
            }
            return links;
        }

        @Override
        public void run() {
            try {
                while (true) {
                    Mail mail = queue.take();
                    long begin = System.nanoTime();
                    if (policy.allows(mail) && score(mail.body()) < 20) {
                        accepted.increment();
                    } else {
                        refused.increment();
                    }
                    working.add(System.nanoTime() - begin);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static final class Intake implements Runnable {
        private final BlockingQueue<Mail> queue;

        Intake(BlockingQueue<Mail> queue) {
            this.queue = queue;
        }

        @Override
        public void run() {
            SplittableRandom random = new SplittableRandom(3);
            try {
                while (true) {
                    int domain = random.nextInt(40);
                    byte[] body = ("Good day, your order " + random.nextInt(100000) + " see http://shop.example/ ")
                            .repeat(12).getBytes(StandardCharsets.US_ASCII);
                    Mail mail = new Mail("sales@d" + domain + ".example", "d" + domain + ".example", "10." + domain + ".0.7", body);
                    if (!queue.offer(mail)) {
                        tempfailed.increment();
                    }
                    TimeUnit.MILLISECONDS.sleep(25);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Answers questions for TXT records, as the name server of the data centre would. */
    static final class NameServer implements Runnable {
        private final DatagramSocket socket;

        NameServer(DatagramSocket socket) {
            this.socket = socket;
        }

        @Override
        public void run() {
            byte[] in = new byte[512];
            try {
                while (true) {
                    DatagramPacket question = new DatagramPacket(in, in.length);
                    socket.receive(question);
                    int end = 12;
                    while (in[end] != 0) {
                        end += in[end] + 1;
                    }
                    end += 5;
                    String host = new String(in, 13, in[12], StandardCharsets.US_ASCII);
                    byte[] text = ("v=spf1 ip4:10." + host.substring(1) + ".0 -all").getBytes(StandardCharsets.US_ASCII);
                    byte[] out = new byte[end + 13 + text.length];
                    System.arraycopy(in, 0, out, 0, end);
                    out[2] = (byte) 0x85;
                    out[3] = (byte) 0x80;
                    out[7] = 1;
                    out[8] = out[9] = out[10] = out[11] = 0;
                    byte[] head = {(byte) 0xc0, 12, 0, 16, 0, 1, 0, 0, 1, 44, 0, (byte) (text.length + 1), (byte) text.length};
                    System.arraycopy(head, 0, out, end, head.length);
                    System.arraycopy(text, 0, out, end + head.length, text.length);
                    socket.send(new DatagramPacket(out, out.length, question.getSocketAddress()));
                }
            } catch (java.io.IOException e) {
                System.err.println("name server ends: " + e);
            }
        }
    }

    static final LongAdder accepted = new LongAdder();
    static final LongAdder refused = new LongAdder();
    static final LongAdder deferred = new LongAdder();
    static final LongAdder tempfailed = new LongAdder();
    static final LongAdder asking = new LongAdder();
    static final LongAdder working = new LongAdder();

    static void start(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }

    public static void main(String[] args) throws Exception {
        InetAddress local = InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
        DatagramSocket retired = new DatagramSocket(0, local);
        DatagramSocket current = new DatagramSocket(0, local);
        start("name-server", new NameServer(current));
        String servers = "dns://127.0.0.1:" + retired.getLocalPort() + " dns://127.0.0.1:" + current.getLocalPort();
        BlockingQueue<Mail> queue = new ArrayBlockingQueue<>(500);
        for (int i = 1; i <= 6; i++) {
            start("gate-" + i, new Gate(queue, new Policy(new Directory(servers))));
        }
        start("intake", new Intake(queue));
        Thread.sleep(2000);
        System.out.println("READY");
        System.out.flush();
        while (true) {
            long a = accepted.sum(), r = refused.sum(), ask = asking.sum(), w = working.sum(), t = System.nanoTime();
            Thread.sleep(1000);
            double s = (System.nanoTime() - t) / 1e9;
            double work = Math.max(1, working.sum() - w);
            System.out.printf("measured: %.0f mails/s accepted, %.0f refused, %d deferred, %d sent away, %.1f gates at work, %.1f %% of that asks the name service%n",
                    (accepted.sum() - a) / s, (refused.sum() - r) / s, deferred.sum(), tempfailed.sum(), work / 1e9 / s, 100 * Math.min(1, (asking.sum() - ask) / work));
        }
    }
}
