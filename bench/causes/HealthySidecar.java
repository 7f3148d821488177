// SPDX-License-Identifier: Apache-2.0
// healthy: callers ask a sidecar over one Unix socket and wait for futures, answered within a ms; a janitor removes once a second those that were not
// jdk: 17
// set: twelfth
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import wick.Scope;
import wick.Wick;

public final class HealthySidecar {
    private static volatile long sum;

    private final Map<Long, CompletableFuture<Long>> pending = new ConcurrentHashMap<>();
    private final AtomicLong ids = new AtomicLong();
    private final SocketChannel channel;

    private HealthySidecar(SocketChannel channel) {
        this.channel = channel;
    }

    private static void read(SocketChannel from, ByteBuffer into) throws IOException {
        into.clear();
        while (into.hasRemaining()) {
            if (from.read(into) < 0) {
                throw new IOException("the other side went away");
            }
        }
        into.flip();
    }

    private static void serve(ServerSocketChannel door) {
        ByteBuffer message = ByteBuffer.allocate(16);
        try (SocketChannel peer = door.accept()) {
            for (;;) {
                read(peer, message);
                message.putLong(8, message.getLong(8) * 31 + 7);
                peer.write(message);
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private void receive() {
        ByteBuffer message = ByteBuffer.allocate(16);
        try {
            for (;;) {
                read(channel, message);
                pending.remove(message.getLong(0)).complete(message.getLong(8));
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private long ask(long question) throws IOException, InterruptedException, ExecutionException, TimeoutException {
        long id = ids.incrementAndGet();
        CompletableFuture<Long> answer = new CompletableFuture<>();
        pending.put(id, answer);
        ByteBuffer message = ByteBuffer.allocate(16).putLong(id).putLong(question).flip();
        synchronized (channel) {
            channel.write(message);
        }
        return answer.get(1, TimeUnit.SECONDS);
    }

    private void client(int first) {
        try {
            for (int n = first;; n++) {
                try (Scope request = Wick.span("GET /flag")) {
                    sum += ask(n);
                }
                Thread.sleep(40);
            }
        } catch (IOException | InterruptedException | ExecutionException | TimeoutException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        Path path = Files.createTempDirectory("sidecar").resolve("socket");
        ServerSocketChannel door = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        door.bind(UnixDomainSocketAddress.of(path));
        Thread server = new Thread(() -> serve(door), "sidecar");
        server.start();
        HealthySidecar flags = new HealthySidecar(SocketChannel.open(UnixDomainSocketAddress.of(path)));
        Files.delete(path);
        Files.delete(path.getParent());
        new Thread(flags::receive, "sidecar-reader").start();
        for (int i = 0; i < 5; i++) {
            int first = i;
            new Thread(() -> flags.client(first), "http-" + i).start();
        }
        System.out.println("READY");
        for (;;) {
            Thread.sleep(1000);
            flags.pending.keySet().removeIf(id -> id + 10_000 < flags.ids.get());
        }
    }
}
