import ScanCluster
import Foundation
import ScanNetwork
import Testing

import ScanDashboard
import ScanSockets

/// The server over real sockets.
@Suite("dashboard server", .timeLimit(.minutes(10)), .serialized) struct DashboardServerTests {
    private let loopback = SocketAddress(host: "127.0.0.1", port: 0)
    private let cookie = "Cookie: skyfarm_PORT=secret"

    /// Serves `source` while `body` runs.
    private func serve(
        _ source: Counter = Counter(), _ options: DashboardServer.Options = .init(),
        _ body: (DashboardServer) async throws -> Void
    ) async throws {
        var options = options
        options.interval = 0.02
        let server = try DashboardServer(listen: loopback, source: source, token: "secret", options: options)
        do {
            try await body(server)
        } catch {
            await server.close(within: 0.1)
            throw error
        }
        await server.close(within: 0.1)
    }

    @Test("the link of a server on all addresses has the host that browsers on other machines can use")
    func outside() async throws {
        let all = SocketAddress(host: "0.0.0.0", port: 0)
        let server = try DashboardServer(listen: all, source: Counter(), outside: "10.0.0.7", token: "secret")
        #expect(server.link == "http://10.0.0.7:\(server.address.port)/?token=secret")
        await server.close(within: 0.1)
        let own = try DashboardServer(listen: loopback, source: Counter(), outside: "10.0.0.7", token: "secret")
        #expect(own.link == "http://127.0.0.1:\(own.address.port)/?token=secret")
        await own.close(within: 0.1)
    }

    private func watch(_ server: DashboardServer, receiveBuffer: Int32? = nil) throws -> HTTPConnection {
        let connection = try HTTPConnection(server.address, receiveBuffer: receiveBuffer)
        connection.send("GET /events?token=secret HTTP/1.1\r\nHost: localhost\r\n\r\n")
        return connection
    }

    @Test("the link leads to the page by way of a cookie; each answer keeps to itself")
    func link() async throws {
        try await serve { server in
            #expect(server.link == "http://127.0.0.1:\(server.address.port)/?token=secret")
            let welcome = try HTTPReply(to: "/?token=secret", at: server.address)
            #expect(welcome.status == 303 && welcome.headers["location"] == "/")
            let cookie = try #require(welcome.headers["set-cookie"]?.split(separator: ";").first)
            #expect(cookie == "skyfarm_\(server.address.port)=secret")
            let page = try HTTPReply(to: "/", at: server.address, headers: ["Cookie: other=1; \(cookie)"])
            #expect(page.status == 200 && page.body == "<p>page</p>")
            for reply in [welcome, page, try HTTPReply(to: "/", at: server.address)] {
                #expect(reply.headers["x-content-type-options"] == "nosniff")
                #expect(reply.headers["referrer-policy"] == "no-referrer")
                #expect(reply.headers["cache-control"] == "no-store")
                #expect(
                    reply.headers["content-security-policy"]?.hasPrefix("default-src 'none'; script-src 'self'") == true
                )
            }
        }
    }

    @Test("only a page with the token in its path may be framed, and needs no cookie")
    func framed() async throws {
        try await serve { server in
            let framed = try HTTPReply(to: "/secret/", at: server.address)
            #expect(framed.status == 200 && framed.body == "<p>page</p>" && framed.headers["set-cookie"] == nil)
            let usual = try HTTPReply(to: "/?token=secret", at: server.address)
            for (reply, isFramed) in [(framed, true), (usual, false)] {
                let policy = try #require(reply.headers["content-security-policy"])
                #expect((reply.headers["x-frame-options"] == nil) == isFramed)
                #expect(policy.contains("frame-ancestors 'none'") != isFramed && policy.hasPrefix("default-src 'none'"))
            }
            #expect(try HTTPReply(to: "/wrong/", at: server.address).status == 401)
            #expect(try HTTPReply(to: "/secret/nowhere", at: server.address).status == 404)
        }
    }

    @Test("tokens differ from server to server, and have 128 bits")
    func tokens() {
        let tokens = Set((0..<100).map { _ in DashboardServer.randomToken() })
        #expect(tokens.count == 100 && tokens.allSatisfy { $0.count == 32 && $0.allSatisfy(\.isHexDigit) })
    }

    @Test("a wrong token, a foreign host, a method that changes things and an unknown path are refused")
    func refusals() async throws {
        try await serve { server in
            let at = server.address
            for path in ["/", "/?token=wrong", "/events", "/metrics?token=", "/nowhere"] {
                let reply = try HTTPReply(to: path, at: at)
                #expect(reply.status == 401 && !reply.body.contains("secret"))
            }
            #expect(try HTTPReply(to: "/?token=secret", at: at, host: "evil.example").status == 421)
            #expect(try HTTPReply(to: "/healthz", at: at, host: "evil.example:\(at.port)").status == 421)
            let post = try HTTPReply(to: "/?token=secret", at: at, method: "POST", headers: ["Content-Length: 0"])
            #expect(post.status == 405 && post.headers["allow"] == "GET, HEAD")
            #expect(try HTTPReply(to: "/../etc/passwd?token=secret", at: at).status == 404)
            #expect(try HTTPReply(to: "/%2e%2e/etc/passwd?token=secret", at: at).status == 404)
            #expect(try HTTPReply(to: "/metrics?token=secret", at: at, method: "HEAD").body == "")
        }
    }

    @Test("/healthz is for everybody, and says why nothing goes on")
    func health() async throws {
        let source = Counter()
        try await serve(source) { server in
            let well = try HTTPReply(to: "/healthz", at: server.address)
            #expect(well.status == 200 && well.body == "ok\n")
            source.obstruct("nobody is there")
            let ill = try HTTPReply(to: "/healthz", at: server.address)
            #expect(ill.status == 503 && ill.body == "nobody is there\n")
        }
    }

    @Test("/metrics has the source's numbers and the server's own")
    func metrics() async throws {
        let source = Counter()
        source.count()
        try await serve(source) { server in
            let reply = try HTTPReply(
                to: "/metrics", at: server.address, headers: ["Authorization: Bearer secret"])
            #expect(reply.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
            #expect(reply.body.contains("\nskyfarm_count_total 1\n"))
            #expect(reply.body.contains("\nskyfarm_dashboard_watchers 0\n"))
        }
    }

    @Test("headers that are too long, and bytes that are no request, are refused, and others are served")
    func hostile() async throws {
        try await serve { server in
            let long = try HTTPReply(
                to: "/healthz", at: server.address, headers: ["X: " + String(repeating: "a", count: 100_000)])
            #expect([0, 413, 414, 431].contains(long.status))
            let path = "/healthz?" + String(repeating: "a", count: 100_000)
            #expect([0, 413, 414, 431].contains(try HTTPReply(to: path, at: server.address).status))
            let connection = try HTTPConnection(server.address)
            connection.send("\u{16}\u{3}\u{1} no HTTP\r\n\r\n")
            #expect([0, 400].contains(HTTPReply(try connection.read()).status))
            #expect(try HTTPReply(to: "/healthz", at: server.address).status == 200)
        }
    }

    @Test("who brings no request in time is sent away, a byte now and then or not")
    func late() async throws {
        var options = DashboardServer.Options()
        options.requestSeconds = 0.3
        try await serve(Counter(), options) { server in
            let silent = try HTTPConnection(server.address)
            let trickling = try HTTPConnection(server.address)
            trickling.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: ")
            let start = ContinuousClock.now
            // Reads end when the server closes.
            #expect(try silent.read() == "")
            while trickling.send("a"), ContinuousClock.now - start < .seconds(10) {
                var poll = pollfd(fd: trickling.descriptor, events: Int16(POLLIN), revents: 0)
                if Foundation.poll(&poll, 1, 20) > 0 { break }
            }
            #expect(ContinuousClock.now - start < .seconds(10))
            #expect(try HTTPReply(to: "/healthz", at: server.address).status == 200)
        }
    }

    @Test("twenty watchers get every event, and one more than the limit is refused")
    func watchers() async throws {
        var options = DashboardServer.Options()
        options.watcherLimit = 20
        let source = Counter()
        try await serve(source, options) { server in
            let watchers = try (0..<20).map { _ in try watch(server) }
            for watcher in watchers { _ = try watcher.read(until: "{\"all\":0") }
            #expect(server.watcherCount == 20)
            #expect(HTTPReply(try watch(server).read()).status == 503)
            source.count()
            for watcher in watchers { _ = try watcher.read(until: "data: {\"now\":1") }
            await server.close()
            for watcher in watchers { _ = try watcher.read() }
            #expect(server.watcherCount == 0 && source.isForgotten)
        }
    }

    @Test("the last news reach who watches before the end")
    func end() async throws {
        let source = Counter()
        try await serve(source) { server in
            let watcher = try watch(server)
            _ = try watcher.read(until: "{\"all\":0")
            source.count()
            await server.close()
            #expect(try watcher.read().contains("{\"now\":1"))
        }
    }

    @Test("a watcher that does not read is dropped, costs bounded memory and delays no other")
    func slowReader() async throws {
        var options = DashboardServer.Options()
        options.idleSeconds = 1
        options.backlogBytes = 1 << 20
        let source = Counter(padding: 100_000)
        try await serve(source, options) { server in
            let slow = try watch(server, receiveBuffer: 4096)
            _ = try slow.read(until: "data: ")
            let quick = try watch(server)
            _ = try quick.read(until: "\"all\":")
            var (rounds, most) = (0, 0)
            while server.watcherCount == 2, rounds < 2000 {
                rounds += 1
                source.count()
                _ = try quick.read(until: "{\"now\":\(rounds),")
                most = max(most, server.backlogBytes)
            }
            #expect(server.watcherCount == 1, "after \(rounds) messages")
            // A backlog each, and the message under way.
            #expect(most <= 2 * ((1 << 20) + 101_000))
        }
    }

    @Test("a watcher that goes is forgotten")
    func gone() async throws {
        let source = Counter(padding: 1000)
        try await serve(source) { server in
            let stays = try watch(server)
            _ = try stays.read(until: "\"all\":")
            do { _ = try watch(server).read(until: "\"all\":") }
            var count = 0
            while server.watcherCount == 2, count < 1000 {
                count += 1
                source.count()
                _ = try stays.read(until: "{\"now\":\(count),")
            }
            #expect(server.watcherCount == 1)
        }
    }

    @Test("a port that is taken is an error with the address")
    func taken() async throws {
        try await serve { server in
            #expect(throws: SocketError.self) { try DashboardServer(listen: server.address, source: Counter()) }
        }
    }
}
