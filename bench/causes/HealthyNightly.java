// SPDX-License-Identifier: Apache-2.0
// healthy: a nightly batch uses two CPUs for work of its own, in even parts
// jvm: -Xmx128m -XX:+UseParallelGC
// jdk: 11
// set: fifth
import java.util.Arrays;

/** Statements of accounts: two threads have half of the accounts each, and share nothing. */
public final class HealthyNightly {
    private static final int THREADS = 2;
    private static final int BOOKINGS = 3000;
    private static volatile long statements;

    private final long[] cents = new long[BOOKINGS];
    private final int[] days = new int[BOOKINGS];
    private final int[] order = new int[BOOKINGS];
    private final long[] balances = new long[BOOKINGS];
    private final byte[] text = new byte[BOOKINGS * 4];

    private void read(int account) {
        int seed = account;
        for (int i = 0; i < BOOKINGS; i++) {
            seed = seed * 1103515245 + 12345;
            cents[i] = (seed >> 8) % 10000;
            seed = seed * 1103515245 + 12345;
            days[i] = (seed >>> 8) % 365;
        }
    }

    private void sortByDay() {
        int[] starts = new int[366];
        for (int day : days) {
            starts[day + 1]++;
        }
        for (int day = 1; day < starts.length; day++) {
            starts[day] += starts[day - 1];
        }
        for (int i = 0; i < BOOKINGS; i++) {
            order[starts[days[i]]++] = i;
        }
    }

    private void balance() {
        long sum = 0;
        for (int i = 0; i < BOOKINGS; i++) {
            sum += cents[order[i]];
            balances[i] = sum % 1_000_003 + sum / 7;
        }
    }

    private long interest() {
        long interest = 0;
        for (int i = 1; i < BOOKINGS; i++) {
            int length = days[order[i]] - days[order[i - 1]];
            interest += balances[i - 1] * length / 36500;
        }
        return interest;
    }

    private void print() {
        for (int i = 0; i < BOOKINGS; i++) {
            int value = (int) (balances[i] & 0xffff);
            for (int digit = 3; digit >= 0; digit--) {
                text[i * 4 + digit] = (byte) ('0' + value % 10);
                value /= 10;
            }
        }
    }

    private long checksum() {
        long sum = 0;
        for (byte b : text) {
            sum = sum * 31 + b;
        }
        return sum;
    }

    private void run(int first) {
        long sum = 0;
        for (int account = first;; account += THREADS) {
            read(account);
            sortByDay();
            balance();
            sum += interest();
            print();
            sum += checksum();
            statements = sum;
            if (account % 100_000 == 0) {
                Arrays.fill(balances, 0);
            }
        }
    }

    public static void main(String[] args) {
        for (int i = 0; i < THREADS; i++) {
            int first = i;
            new Thread(() -> new HealthyNightly().run(first), "statements-" + i).start();
        }
        System.out.println("READY");
    }
}
