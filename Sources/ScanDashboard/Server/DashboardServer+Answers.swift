internal import CDashboard

// Callbacks of libmicrohttpd, called on its thread.

/// Called when a connection is opened or closed.
func noteConnection(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
    _ state: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ code: MHD_ConnectionNotificationCode
) {
    guard let context, let connection else { return }
    let server = Unmanaged<DashboardServer>.fromOpaque(context).takeUnretainedValue()
    if code == .CONNECTION_NOTIFY_STARTED { server.arrived(connection) } else { server.left(connection) }
}

/// Called when the headers of a request have arrived.
func answerRequest(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?, _ path: UnsafePointer<CChar>?,
    _ method: UnsafePointer<CChar>?, _ version: UnsafePointer<CChar>?, _ body: UnsafePointer<CChar>?,
    _ bodyCount: UnsafeMutablePointer<Int>?, _ state: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
    guard let context, let connection, let path, let method else { return .NO }
    let server = Unmanaged<DashboardServer>.fromOpaque(context).takeUnretainedValue()
    server.answering(connection)
    let request = server.policy.withoutToken(
        HTTPRequest(
            method: String(cString: method), path: String(cString: path),
            host: value("Host", .HEADER_KIND, connection), token: value("token", .GET_ARGUMENT_KIND, connection),
            cookie: value(server.policy.cookieName, .COOKIE_KIND, connection),
            authorization: value("Authorization", .HEADER_KIND, connection)))
    let decision = server.policy.decide(request)
    if decision == .serve, request.path == "/events", request.method == "GET" { return server.stream(to: connection) }
    return send(server.answer(to: request, decision), isFramed: request.isFramed, to: connection)
}

private func value(_ name: String, _ kind: MHD_ValueKind, _ connection: OpaquePointer) -> String? {
    dashboard_value(connection, kind, name).map { String(cString: $0) }
}

private func send(_ answer: HTTPAnswer, isFramed: Bool = false, to connection: OpaquePointer) -> MHD_Result {
    var body = answer.body
    guard let response = dashboard_response(&body, body.count) else { return .NO }
    defer { dashboard_destroy(response) }
    return queue(response, answer.status, answer.headers, isFramed: isFramed, to: connection)
}

private func queue(
    _ response: OpaquePointer, _ status: HTTPStatus, _ headers: [String: String], isFramed: Bool = false,
    to connection: OpaquePointer
) -> MHD_Result {
    let common = HTTPAnswer.commonHeaders(isFramed: isFramed)
    for (name, value) in headers.merging(common, uniquingKeysWith: { own, _ in own }) {
        dashboard_add_header(response, name, value)
    }
    return dashboard_queue(connection, status.rawValue, response)
}

extension DashboardServer {
    /// Returns the answer to a request that is not for the stream.
    func answer(to request: HTTPRequest, _ decision: AccessPolicy.Decision) -> HTTPAnswer {
        switch decision {
        case .refuse(.methodNotAllowed, let reason):
            return HTTPAnswer(.methodNotAllowed, reason, headers: ["Allow": "GET, HEAD"])
        case .refuse(.unauthorized, let reason):
            return HTTPAnswer(.unauthorized, reason, headers: ["WWW-Authenticate": "Bearer"])
        case .refuse(let status, let reason): return HTTPAnswer(status, reason)
        case .welcome(let cookie):
            return HTTPAnswer(.seeOther, "see /", headers: ["Location": "/", "Set-Cookie": cookie])
        case .serve: break
        }
        switch request.path {
        case "/healthz":
            let problem = source.problem()
            return HTTPAnswer(problem == nil ? .ok : .unavailable, problem ?? "ok")
        case "/metrics": return HTTPAnswer(.ok, type: PrometheusText.mediaType, Array(metrics.text.utf8))
        case "/events": return HTTPAnswer(.ok, type: "text/event-stream", [])
        default:
            visited()
            guard let file = source.file(at: request.path) else {
                return HTTPAnswer(.notFound, "there is no such page")
            }
            return HTTPAnswer(.ok, type: file.type, file.bytes)
        }
    }

    /// Starts a stream of events.
    fileprivate func stream(to connection: OpaquePointer) -> MHD_Result {
        visited()
        guard let watcher = join(connection) else {
            return send(HTTPAnswer(.unavailable, "too many browsers watch; close one"), to: connection)
        }
        // Released by the response's last callback.
        let context = Unmanaged.passRetained(watcher).toOpaque()
        let response = dashboard_stream(
            32 << 10,
            { context, _, buffer, count in
                guard let context, let buffer else { return -1 }
                return Unmanaged<Watcher>.fromOpaque(context).takeUnretainedValue()
                    .read(into: UnsafeMutableRawBufferPointer(start: buffer, count: count))
            }, context,
            { context in
                guard let context else { return }
                Unmanaged<Watcher>.fromOpaque(context).takeRetainedValue().leave()
            })
        guard let response else {
            Unmanaged<Watcher>.fromOpaque(context).takeRetainedValue().leave()
            return .NO
        }
        defer { dashboard_destroy(response) }
        return queue(response, .ok, ["Content-Type": "text/event-stream"], to: connection)
    }
}
