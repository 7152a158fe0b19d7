/// An incremental parser of an HTTP/1.0 response.
package struct HTTPReply: Equatable {
    /// Maximum size of a response in bytes.
    package static let limit = 4 << 20
    /// Maximum size of the head in bytes.
    private static let headLimit = 64 << 10
    private static let headEnd = Array("\r\n\r\n".utf8)
    private var bytes: [UInt8] = []
    /// The parsed head; nil until it is complete.
    private var head: Head?

    package init() {}

    fileprivate struct Head: Equatable {
        var status: String?
        /// The length of the body, if the head states it.
        var length: Int?
        /// Offset of the body.
        var start: Int
    }

    /// Appends received bytes.
    /// - Returns: whether the response is complete. A response without a length is complete only when the connection
    ///   ends.
    package mutating func receive(_ more: some Sequence<UInt8>) throws(SAMPError) -> Bool {
        // The end of the head may have begun in the bytes before these; everything earlier has been searched already.
        let searched = max(0, bytes.count - Self.headEnd.count)
        bytes += more
        guard bytes.count <= Self.limit else { throw SAMPError(.malformed, "the answer is too long") }
        if head == nil, let end = bytes[searched...].firstRange(of: Self.headEnd) { head = Head(bytes, end) }
        guard let head else {
            if bytes.count > Self.headLimit { throw SAMPError(.malformed, "the head of the answer is too long") }
            return false
        }
        guard let length = head.length else { return false }
        return bytes.count - head.start >= length
    }

    /// Returns the body of a complete response.
    /// - Throws: ``SAMPError`` with `malformed`, if the response is truncated or reports an error.
    package func body() throws(SAMPError) -> [UInt8] {
        guard let head, let first = head.status, first.hasPrefix("HTTP/") else {
            throw SAMPError(
                .malformed, bytes.isEmpty ? "the connection was closed without an answer" : "no answer of HTTP")
        }
        let status = first.split(separator: " ", maxSplits: 1).dropFirst().first ?? ""
        guard status.hasPrefix("200") else { throw SAMPError(.malformed, "the answer is \"\(status.prefix(200))\"") }
        let length = head.length ?? bytes.count - head.start
        guard bytes.count - head.start >= length else { throw SAMPError(.malformed, "the answer is cut") }
        return Array(bytes[head.start..<head.start + length])
    }
}

extension HTTPReply.Head {
    /// Parses the head that ends at `end`.
    fileprivate init(_ bytes: [UInt8], _ end: Range<Int>) {
        let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n").map(String.init)
        self.init(status: lines.first, length: Self.length(lines), start: end.upperBound)
    }

    private static func length(_ lines: [String]) -> Int? {
        for line in lines {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, parts[0].lowercased() == "content-length" else { continue }
            let length = Int(parts[1].drop { $0 == " " })
            return length.flatMap { $0 >= 0 && $0 <= HTTPReply.limit ? $0 : nil }
        }
        return nil
    }
}
