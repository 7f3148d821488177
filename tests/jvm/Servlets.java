// SPDX-License-Identifier: Apache-2.0
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.apache.catalina.Context;
import org.apache.catalina.startup.Tomcat;

/**
 * A Tomcat with an application that knows nothing of wick, in the folder that is given; prints its port. /shop/... works for some
 * milliseconds, /async/... answers in another thread, /fail throws, everything else is not found.
 */
public class Servlets {
    static volatile long sink;

    static class Shop extends HttpServlet {
        private static final long serialVersionUID = 1;

        @Override
        protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
            long end = System.nanoTime() + 5_000_000;
            while (System.nanoTime() < end) {
                sink++;
            }
            response.getWriter().println("shop " + request.getPathInfo());
        }
    }

    static class Async extends HttpServlet {
        private static final long serialVersionUID = 1;

        @Override
        protected void service(HttpServletRequest request, HttpServletResponse response) {
            AsyncContext later = request.startAsync();
            later.start(() -> {
                try {
                    later.getResponse().getWriter().println("later");
                } catch (IOException e) {
                    throw new IllegalStateException(e);
                }
                later.complete();
            });
        }
    }

    static class Fail extends HttpServlet {
        private static final long serialVersionUID = 1;

        @Override
        protected void service(HttpServletRequest request, HttpServletResponse response) {
            throw new IllegalStateException("as it is meant to");
        }
    }

    public static void main(String[] args) throws Exception {
        Path base = Paths.get(args[0]);
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(base.toString());
        tomcat.setPort(0);
        tomcat.getConnector().setProperty("address", "127.0.0.1");
        Context context = tomcat.addWebapp("", Files.createDirectories(base.resolve("ROOT")).toString());
        Tomcat.addServlet(context, "shop", new Shop());
        Tomcat.addServlet(context, "async", new Async()).setAsyncSupported(true);
        Tomcat.addServlet(context, "fail", new Fail());
        context.addServletMappingDecoded("/shop/*", "shop");
        context.addServletMappingDecoded("/async/*", "async");
        context.addServletMappingDecoded("/fail", "fail");
        tomcat.start();
        System.out.println("port " + tomcat.getConnector().getLocalPort());
        tomcat.getServer().await();
    }
}
