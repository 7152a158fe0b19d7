/// Guesses the protocol of a peer that does not speak TLS from the first bytes it sent.
enum FirstBytes {
    /// Number of bytes that ``description(of:)`` reads: the length of a record header, after which OpenSSL reports an
    /// error.
    static let count = 5

    static func description(of bytes: [UInt8]) -> String {
        let bytes = bytes.prefix(count)
        let words = ["GET ", "POST ", "HEAD ", "PUT ", "OPTIONS ", "CONNECT ", "DELETE ", "PRI * HTTP", "HTTP/"]
        if words.contains(where: { bytes.starts(with: $0.utf8.prefix(count)) }) {
            return "speaks HTTP: it is not Skyfarm"
        }
        if bytes.starts(with: "SSH-".utf8) { return "speaks SSH: it is not Skyfarm" }
        return "does not speak TLS: it is not Skyfarm, or a version that is too old"
    }
}
