import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;

/** Runs on every release from Java 8 on, with the thread pool that its argument names. */
public class Hello {
    public static void main(String[] args) throws IOException {
        // Headers and body go out as two packets, which without this wait 40 ms
        // for the client's acknowledgement of the first.
        System.setProperty("sun.net.httpserver.nodelay", "true");
        // Beyond this many idle connections, 200 by default, keep-alive is cut.
        System.setProperty("sun.net.httpserver.maxIdleConnections", "100000");
        int port = Integer.parseInt(System.getenv("PORT"));
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
        server.setExecutor(pool(args[0]));
        server.createContext("/", exchange -> {
            byte[] text = "Hello World\n".getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "text/plain");
            exchange.sendResponseHeaders(200, text.length);
            exchange.getResponseBody().write(text);
            exchange.close();
        });
        server.start();
    }

    private static Executor pool(String kind) {
        switch (kind) {
            case "cached":
                return Executors.newCachedThreadPool();
            case "fixed":
                return Executors.newFixedThreadPool(125);
            default:
                throw new IllegalArgumentException("no such thread pool: " + kind);
        }
    }
}
