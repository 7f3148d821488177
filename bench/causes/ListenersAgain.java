// SPDX-License-Identifier: Apache-2.0
// cause: each reconnect registers the listener again and none is ever removed, so each tick is handled thousands of times: Feed.publish, Book.onTick
// expect: hot-code frame=ListenersAgain$Book | hot-method frame=ListenersAgain$Book | hot-method caller=ListenersAgain$Book | hot-calls frame=ListenersAgain$Book | endpoint-cpu frame=ListenersAgain$Book | saturated-thread frame=ListenersAgain$Book | hot-code frame=ListenersAgain$Feed | hot-method frame=ListenersAgain$Feed | hot-method caller=ListenersAgain$Feed | hot-calls frame=ListenersAgain$Feed | endpoint-cpu frame=ListenersAgain$Feed | saturated-thread frame=ListenersAgain$Feed
// judge: right is what says that CPU time goes to ListenersAgain$Book.onTick or ListenersAgain$Feed.publish (or code called by them, with one of them named)
// jdk: 11
// set: twelfth
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;

public final class ListenersAgain {
    private interface Listener {
        void onTick(int instrument, double price);
    }

    /** A feed of prices, which listeners subscribe to. */
    private static final class Feed {
        private final List<Listener> listeners = new CopyOnWriteArrayList<>();

        private void subscribe(Listener listener) {
            listeners.add(listener);
        }

        private void publish(int instrument, double price) {
            for (Listener listener : listeners) {
                listener.onTick(instrument, price);
            }
        }
    }

    private static final class Book {
        private final double[] last = new double[500];
        private final double[] mean = new double[500];
        private volatile double index;

        private void onTick(int instrument, double price) {
            last[instrument] = price;
            mean[instrument] += (price - mean[instrument]) / 16;
            double sum = 0;
            for (int i = 0; i < last.length; i++) {
                sum += last[i] * (1 + i % 7) - mean[i];
            }
            index = sum;
        }
    }

    private final Feed feed = new Feed();
    private final Book book = new Book();

    private void connect() {
        feed.subscribe(book::onTick);
    }

    private void receive() {
        try {
            for (int tick = 0;; tick++) {
                feed.publish(tick % 500, 100 + ThreadLocalRandom.current().nextDouble());
                Thread.sleep(2);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void watch() {
        try {
            for (;;) {
                Thread.sleep(100);
                connect(); // the session expired
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        ListenersAgain client = new ListenersAgain();
        for (int reconnects = 0; reconnects < 3000; reconnects++) {
            client.connect(); // what happened in the night
        }
        new Thread(client::receive, "feed").start();
        new Thread(client::watch, "session-watch").start();
        System.out.println("READY");
        for (;;) {
            Thread.sleep(1000);
            System.out.println("index " + client.book.index);
        }
    }
}
