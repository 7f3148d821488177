// SPDX-License-Identifier: Apache-2.0
// cause: one method, a naive search, has most of the CPU time
// expect: hot-method frame=HotInnerLoop.find
// symptom: hot-code
// jdk: 21
public final class HotInnerLoop {
    private static volatile int found;

    private static int find(int[] all, int wanted) {
        for (int i = 0; i < all.length; i++) {
            if (all[i] == wanted) {
                return i;
            }
        }
        return -1;
    }

    public static void main(String[] args) {
        int[] all = new int[50_000];
        for (int i = 0; i < all.length; i++) {
            all[i] = i * 7;
        }
        System.out.println("READY");
        for (int n = 0;; n++) {
            found = find(all, n % (8 * all.length));
        }
    }
}
