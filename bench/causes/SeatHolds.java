// SPDX-License-Identifier: Apache-2.0
// cause: the lock of the hall is held while the pricing service is asked
// expect: waiting frame=SeatHolds.price | waiting holder=SeatHolds.price
// symptom: waiting
// jdk: 25
// set: seventh

import java.io.*;
import java.net.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.locks.ReentrantLock;

public class SeatHolds {
    static final ReentrantLock HALL = new ReentrantLock();
    static final Map<Integer, Integer> HELD = new HashMap<>();
    static BufferedReader answers;
    static OutputStream questions;

    static int price(int seat) throws IOException {
        questions.write((seat + "\n").getBytes());
        return Integer.parseInt(answers.readLine());
    }

    static int reserve(int seat) throws IOException {
        HALL.lock();
        try {
            int cents = price(seat);
            HELD.put(seat, cents);
            return cents;
        } finally {
            HALL.unlock();
        }
    }

    static void pricing() throws Exception {
        ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        System.out.println(server.getLocalPort());
        try (Socket one = server.accept();
             BufferedReader in = new BufferedReader(new InputStreamReader(one.getInputStream()))) {
            for (String line; (line = in.readLine()) != null; ) {
                Thread.sleep(12);
                one.getOutputStream().write((Integer.parseInt(line) % 40 + 19 + "\n").getBytes());
            }
        }
    }

    public static void main(String[] args) throws Exception {
        if (args.length > 0) {
            pricing();
            return;
        }
        Process child = new ProcessBuilder(System.getProperty("java.home") + "/bin/java", "-Xmx16m", "-cp",
                System.getProperty("java.class.path"), "SeatHolds", "pricing").start();
        int port = Integer.parseInt(new BufferedReader(new InputStreamReader(child.getInputStream())).readLine());
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
        answers = new BufferedReader(new InputStreamReader(socket.getInputStream()));
        questions = socket.getOutputStream();
        ExecutorService requests = Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("request-", 0).factory());
        System.out.println("READY");
        for (int i = 0; ; i++) {
            int seat = i % 900;
            if (HALL.getQueueLength() < 40)
                requests.submit(() -> reserve(seat));
            Thread.sleep(8);
        }
    }
}
