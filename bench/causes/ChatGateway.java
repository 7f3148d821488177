// SPDX-License-Identifier: Apache-2.0
// cause: the selector loop keeps OP_WRITE registered though nothing is to be written: select() returns at once
// expect: hot-code kind=selector-spin frame=ChatGateway$Gateway.loop
// symptom: hot-calls saturated-thread
// share: the thread "gateway" takes a whole CPU; messages need a few per cent of it
// judge: right: the gateway thread spins in Gateway.loop: select() returns at once, again and again (OP_WRITE, no work
// judge: done), or the loop with select/epoll_wait that never blocks. symptom: CPU of the gateway thread in select /
// judge: epoll_wait / selectedKeys / system calls without that it spins. wrong: Room.say, locks, GC, clients, allocation.
// jdk: 21
// set: thirteenth

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;

public class ChatGateway {
    static final LongAdder rounds = new LongAdder(), messages = new LongAdder();

    static class Session {
        final SocketChannel channel;
        final ByteBuffer in = ByteBuffer.allocate(4096);
        final ArrayDeque<ByteBuffer> out = new ArrayDeque<>();

        Session(SocketChannel channel) {
            this.channel = channel;
        }

        void flush() throws IOException {
            while (!out.isEmpty()) {
                channel.write(out.peek());
                if (out.peek().hasRemaining()) {
                    return;
                }
                out.poll();
            }
        }
    }

    static class Room {
        final List<Session> sessions = new ArrayList<>();

        void say(String text) {
            byte[] line = (text + "\n").getBytes(StandardCharsets.UTF_8);
            for (Session s : sessions) {
                s.out.add(ByteBuffer.wrap(line));
            }
            messages.increment();
        }
    }

    static class Gateway {
        final Selector selector = Selector.open();
        final ServerSocketChannel listener = ServerSocketChannel.open();
        final Room[] rooms = {new Room(), new Room(), new Room(), new Room()};

        Gateway() throws IOException {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            listener.configureBlocking(false);
            listener.register(selector, SelectionKey.OP_ACCEPT);
        }

        void accept() throws IOException {
            SocketChannel c = listener.accept();
            c.configureBlocking(false);
            Session s = new Session(c);
            Room room = rooms[ThreadLocalRandom.current().nextInt(rooms.length)];
            room.sessions.add(s);
            c.register(selector, SelectionKey.OP_READ | SelectionKey.OP_WRITE, new Object[] {s, room});
        }

        void read(Session s, Room room) throws IOException {
            s.in.clear();
            if (s.channel.read(s.in) > 0) {
                String text = new String(s.in.array(), 0, s.in.position(), StandardCharsets.UTF_8);
                text.lines().filter(l -> !l.isBlank()).forEach(l -> room.say("> " + l.strip()));
            }
        }

        void loop() throws IOException {
            while (true) {
                selector.select();
                rounds.increment();
                for (Iterator<SelectionKey> keys = selector.selectedKeys().iterator(); keys.hasNext(); ) {
                    SelectionKey key = keys.next();
                    keys.remove();
                    if (key.isAcceptable()) {
                        accept();
                        continue;
                    }
                    Object[] both = (Object[]) key.attachment();
                    if (key.isReadable()) {
                        read((Session) both[0], (Room) both[1]);
                    }
                    if (key.isWritable()) {
                        ((Session) both[0]).flush();
                    }
                }
            }
        }
    }

    static void chatter(InetSocketAddress to, int who) {
        ByteBuffer in = ByteBuffer.allocate(8192);
        try (SocketChannel c = SocketChannel.open(to)) {
            while (true) {
                c.write(StandardCharsets.UTF_8.encode("guest " + who + " says something at " + System.nanoTime() + "\n"));
                in.clear();
                c.read(in);
                Thread.sleep(150 + ThreadLocalRandom.current().nextInt(100));
            }
        } catch (IOException | InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws Exception {
        Gateway gateway = new Gateway();
        InetSocketAddress address = (InetSocketAddress) gateway.listener.getLocalAddress();
        new Thread(() -> {
            try {
                gateway.loop();
            } catch (IOException e) {
                e.printStackTrace();
            }
        }, "gateway").start();
        for (int i = 0; i < 16; i++) {
            int who = i;
            new Thread(() -> chatter(address, who), "guest-" + who).start();
        }
        System.out.println("READY");
        while (true) {
            Thread.sleep(1000);
            System.out.printf("measured: select() returned %d times/s for %d messages/s%n", rounds.sumThenReset(),
                    messages.sumThenReset());
        }
    }
}
