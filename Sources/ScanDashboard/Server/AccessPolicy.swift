/// Access rules for requests.
///
/// - Only GET and HEAD are allowed: a request changes nothing.
/// - `Host` must be an address, `localhost` or a known name. A page of another site whose name resolves to this host
///   (DNS rebinding) sends its own name.
/// - Everything but `/healthz` needs the token: in the query, in the cookie set by the first visit, as `Authorization:
///   Bearer`, or as the first part of the path. Only a page with the token in its path may be framed by another page,
///   because browsers send no cookies in frames; whoever knows the token may read the page anyway.
struct AccessPolicy: Sendable {
    /// Random secret, different for each server.
    let token: String
    /// Different for each port, since a browser sends a cookie to all ports of a host.
    let cookieName: String
    /// Additional names accepted in `Host`, in lower case.
    let names: Set<String>

    init(token: String, cookieName: String, names: Set<String> = []) {
        self.token = token
        self.cookieName = cookieName
        self.names = Set(names.map { $0.lowercased() })
    }

    enum Decision: Equatable {
        case serve
        /// Sets the cookie and redirects to the page, which removes the token from the address bar.
        case welcome(cookie: String)
        case refuse(HTTPStatus, String)
    }

    /// Returns the request without the token at the beginning of its path, if it is there.
    func withoutToken(_ request: HTTPRequest) -> HTTPRequest {
        guard let end = request.path.dropFirst().firstIndex(of: "/"),
            isToken(String(request.path[..<end].dropFirst()))
        else { return request }
        var request = request
        (request.path, request.isFramed) = (String(request.path[end...]), true)
        return request
    }

    func decide(_ request: HTTPRequest) -> Decision {
        guard request.method == "GET" || request.method == "HEAD" else {
            return .refuse(.methodNotAllowed, "only GET and HEAD are answered")
        }
        guard let host = request.host else { return .refuse(.badRequest, "the header Host is missing") }
        guard isKnown(host) else {
            return .refuse(.misdirected, "the header Host names another host; use the address in the printed link")
        }
        if request.path == "/healthz" || request.isFramed { return .serve }
        if let given = request.token, isToken(given) {
            return request.path == "/"
                ? .welcome(cookie: "\(cookieName)=\(token); Path=/; HttpOnly; SameSite=Lax") : .serve
        }
        if let cookie = request.cookie, isToken(cookie) { return .serve }
        if let words = request.authorization, words.hasPrefix("Bearer "), isToken(String(words.dropFirst(7))) {
            return .serve
        }
        return .refuse(.unauthorized, "the token is missing or wrong; open the link that was printed at the start")
    }

    /// Whether a `Host` header, with or without a port, is allowed.
    private func isKnown(_ host: String) -> Bool {
        let name = Self.name(of: host).lowercased()
        return name == "localhost" || names.contains(name) || Self.isAddress(name)
    }

    private static func name(of host: String) -> String {
        if host.hasPrefix("["), let end = host.firstIndex(of: "]") { return String(host[...end]) }
        return String(host.prefix { $0 != ":" })
    }

    /// Whether a name is an IPv4 address of four parts or an IPv6 address in brackets, which no name server resolves.
    private static func isAddress(_ name: String) -> Bool {
        if name.hasPrefix("["), name.hasSuffix("]") {
            return name.dropFirst().dropLast().allSatisfy { $0.isHexDigit || $0 == ":" || $0 == "." }
        }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
    }

    /// Whether `text` is the token. Compares in constant time.
    private func isToken(_ text: String) -> Bool {
        let (given, wanted) = (Array(text.utf8), Array(token.utf8))
        guard given.count == wanted.count else { return false }
        return zip(given, wanted).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
