// SPDX-License-Identifier: Apache-2.0
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.tomcat.util.threads.TaskQueue;
import org.apache.tomcat.util.threads.TaskThreadFactory;

/** Tomcat's pool, whose class and whose threads' tasks are its own, and one of the JDK with threads of Netty's factory. */
public class WebPools {
    static volatile Object garbage;

    static void never() {
        try {
            Thread.sleep(Long.MAX_VALUE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws Exception {
        TaskQueue waiting = new TaskQueue(500);
        org.apache.tomcat.util.threads.ThreadPoolExecutor web = new org.apache.tomcat.util.threads.ThreadPoolExecutor(
            4, 10, 1, TimeUnit.HOURS, waiting, new TaskThreadFactory("web-", true, Thread.NORM_PRIORITY));
        waiting.setParent(web);
        java.util.concurrent.ThreadPoolExecutor calls = new java.util.concurrent.ThreadPoolExecutor(
            2, 2, 1, TimeUnit.HOURS, new LinkedBlockingQueue<>(), new DefaultThreadFactory("calls", true));
        for (int i = 0; i < 47; i++) {
            web.execute(WebPools::never);
        }
        for (int i = 0; i < 31; i++) {
            calls.execute(WebPools::never);
        }
        System.out.println("up");
        for (int i = 0;; i++) {
            garbage = new byte[10_000];
            if (i % 100 == 0) {
                Thread.sleep(3);
            }
        }
    }
}
