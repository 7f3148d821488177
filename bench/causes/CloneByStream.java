// SPDX-License-Identifier: Apache-2.0
// cause: an order is copied by writing and reading it with object streams, for each request
// expect: hot-code kind=serialisation frame=CloneByStream | hot-calls frame=CloneByStream.copy
// symptom: hot-method hot-code gc-cpu gc-pauses
// jvm: -Xmx256m -XX:+UseG1GC
// jdk: 17
// set: fifth
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import wick.Scope;
import wick.Wick;

/** A cache hands out deep copies, fifty for a request, so that nobody can change what it holds. */
public final class CloneByStream {
    private static final int WORKERS = 2;
    private static volatile long total;

    private final Map<Integer, Order> cache = new HashMap<>();

    private static final class Line implements Serializable {
        private static final long serialVersionUID = 1;
        private final String article;
        private final long cents;
        private final int pieces;

        private Line(String article, long cents, int pieces) {
            this.article = article;
            this.cents = cents;
            this.pieces = pieces;
        }
    }

    private static final class Order implements Serializable {
        private static final long serialVersionUID = 1;
        private final List<Line> lines = new ArrayList<>();
        private final Map<String, String> notes = new HashMap<>();

        private Order(int number) {
            for (int i = 0; i < 60; i++) {
                lines.add(new Line("article-" + (number * 31 + i), 100L + i, 1 + i % 4));
            }
            for (int i = 0; i < 10; i++) {
                notes.put("note-" + i, "please deliver after " + (i + 8) + " o'clock");
            }
        }

        private long sum() {
            long sum = 0;
            for (Line line : lines) {
                sum += line.cents * line.pieces;
            }
            return sum;
        }
    }

    private static Order copy(Order order) throws IOException, ClassNotFoundException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(order);
        }
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            return (Order) in.readObject();
        }
    }

    private void serve(int worker) {
        try {
            for (int n = worker;; n++) {
                try (Scope request = Wick.span("GET /orders")) {
                    for (int i = 0; i < 50; i++) {
                        Order order = copy(cache.get((n + i) % cache.size()));
                        total += order.sum();
                    }
                }
                Thread.sleep(2); // the next request
            }
        } catch (IOException | ClassNotFoundException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) {
        CloneByStream service = new CloneByStream();
        for (int number = 0; number < 100; number++) {
            service.cache.put(number, new Order(number));
        }
        for (int i = 0; i < WORKERS; i++) {
            int worker = i;
            new Thread(() -> service.serve(worker), "http-" + i).start();
        }
        System.out.println("READY");
    }
}
