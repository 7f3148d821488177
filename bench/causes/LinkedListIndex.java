// SPDX-License-Identifier: Apache-2.0
// cause: a report walks a LinkedList by index
// expect: hot-method caller=LinkedListIndex.total | hot-calls frame=LinkedListIndex.total | hot-code frame=LinkedListIndex.total
// symptom: hot-method
// jdk: 17
// set: third
import java.util.LinkedList;
import java.util.List;

public final class LinkedListIndex {
    private static volatile long result;

    private static long total(List<Integer> orders) {
        long sum = 0;
        for (int i = 0; i < orders.size(); i++) {
            sum += orders.get(i);
        }
        return sum;
    }

    public static void main(String[] args) throws Exception {
        List<Integer> orders = new LinkedList<>();
        for (int i = 0; i < 20_000; i++) {
            orders.add(i);
        }
        System.out.println("READY");
        for (;;) {
            result += total(orders);
            Thread.sleep(20);
        }
    }
}
