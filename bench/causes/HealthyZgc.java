// SPDX-License-Identifier: Apache-2.0
// healthy: a steady stream of short-lived documents; the concurrent collector keeps up
// jvm: -Xmx256m -XX:+UseZGC
// jdk: 25
// set: seventh

import java.util.*;

public class HealthyZgc {
    static int parse(int number) {
        Map<String, List<String>> document = new HashMap<>();
        for (int i = 0; i < 60; i++)
            document.computeIfAbsent("field" + i % 12, k -> new ArrayList<>()).add("value " + (number ^ i));
        return document.hashCode();
    }

    public static void main(String[] args) {
        for (int n = 0; n < 3; n++) {
            int first = n * 7;
            new Thread(() -> {
                try {
                    for (int i = first; ; i++) {
                        for (int j = 0; j < 20; j++)
                            parse(i + j);
                        Thread.sleep(10);
                    }
                } catch (InterruptedException e) {
                    // ends
                }
            }, "parser-" + n).start();
        }
        System.out.println("READY");
    }
}
