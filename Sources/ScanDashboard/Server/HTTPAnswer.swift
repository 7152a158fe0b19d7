/// A complete HTTP response.
struct HTTPAnswer: Equatable, Sendable {
    var status: HTTPStatus
    var headers: [String: String]
    var body: [UInt8]

    init(_ status: HTTPStatus, type: String, _ body: [UInt8], headers: [String: String] = [:]) {
        self.status = status
        self.headers = headers
        self.headers["Content-Type"] = type
        self.body = body
    }

    /// Creates an answer of one line of plain text.
    init(_ status: HTTPStatus, _ line: String, headers: [String: String] = [:]) {
        self.init(status, type: "text/plain; charset=utf-8", Array((line + "\n").utf8), headers: headers)
    }

    /// Returns the headers of every answer: pages load only from this server, are framed only if `isFramed`, send no
    /// referrer and are not cached; a connection carries one request.
    static func commonHeaders(isFramed: Bool) -> [String: String] {
        var headers = [
            "Cache-Control": "no-store",
            "Connection": "close",
            "Content-Security-Policy":
                "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
                + "base-uri 'none'; form-action 'none'" + (isFramed ? "" : "; frame-ancestors 'none'"),
            "Cross-Origin-Resource-Policy": "same-origin",
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
        ]
        if !isFramed { headers["X-Frame-Options"] = "DENY" }
        return headers
    }
}
