// SPDX-License-Identifier: Apache-2.0
/** For several JVMs that can be distinguished by their methods: each runs another of these classes, which compute, allocate and call each other. */
public class Apart {
    static volatile long sink;

    public static void main(String[] args) throws Exception {
        Runnable work = (Runnable) Class.forName("Apart$" + args[0]).getDeclaredConstructor().newInstance();
        System.out.println("up");
        while (true)
            work.run();
    }

    static class Amber implements Runnable {
        public void run() { amberOuter(300); }
        static void amberOuter(int n) { for (int i = 0; i < n; i++) amberInner(i); }
        static void amberInner(int n) { long x = n; for (int i = 0; i < 20000; i++) x = x * 31 + (x >>> 7); sink = x; }
    }

    static class Birch implements Runnable {
        public void run() { birchOuter(300); }
        static void birchOuter(int n) { for (int i = 0; i < n; i++) birchInner(new StringBuilder()); }
        static void birchInner(StringBuilder b) { for (int i = 0; i < 2000; i++) b.append(i); sink = b.length(); }
    }

    static class Cedar implements Runnable {
        public void run() { cedarOuter(20); }
        static void cedarOuter(int n) { if (n > 0) cedarOuter(n - 1); else cedarInner(); }
        static void cedarInner() { double x = 1; for (int i = 1; i < 100000; i++) x += Math.sqrt(x + i) / i; sink = (long) x; }
    }

    static class Daisy implements Runnable {
        final java.util.HashMap<Integer, byte[]> map = new java.util.HashMap<>();
        public void run() { daisyOuter(); }
        void daisyOuter() { for (int i = 0; i < 5000; i++) daisyInner(i); }
        void daisyInner(int i) { map.put(i & 1023, new byte[256]); byte[] b = map.get(i * 7 & 1023); sink += b == null ? 0 : b.length; }
    }
}
