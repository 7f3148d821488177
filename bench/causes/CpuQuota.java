// SPDX-License-Identifier: Apache-2.0
// cause: the cgroup may use a third of a CPU, and the program needs two
// expect: cpu-limit
// symptom: cpu-starvation hot-method hot-calls
// cpu: 0.33
// jdk: 17
public final class CpuQuota {
    private static volatile long sum;

    private static long mix(long x) {
        return (x ^ x >>> 31) * 0x9E3779B97F4A7C15L;
    }

    private static void compute() {
        for (long i = 1;; i++) {
            long x = i;
            for (int k = 0; k < 100; k++) {
                x = mix(x) + Long.rotateLeft(x, 7);
            }
            sum += x;
        }
    }

    public static void main(String[] args) {
        for (int i = 0; i < 2; i++) {
            new Thread(CpuQuota::compute, "worker-" + i).start();
        }
        System.out.println("READY");
    }
}
