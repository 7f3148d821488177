// SPDX-License-Identifier: Apache-2.0
// cause: BaggageMessages$BeltLink, the only consumer of the bounded queue, retries messages for a belt that is out of service (refused connections) in its own thread, with a sleep between tries (BeltLink.deliver, BeltLink.backOff), while all check-in desks wait for room in the queue (MessageBoard.post)
// share: 5.8 of 6 check-in desks on average wait for room in the queue (96 %); its only consumer rests between tries for 97 to 99 % of the time; 0.07 CPUs
// expect: waiting frame=BaggageMessages$MessageBoard.post pacer=belt-link timer=BaggageMessages$BeltLink.backOff | waiting frame=BaggageMessages$MessageBoard.post rester=belt-link timer=BaggageMessages$BeltLink.backOff | waiting frame=BaggageMessages$MessageBoard.post holder=BaggageMessages$BeltLink
// symptom: waiting
// judge: NAMED: the desks wait for room in a full queue (ArrayBlockingQueue.put at BaggageMessages$MessageBoard.post) AND its consumer rests in BaggageMessages$BeltLink.backOff / deliver (thread belt-link, sleeps / retries). SYMPTOM ONLY: room in a full queue at MessageBoard.post without what the consumer does; sleep of belt-link in backOff without who waits for it; refused connections in BeltLink. WRONG: the desks compute too much (Desk.label), a larger queue or more desks as the remedy, CPUs, collections, the accepting belts (Belt.run)
// jdk: 8
// set: thirty-second
// jvm: -Xmx256m

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.LongAdder;

/** Check-in desks report to the belts of an airport's sorting hall where each bag goes. */
public class BaggageMessages {

    static final int BELTS = 12;
    static final LongAdder POSTED = new LongAdder();
    static final LongAdder POST_NS = new LongAdder();
    static final LongAdder RESTED_NS = new LongAdder();
    static final LongAdder GIVEN_UP = new LongAdder();
    static final LongAdder RECEIVED = new LongAdder();

    static final class Message {
        final int belt;
        final String text;

        Message(int belt, String text) {
            this.belt = belt;
            this.text = text;
        }
    }

    static final class MessageBoard {
        private final BlockingQueue<Message> messages = new ArrayBlockingQueue<>(60);

        void post(Message message) throws InterruptedException {
            long from = System.nanoTime();
            messages.put(message);
            POST_NS.add(System.nanoTime() - from);
            POSTED.increment();
        }

        Message next() throws InterruptedException {
            return messages.take();
        }
    }

    static final class Desk implements Runnable {
        private final MessageBoard board;
        private final Random passengers;
        private final String name;
        private int bags;

        Desk(MessageBoard board, int number) {
            this.board = board;
            this.passengers = new Random(number);
            this.name = "D" + number;
        }

        @Override public void run() {
            try {
                while (true) {
                    int belt = passengers.nextInt(BELTS);
                    board.post(new Message(belt, label(belt)));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        /** The bag's label, with a check number over the route and the list of the flight. */
        private String label(int belt) {
            long check = 17;
            for (int seat = 0; seat < 900; seat++)
                for (int leg = 1; leg < 900; leg++)
                    check = check * 31 + (seat ^ leg * belt);
            return name + "/" + ++bags + "/B" + belt + "/" + Long.toString(check & 0xFFFFFF, 36);
        }
    }

    /** The sorting hall's side: reads lines and counts them. */
    static final class Belt implements Runnable {
        private final ServerSocket socket;

        Belt(ServerSocket socket) {
            this.socket = socket;
        }

        @Override public void run() {
            while (true) {
                try (Socket link = socket.accept();
                     BufferedReader in = new BufferedReader(new InputStreamReader(link.getInputStream(), StandardCharsets.US_ASCII))) {
                    while (in.readLine() != null)
                        RECEIVED.increment();
                } catch (IOException e) {
                    System.err.println("belt: " + e);
                }
            }
        }
    }

    static final class BeltLink implements Runnable {
        private static final int TRIES = 4;
        private final MessageBoard board;
        private final InetSocketAddress[] addresses;
        private final Socket[] links = new Socket[BELTS];

        BeltLink(MessageBoard board, InetSocketAddress[] addresses) {
            this.board = board;
            this.addresses = addresses;
        }

        @Override public void run() {
            try {
                while (true)
                    deliver(board.next());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private void deliver(Message message) throws InterruptedException {
            for (int tries = 1; tries <= TRIES; tries++) {
                try {
                    send(message);
                    return;
                } catch (IOException e) {
                    links[message.belt] = null;
                    backOff(tries);
                }
            }
            GIVEN_UP.increment();
        }

        private void send(Message message) throws IOException {
            Socket link = links[message.belt];
            if (link == null) {
                link = new Socket();
                try {
                    link.connect(addresses[message.belt], 2000);
                } catch (IOException e) {
                    link.close();
                    throw e;
                }
                link.setTcpNoDelay(true);
                links[message.belt] = link;
            }
            link.getOutputStream().write((message.text + "\n").getBytes(StandardCharsets.US_ASCII));
        }

        private void backOff(int tries) throws InterruptedException {
            long from = System.nanoTime();
            Thread.sleep(15L * tries);
            RESTED_NS.add(System.nanoTime() - from);
        }
    }

    public static void main(String[] args) throws Exception {
        InetAddress local = InetAddress.getByName("127.0.0.1");
        InetSocketAddress[] addresses = new InetSocketAddress[BELTS];
        Socket unused = new Socket();
        for (int belt = 0; belt < BELTS; belt++) {
            if (belt == 7) {
                unused.bind(new InetSocketAddress(local, 0));
                addresses[belt] = new InetSocketAddress(local, unused.getLocalPort());
                continue;
            }
            ServerSocket socket = new ServerSocket(0, 50, local);
            addresses[belt] = new InetSocketAddress(local, socket.getLocalPort());
            new Thread(new Belt(socket), "belt-" + belt).start();
        }
        MessageBoard board = new MessageBoard();
        new Thread(new BeltLink(board, addresses), "belt-link").start();
        int desks = 6;
        for (int i = 1; i <= desks; i++)
            new Thread(new Desk(board, i), "check-in-" + i).start();
        Thread.sleep(3000);
        System.out.println("READY");
        System.out.flush();
        while (true) {
            long from = System.nanoTime(), n = POSTED.sum(), post = POST_NS.sum(), rested = RESTED_NS.sum(), lost = GIVEN_UP.sum();
            Thread.sleep(1000);
            double ns = System.nanoTime() - from;
            n = POSTED.sum() - n;
            System.out.printf(Locale.ROOT, "measured: %d bags/s, %.1f of %d desks wait to post, %.1f %% of the link's time between tries, %d given up, belt %d is out (port %d), %d received%n",
                    n, (POST_NS.sum() - post) / ns, desks, 100 * (RESTED_NS.sum() - rested) / ns, GIVEN_UP.sum() - lost,
                    7, unused.getLocalPort(), RECEIVED.sum());
            System.out.flush();
        }
    }
}
