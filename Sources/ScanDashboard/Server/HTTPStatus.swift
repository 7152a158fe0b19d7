enum HTTPStatus: UInt32, Sendable {
    case ok = 200
    case seeOther = 303
    case badRequest = 400
    case unauthorized = 401
    case notFound = 404
    case methodNotAllowed = 405
    case misdirected = 421
    case unavailable = 503
}
