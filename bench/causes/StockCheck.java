// SPDX-License-Identifier: Apache-2.0
// cause: the stock service, in the same process, answers with a single thread, and every item of a basket asks it
// expect: pool-busy pool=stock | waiting frame=StockCheck.shelf
// symptom: waiting
// jdk: 21
// set: seventh

import com.sun.net.httpserver.*;
import java.net.*;
import java.net.http.*;
import java.util.*;
import java.util.concurrent.*;

public class StockCheck {
    static URI stock;

    static void shelf(HttpExchange exchange) throws java.io.IOException {
        try {
            Thread.sleep(15); // the scale at the shelf
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        byte[] body = Integer.toString(exchange.getRequestURI().getQuery().length() % 7).getBytes();
        exchange.sendResponseHeaders(200, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    static int available(HttpClient client, String item) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(stock.resolve("/stock?" + item)).build();
        return Integer.parseInt(client.send(request, HttpResponse.BodyHandlers.ofString()).body());
    }

    static int checkout(HttpClient client, List<String> basket) throws Exception {
        int missing = 0;
        for (String item : basket)
            if (available(client, item) == 0)
                missing++;
        return missing;
    }

    public static void main(String[] args) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/stock", StockCheck::shelf);
        server.setExecutor(Executors.newSingleThreadExecutor(task -> new Thread(task, "stock")));
        server.start();
        stock = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
        HttpClient client = HttpClient.newHttpClient();
        for (int n = 0; n < 5; n++) {
            int number = n;
            new Thread(() -> {
                try {
                    while (true)
                        checkout(client, List.of("a" + number, "cup", "kettle", "tray"));
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            }, "checkout-" + n).start();
        }
        System.out.println("READY");
    }
}
