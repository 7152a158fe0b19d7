/// The parts of a request that the server uses.
struct HTTPRequest: Equatable, Sendable {
    /// In capitals.
    var method: String
    /// Without the query.
    var path: String
    /// The header `Host`.
    var host: String?
    /// The query's `token`.
    var token: String?
    /// The cookie of this server.
    var cookie: String?
    /// The header `Authorization`.
    var authorization: String?
    /// Whether the token was the first part of the path, as where a notebook frames the page.
    var isFramed = false
}
