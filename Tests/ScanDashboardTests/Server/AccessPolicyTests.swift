import Testing

@testable import ScanDashboard

@Suite struct AccessPolicyTests {
    private let policy = AccessPolicy(token: "abcdef", cookieName: "skyfarm_1", names: ["Farm.local"])

    private func decide(
        _ path: String = "/", method: String = "GET", host: String? = "127.0.0.1:1", token: String? = nil,
        cookie: String? = nil, authorization: String? = nil
    ) -> AccessPolicy.Decision {
        policy.decide(
            HTTPRequest(
                method: method, path: path, host: host, token: token, cookie: cookie, authorization: authorization))
    }

    private func status(_ decision: AccessPolicy.Decision) -> HTTPStatus? {
        if case .refuse(let status, _) = decision { status } else { nil }
    }

    @Test("a token in the link sets a cookie, which authorises further requests")
    func welcome() {
        #expect(decide(token: "abcdef") == .welcome(cookie: "skyfarm_1=abcdef; Path=/; HttpOnly; SameSite=Lax"))
        #expect(decide("/events", cookie: "abcdef") == .serve)
        #expect(decide("/metrics", token: "abcdef") == .serve)
        #expect(decide("/metrics", authorization: "Bearer abcdef") == .serve)
    }

    @Test("the token as the first part of the path authorises the rest of it, in a frame")
    func framed() {
        func framed(_ path: String, host: String = "localhost") -> HTTPRequest {
            policy.withoutToken(HTTPRequest(method: "GET", path: path, host: host))
        }
        for path in ["/", "/events", "/thumbnails/1.png", "//"] {
            let request = framed("/abcdef" + path)
            #expect(request.path == path && request.isFramed && policy.decide(request) == .serve)
        }
        for path in ["/", "/abcdef", "/abcdeg/", "/abcde/", "//abcdef/", "/events/abcdef/", "", "abcdef/"] {
            #expect(!framed(path).isFramed && framed(path).path == path)
        }
        #expect(status(policy.decide(framed("/abcdef/", host: "evil.example"))) == .misdirected)
    }

    @Test(
        "without the token there is nothing but /healthz", arguments: [nil, "", "abcdeg", "abcde", "abcdeff", "ABCDEF"])
    func noToken(token: String?) {
        for path in ["/", "/events", "/metrics", "/nowhere", "/healthz/", "//healthz"] {
            #expect(status(decide(path, token: token, cookie: token)) == .unauthorized)
            #expect(status(decide(path, authorization: token.map { "Bearer " + $0 })) == .unauthorized)
        }
        #expect(decide("/healthz", token: token) == .serve)
    }

    @Test(
        "addresses, localhost and known names are hosts of this server",
        arguments: [
            "127.0.0.1", "127.0.0.1:80", "10.1.2.3:4", "localhost", "LocalHost:99", "[::1]", "[fe80::1]:80",
            "farm.local:1",
            "FARM.LOCAL",
        ])
    func known(host: String) { #expect(decide(host: host, cookie: "abcdef") == .serve) }

    @Test(
        "other names are not, whatever they resolve to",
        arguments: [
            "evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80", "1.2.3", "1.2.3.999", "", "[evil]",
            "[",
            "farm.local.evil.example",
        ])
    func unknown(host: String) {
        #expect(status(decide(host: host, token: "abcdef", cookie: "abcdef")) == .misdirected)
        #expect(status(decide("/healthz", host: host)) == .misdirected)
    }

    @Test("a request must name its host")
    func noHost() { #expect(status(decide(host: nil, cookie: "abcdef")) == .badRequest) }

    @Test("nothing but GET and HEAD", arguments: ["POST", "PUT", "DELETE", "OPTIONS", "TRACE", "get"])
    func methods(method: String) {
        #expect(status(decide(method: method, cookie: "abcdef")) == .methodNotAllowed)
        #expect(decide(method: "HEAD", cookie: "abcdef") == .serve)
    }
}
