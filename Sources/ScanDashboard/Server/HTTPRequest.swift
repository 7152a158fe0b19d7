/// The parts of an HTTP request that the server uses.
struct HTTPRequest: Equatable, Sendable {
    /// The method in capitals.
    var method: String
    /// The path without the query.
    var path: String
    /// The value of the header `Host`.
    var host: String?
    /// The parameter `token` of the query.
    var token: String?
    /// The value of this server's cookie.
    var cookie: String?
    /// The value of the header `Authorization`.
    var authorization: String?
    /// Whether the token was the first part of the path, as in a page that a notebook frames.
    var isFramed = false
}
