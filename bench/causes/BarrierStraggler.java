// SPDX-License-Identifier: Apache-2.0
// cause: in each round all wait at the barrier for one party that has far more to do
// expect: waiting kind=latch frame=BarrierStraggler.round | saturated-thread thread=party-0 frame=BarrierStraggler.diffuse
// symptom: waiting hot-method hot-calls hot-code
// jdk: 17
// set: second
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;

public final class BarrierStraggler {
    private static final CyclicBarrier BARRIER = new CyclicBarrier(4);
    private static final double[][] CELLS = new double[4][20_000];

    private static void diffuse(double[] cells) {
        for (int i = 1; i < cells.length - 1; i++) {
            cells[i] = (cells[i - 1] + 2 * cells[i] + cells[i + 1]) / 4;
        }
    }

    private static void advect(double[] cells) {
        for (int i = cells.length - 1; i > 0; i--) {
            cells[i] = 0.7 * cells[i] + 0.3 * cells[i - 1] + 1e-9;
        }
    }

    private static void round(int party) throws InterruptedException, BrokenBarrierException {
        for (int step = 0; step < (party == 0 ? 300 : 10); step++) {
            diffuse(CELLS[party]);
            advect(CELLS[party]);
        }
        BARRIER.await();
    }

    private static void compute(int party) {
        try {
            for (;;) {
                round(party);
            }
        } catch (InterruptedException | BrokenBarrierException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) {
        for (int i = 0; i < 4; i++) {
            int party = i;
            new Thread(() -> compute(party), "party-" + i).start();
        }
        System.out.println("READY");
    }
}
