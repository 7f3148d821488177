// SPDX-License-Identifier: Apache-2.0
// cause: a page is fetched within computeIfAbsent(), in whose monitor a virtual thread cannot leave its carrier: ProductPages.page, fetch
// share: 230 to 250 ms until one of two carriers is free, then 9 ms of fetch()
// expect: waiting kind=pinned | waiting kind=carrier | endpoint-wait kind=carrier | unmounted-wait | waiting frame=ProductPages.page | lock-contention frame=ProductPages.page | endpoint-wait frame=ProductPages.page
// judge: right is that virtual threads are pinned in computeIfAbsent() of page(), or in fetch(); that fetch() waits for its peer is a symptom
// symptom: waiting lock-contention
// jdk: 21
// set: tenth
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** Pages of products are cached for a short time; each visitor is a virtual thread. */
public final class ProductPages {
    private static final LongAdder WAITING = new LongAdder();
    private static final LongAdder FETCHING = new LongAdder();
    private static final LongAdder ALL = new LongAdder();
    private static final LongAdder PAGES = new LongAdder();

    private record Line(Socket socket, DataInputStream in, DataOutputStream out) {
    }

    private final ConcurrentHashMap<Integer, String> pages = new ConcurrentHashMap<>();
    private final BlockingQueue<Line> lines = new ArrayBlockingQueue<>(40);
    private final AtomicInteger newest = new AtomicInteger();

    private String fetch(int product) {
        long start = System.nanoTime();
        try {
            Line line = lines.take();
            line.out().writeInt(product);
            String page = line.in().readUTF();
            lines.put(line);
            return page;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        } finally {
            FETCHING.add(System.nanoTime() - start);
        }
    }

    private String page(int product) {
        pages.remove(product - 2000);
        return pages.computeIfAbsent(product, this::fetch);
    }

    private void visit() {
        long length = 0;
        try {
            while (length >= 0) {
                int product = newest.incrementAndGet();
                long start = System.nanoTime();
                length += page(product).length();
                ALL.add(System.nanoTime() - start);
                PAGES.increment();
                int pause = 20 + ThreadLocalRandom.current().nextInt(20);
                long paused = System.nanoTime();
                Thread.sleep(pause);
                WAITING.add(System.nanoTime() - paused - pause * 1_000_000L);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The service behind it, which has a thread for each connection and needs 8 ms. */
    private static void store(Socket socket) {
        try (DataInputStream in = new DataInputStream(socket.getInputStream());
                DataOutputStream out = new DataOutputStream(socket.getOutputStream())) {
            for (;;) {
                int product = in.readInt();
                Thread.sleep(8);
                out.writeUTF("<h1>Product " + product + "</h1><p>in stock: " + product % 17 + "</p>");
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void connect() throws IOException {
        try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            for (int i = 0; i < 40; i++) {
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.getLocalPort());
                socket.setTcpNoDelay(true);
                Socket other = server.accept();
                new Thread(() -> store(other), "store-" + i).start();
                lines.add(new Line(socket, new DataInputStream(socket.getInputStream()), new DataOutputStream(socket.getOutputStream())));
            }
        }
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        ProductPages shop = new ProductPages();
        shop.connect();
        for (int i = 0; i < 60; i++) {
            Thread.ofVirtual().name("visitor-" + i).start(shop::visit);
        }
        System.out.println("READY");
        for (;;) {
            Thread.sleep(1000);
            long count = PAGES.sumThenReset() + 1;
            System.out.println("measured: " + count + " pages of a second, " + WAITING.sumThenReset() / count / 1000
                    + " us until a carrier is free, then " + ALL.sumThenReset() / count / 1000
                    + " us a page, of which fetch() is " + FETCHING.sumThenReset() / count / 1000 + " us");
        }
    }
}
