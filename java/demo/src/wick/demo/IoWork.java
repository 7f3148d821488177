/* SPDX-License-Identifier: Apache-2.0 */
package wick.demo;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * {@code /io?kib=N}: writes a file, forces it to the disk and reads it back, then sends as much through a loopback socket
 * to an echo server of its own.
 */
final class IoWork implements Endpoint {
    private static final int BLOCK_BYTES = 8192;

    private final ServerSocket echoServer = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final ExecutorService echoPool = Executors.newCachedThreadPool(new NamedThreads("echo"));

    IoWork() throws IOException {
        NamedThreads.daemon("echo-acceptor", this::acceptForEver).start();
    }

    @Override
    public String handle(Query query) throws IOException {
        int bytes = query.get("kib", 256, 64 * 1024) * 1024;
        return throughFile(bytes) + " bytes by file, " + throughSocket(bytes) + " bytes by socket";
    }

    private static long throughFile(int bytes) throws IOException {
        Path file = Files.createTempFile("wick-demo", ".bin");
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            ByteBuffer block = ByteBuffer.allocate(BLOCK_BYTES);
            for (int written = 0; written < bytes; written += BLOCK_BYTES) {
                block.clear();
                channel.write(block);
            }
            channel.force(true);
            channel.position(0);
            long total = 0;
            for (int n = 0; n >= 0; n = channel.read(block)) {
                total += n;
                block.clear();
            }
            return total;
        } finally {
            Files.delete(file);
        }
    }

    private long throughSocket(int bytes) throws IOException {
        byte[] block = new byte[BLOCK_BYTES];
        long total = 0;
        try (Socket socket = new Socket(echoServer.getInetAddress(), echoServer.getLocalPort())) {
            socket.setTcpNoDelay(true);
            OutputStream out = socket.getOutputStream();
            DataInputStream in = new DataInputStream(socket.getInputStream());
            for (; total < bytes; total += BLOCK_BYTES) {
                out.write(block);
                in.readFully(block);
            }
        }
        return total;
    }

    private void acceptForEver() {
        while (true) {
            try {
                Socket socket = echoServer.accept();
                echoPool.execute(() -> echo(socket));
            } catch (IOException e) {
                System.err.println("demo: the echo server stopped: " + e);
                return;
            }
        }
    }

    private static void echo(Socket socket) {
        byte[] block = new byte[BLOCK_BYTES];
        // Closing a socket's stream closes the socket.
        try (InputStream in = socket.getInputStream(); OutputStream out = socket.getOutputStream()) {
            for (int n = in.read(block); n >= 0; n = in.read(block)) {
                out.write(block, 0, n);
            }
        } catch (IOException e) {
            System.err.println("demo: a client of the echo server went away: " + e);
        }
    }
}
