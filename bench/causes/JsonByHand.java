// SPDX-License-Identifier: Apache-2.0
// cause: a server formats each number of its answer with String.format
// expect: hot-code frame=JsonByHand | hot-calls frame=JsonByHand
// symptom: hot-method gc-pauses gc-cpu
// jdk: 21
// set: third
public final class JsonByHand {
    private static volatile int bytes;

    private static String render(int id) {
        StringBuilder out = new StringBuilder("[");
        for (int i = 0; i < 200; i++) {
            out.append(String.format("{\"id\":%d,\"price\":%.2f},", id + i, i * 1.25));
        }
        return out.append("]").toString();
    }

    private static void serve() {
        try {
            for (int id = 0;; id++) {
                bytes += render(id).length();
                Thread.sleep(1);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) {
        for (int i = 0; i < 3; i++) {
            new Thread(JsonByHand::serve, "http-" + i).start();
        }
        System.out.println("READY");
    }
}
