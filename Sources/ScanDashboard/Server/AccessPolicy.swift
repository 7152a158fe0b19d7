/// Decides which requests are answered. Pure.
///
/// - Only GET and HEAD: nothing can be changed from outside.
/// - `Host` must be an address, `localhost` or a name that is known: a page of another site whose name was made to lead
///   here (DNS rebinding) comes with its own name.
/// - Everything but `/healthz` needs the token: in the query, as the cookie that the first visit leaves, or as
///   `Authorization: Bearer`.
struct AccessPolicy: Sendable {
    /// Made anew for each server.
    let token: String
    /// Tells servers of one host apart, whose cookies a browser does not.
    let cookieName: String
    /// Further names that a request may come to, in lower case.
    let names: Set<String>

    init(token: String, cookieName: String, names: Set<String> = []) {
        self.token = token
        self.cookieName = cookieName
        self.names = Set(names.map { $0.lowercased() })
    }

    /// What is done with a request.
    enum Decision: Equatable {
        case serve
        /// The browser gets the cookie and goes on to the page, so that the token leaves the address bar.
        case welcome(cookie: String)
        case refuse(HTTPStatus, String)
    }

    func decide(_ request: HTTPRequest) -> Decision {
        guard request.method == "GET" || request.method == "HEAD" else {
            return .refuse(.methodNotAllowed, "only GET and HEAD are answered")
        }
        guard let host = request.host else { return .refuse(.badRequest, "the header Host is missing") }
        guard isKnown(host) else {
            return .refuse(.misdirected, "this is not that host; use the address of the link that was printed")
        }
        if request.path == "/healthz" { return .serve }
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

    /// Whether a `Host` header, with or without a port, can be meant for this server.
    private func isKnown(_ host: String) -> Bool {
        let name = Self.name(of: host).lowercased()
        return name == "localhost" || names.contains(name) || Self.isAddress(name)
    }

    private static func name(of host: String) -> String {
        if host.hasPrefix("["), let end = host.firstIndex(of: "]") { return String(host[...end]) }
        return String(host.prefix { $0 != ":" })
    }

    /// IPv4 in four parts, or IPv6 in brackets: what no name server has a say in.
    private static func isAddress(_ name: String) -> Bool {
        if name.hasPrefix("["), name.hasSuffix("]") {
            return name.dropFirst().dropLast().allSatisfy { $0.isHexDigit || $0 == ":" || $0 == "." }
        }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
    }

    /// Compares in a time that does not depend on where the two differ.
    private func isToken(_ text: String) -> Bool {
        let (given, wanted) = (Array(text.utf8), Array(token.utf8))
        guard given.count == wanted.count else { return false }
        return zip(given, wanted).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
