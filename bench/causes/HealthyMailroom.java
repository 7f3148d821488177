// SPDX-License-Identifier: Apache-2.0
// healthy: a few requests a second hand a letter to one of three clerks by wait and notify and get their answer in a ms; the clerks look after themselves with wait(250)
// jdk: 11
// set: eleventh
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.LongAdder;

/** A mailroom whose clerks have hardly anything to do. */
public final class HealthyMailroom {
    private static final LongAdder ANSWER = new LongAdder();
    private static final LongAdder LETTERS = new LongAdder();

    private static final class Letter {
        private final int number;
        private int answer = -1;

        private Letter(int number) {
            this.number = number;
        }

        private synchronized int await() throws InterruptedException {
            while (answer < 0) {
                wait();
            }
            return answer;
        }

        private synchronized void answer(int value) {
            answer = value;
            notify();
        }
    }

    private final Deque<Letter> letters = new ArrayDeque<>();

    private synchronized Letter next() throws InterruptedException {
        while (letters.isEmpty()) {
            wait(250);
        }
        return letters.removeFirst();
    }

    private synchronized void post(Letter letter) {
        letters.addLast(letter);
        notify();
    }

    private void clerk() {
        try {
            for (;;) {
                Letter letter = next();
                int sum = 0;
                for (int i = 0; i < 5000; i++) {
                    sum += (letter.number * i) % 7;
                }
                letter.answer(sum);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void requests() {
        try {
            for (int n = 0;; n++) {
                long start = System.nanoTime();
                Letter letter = new Letter(n);
                post(letter);
                letter.await();
                ANSWER.add(System.nanoTime() - start);
                LETTERS.increment();
                Thread.sleep(150);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        HealthyMailroom room = new HealthyMailroom();
        for (int i = 0; i < 3; i++) {
            new Thread(room::clerk, "clerk-" + i).start();
        }
        for (int i = 0; i < 2; i++) {
            new Thread(room::requests, "request-" + i).start();
        }
        System.out.println("READY");
        for (;;) {
            Thread.sleep(1000);
            System.out.println("measured: a letter is answered after " + ANSWER.sumThenReset() / (LETTERS.sumThenReset() + 1) / 1000 + " us");
        }
    }
}
