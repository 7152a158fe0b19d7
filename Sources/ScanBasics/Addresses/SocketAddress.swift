/// A host and a port, such as `127.0.0.1:4711`, `node.local:4711` or `[::1]:4711`.
public struct SocketAddress: Hashable, Sendable, CustomStringConvertible {
    /// Name or numeric address; empty for every address of this machine.
    public var host: String
    /// TCP port; 0 lets the system choose one when listening.
    public var port: UInt16

    /// Creates an address without checking the host.
    public init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Reads `HOST:PORT`, `[IPV6]:PORT` or `:PORT`.
    /// - Throws: ``AddressError`` if the text has none of these forms.
    public init(parsing text: String) throws(AddressError) {
        if let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://") {
            throw AddressError(text: text, problem: "is a URL, not an address")
        }
        guard let colon = text.lastIndex(of: ":") else { throw AddressError(text: text, problem: "has no :PORT") }
        var host = text[..<colon]
        guard let port = UInt16(text[text.index(after: colon)...]) else {
            throw AddressError(text: text, problem: "has a port that is not a number from 0 to 65535")
        }
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.utf8.contains(UInt8(ascii: ":")) {
            throw AddressError(text: text, problem: "needs brackets around its IPv6 address, as in [::1]:4711")
        }
        if host.contains(where: { $0.isWhitespace || $0 == "/" || $0 == "[" || $0 == "]" }) {
            throw AddressError(text: text, problem: "has a host name with invalid characters")
        }
        self.init(host: String(host), port: port)
    }

    /// The address as text that ``init(parsing:)`` reads.
    public var description: String { host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

/// Text that is not an address.
public struct AddressError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The rejected text.
    public var text: String
    /// The reason, as a predicate that follows the text.
    public var problem: String

    package init(text: String, problem: String) {
        self.text = text
        self.problem = problem
    }

    /// The text, its problem and the expected format, in one line.
    public var description: String { "'\(text)' \(problem); write HOST:PORT" }
}
