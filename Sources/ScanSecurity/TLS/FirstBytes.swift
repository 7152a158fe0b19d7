/// Tells what a peer that does not speak TLS may be, by the first bytes it sent.
enum FirstBytes {
    /// As many bytes as ``description(of:)`` looks at: the length of a record's header, after which TLS gives up.
    static let count = 5

    static func description(of bytes: [UInt8]) -> String {
        let bytes = bytes.prefix(count)
        let words = ["GET ", "POST ", "HEAD ", "PUT ", "OPTIONS ", "CONNECT ", "DELETE ", "PRI * HTTP", "HTTP/"]
        if words.contains(where: { bytes.starts(with: $0.utf8.prefix(count)) }) {
            return "speaks HTTP: it is no Skyfarm"
        }
        if bytes.starts(with: "SSH-".utf8) { return "speaks SSH: it is no Skyfarm" }
        return "does not speak TLS: it is no Skyfarm, or one that is too old"
    }
}
