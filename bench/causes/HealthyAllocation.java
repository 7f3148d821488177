// SPDX-License-Identifier: Apache-2.0
// healthy: allocates steadily, and the collector has little to do
// jvm: -Xmx256m
// jdk: 17
import java.util.ArrayList;
import java.util.List;

public final class HealthyAllocation {
    private static volatile int size;

    private static List<String> answer(int n) {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            lines.add("line " + (n + i));
        }
        return lines;
    }

    public static void main(String[] args) throws InterruptedException {
        System.out.println("READY");
        for (int n = 0;; n++) {
            size = answer(n).size();
            Thread.sleep(1);
        }
    }
}
