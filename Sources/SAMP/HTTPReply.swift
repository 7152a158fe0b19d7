/// A reply of HTTP/1.0, as its bytes arrive.
struct HTTPReply: Equatable {
    /// Longer replies are refused.
    static let limit = 4 << 20
    private var bytes: [UInt8] = []

    /// Adds bytes.
    /// - Returns: whether the reply is complete, which one without a length never is before the connection ends.
    mutating func receive(_ more: some Sequence<UInt8>) throws(SAMPError) -> Bool {
        bytes += more
        guard bytes.count <= Self.limit else { throw SAMPError(.malformed, "the answer is too long") }
        guard let (lines, start) = head(), let length = Self.length(lines) else { return false }
        return bytes.count - start >= length
    }

    /// The body of a complete reply.
    /// - Throws: ``SAMPError`` with `malformed`, if the reply is cut or reports an error.
    func body() throws(SAMPError) -> [UInt8] {
        guard let (lines, start) = head(), let first = lines.first, first.hasPrefix("HTTP/") else {
            throw SAMPError(
                .malformed, bytes.isEmpty ? "the connection was closed without an answer" : "no answer of HTTP")
        }
        let status = first.split(separator: " ", maxSplits: 1).dropFirst().first ?? ""
        guard status.hasPrefix("200") else { throw SAMPError(.malformed, "the answer is \"\(status)\"") }
        let length = Self.length(lines) ?? bytes.count - start
        guard bytes.count - start >= length else { throw SAMPError(.malformed, "the answer is cut") }
        return Array(bytes[start..<start + length])
    }

    /// The lines of the head, and where the body begins; nil until the head is complete.
    private func head() -> (lines: [String], start: Int)? {
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let text = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
        return (text.split(separator: "\r\n").map(String.init), end.upperBound)
    }

    private static func length(_ lines: [String]) -> Int? {
        for line in lines {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, parts[0].lowercased() == "content-length" else { continue }
            let length = Int(parts[1].drop { $0 == " " })
            return length.flatMap { $0 >= 0 && $0 <= limit ? $0 : nil }
        }
        return nil
    }
}
