// SPDX-License-Identifier: Apache-2.0
// cause: two accounts are locked in the order of the transfer
// expect: stuck frame=Deadlock.transfer
// symptom: waiting lock-contention
// jdk: 21
public final class Deadlock {
    private int balance = 1000;

    private static void transfer(Deadlock from, Deadlock to) {
        synchronized (from) {
            pause(30);
            synchronized (to) {
                from.balance--;
                to.balance++;
            }
        }
    }

    private static void pause(int ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void transfers(Deadlock from, Deadlock to) {
        for (;;) {
            transfer(from, to);
        }
    }

    public static void main(String[] args) {
        Deadlock a = new Deadlock(), b = new Deadlock();
        new Thread(() -> transfers(a, b), "teller-1").start();
        new Thread(() -> transfers(b, a), "teller-2").start();
        pause(300);
        System.out.println("READY");
    }
}
