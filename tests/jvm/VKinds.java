// SPDX-License-Identifier: Apache-2.0
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;
import wick.Scope;
import wick.Wick;

/**
 * Virtual threads that wait in a span for as long as the program runs, so many of each kind, each kind in an endpoint of its
 * name: semaphore, sleep, queue, socket, turn (computes and sleeps in turn), and those of the arguments: monitor (a platform
 * thread holds it), wait (Object.wait), twice (a collection comes after the first of two waits, so that the frames of
 * the second are in a chunk of their own), carrier (could run, but one that computes has the only carrier). Each waits
 * below DEPTH calls of its own. "burst": many other virtual threads have had a span before. "garbage": a platform thread makes
 * garbage all the while, and some of it lives for a time; "litter": until GARBAGE_NS have passed.
 * Prints {@code up} once all have begun. Written for JDK 8's language; virtual threads are asked for by name.
 */
@SuppressWarnings("try")
public class VKinds {
    static final int DEPTH = 12, BURST = 20_000;
    static final long GARBAGE_NS = 3_000_000_000L;
    static final Semaphore none = new Semaphore(0), gate = new Semaphore(0);
    static final List<Thread> parked = new ArrayList<>();
    static final List<Socket> peers = new ArrayList<>();
    static final LinkedBlockingQueue<String> empty = new LinkedBlockingQueue<>();
    static final Object held = new Object();
    static CountDownLatch begun;
    static volatile long sink;
    static volatile Object[] kept = new Object[1 << 14];

    interface Wait {
        void run() throws Exception;
    }

    static void down(int depth, Wait wait) throws Exception {
        if (depth > 0) {
            down(depth - 1, wait);
        } else {
            begun.countDown();
            while (true) {
                wait.run();
            }
        }
        sink++; // no tail call
    }

    static void compute(long nanos) {
        for (long end = System.nanoTime() + nanos; System.nanoTime() < end;) {
            sink += System.nanoTime() ^ end;
        }
    }

    static void turn() throws Exception {
        compute(2_000_000);
        Thread.sleep(2);
    }

    static void twice() throws Exception {
        gate.acquire();
        none.acquire();
    }

    static void openGate(int threads) throws Exception {
        while (gate.getQueueLength() < threads) {
            Thread.sleep(1);
        }
        System.gc();
        gate.release(threads);
        while (gate.availablePermits() > 0 || gate.hasQueuedThreads()) {
            Thread.sleep(1);
        }
    }

    static void enter() {
        synchronized (held) {
            sink++;
        }
    }

    static void garbage(long nanos) {
        long begin = System.nanoTime();
        for (int i = 0; i % 1024 != 0 || System.nanoTime() - begin < nanos; i++) {
            kept[i * 31 & kept.length - 1] = new byte[i % 2000];
        }
    }

    static boolean isGarbage(String kind) {
        return kind.equals("garbage") || kind.equals("litter");
    }

    static Thread platform(String name, Runnable work) {
        Thread t = new Thread(work, name);
        t.setDaemon(true);
        t.start();
        return t;
    }

    static ThreadFactory factory() throws Exception {
        Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
        return (ThreadFactory) Class.forName("java.lang.Thread$Builder").getMethod("factory").invoke(builder);
    }

    static Wait of(String kind) throws Exception {
        if (kind.equals("semaphore")) {
            return none::acquire;
        } else if (kind.equals("sleep")) {
            return () -> Thread.sleep(Long.MAX_VALUE);
        } else if (kind.equals("queue")) {
            return empty::take;
        } else if (kind.equals("turn")) {
            return VKinds::turn;
        } else if (kind.equals("monitor")) {
            return VKinds::enter;
        } else if (kind.equals("wait")) {
            return () -> {
                Object own = new Object();
                synchronized (own) {
                    own.wait();
                }
            };
        } else if (kind.equals("twice")) {
            return VKinds::twice;
        } else if (kind.equals("carrier")) {
            return LockSupport::park;
        }
        Socket here = new Socket(InetAddress.getLoopbackAddress(), server.getLocalPort());
        peers.add(server.accept());
        return () -> here.getInputStream().read();
    }

    static ServerSocket server;

    static void burst(ThreadFactory factory) throws Exception {
        CountDownLatch all = new CountDownLatch(BURST), ended = new CountDownLatch(BURST);
        for (int i = 0; i < BURST; i++) {
            factory.newThread(() -> {
                try (Scope s = Wick.span("burst")) {
                    all.countDown();
                    all.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                ended.countDown();
            }).start();
        }
        ended.await();
    }

    public static void main(String[] args) throws Exception {
        int each = Integer.parseInt(args[0]), kinds = 0;
        server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        ThreadFactory factory = factory();
        for (int i = 1; i < args.length; i++) {
            kinds += isGarbage(args[i]) || args[i].equals("burst") ? 0 : 1;
            if (args[i].equals("burst")) {
                burst(factory);
            }
        }
        begun = new CountDownLatch(each * kinds);
        CountDownLatch holds = new CountDownLatch(1);
        platform("holder", () -> {
            synchronized (held) {
                holds.countDown();
                none.acquireUninterruptibly();
            }
        });
        holds.await();
        for (int i = 1; i < args.length; i++) {
            String kind = args[i];
            if (isGarbage(kind)) {
                platform("garbage", () -> garbage(kind.equals("litter") ? GARBAGE_NS : Long.MAX_VALUE));
                continue;
            } else if (kind.equals("burst")) {
                continue;
            }
            for (int k = 0; k < each; k++) {
                Wait wait = of(kind);
                Thread thread = factory.newThread(() -> {
                    try (Scope s = Wick.span(kind)) {
                        down(DEPTH, wait);
                    } catch (Exception e) {
                        throw new IllegalStateException(e);
                    }
                });
                parked.add(thread);
                thread.start();
            }
        }
        begun.await();
        if (Arrays.asList(args).contains("twice")) {
            openGate(each);
        }
        if (args[1].equals("carrier")) {
            Thread.sleep(500); // all have parked
            factory.newThread(() -> compute(Long.MAX_VALUE / 4)).start();
            Thread.sleep(500); // it has the only carrier
            parked.forEach(LockSupport::unpark);
        }
        System.out.println("up");
        Thread.sleep(Long.MAX_VALUE);
    }
}
