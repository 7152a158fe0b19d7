import ScanCluster

/// Why a scan threw, in the form that a response carries: the cause in the first line, then the last lines of the
/// node's log.
package struct CodedFailure: Equatable, Sendable {
    /// Most lines of a log.
    package static let lineLimit = 5
    /// Longest line of a log, in characters.
    package static let lineLength = 200

    package var cause: String
    /// What the node's log has about the connection, newest last.
    package var log: [String]

    package init(cause: String, log: [String]) {
        self.cause = cause
        self.log = log
    }

    /// Decodes the untrusted bytes of a node.
    package init(decoding body: UnsafeRawBufferPointer) {
        let most = FrameFormat.messageLimit + Self.lineLimit * (4 * Self.lineLength + 1)
        let lines = body.prefix(most).split(
            separator: UInt8(ascii: "\n"), maxSplits: Self.lineLimit + 1, omittingEmptySubsequences: false)
        let texts = lines.map { String(decoding: $0, as: UTF8.self).printable }
        cause = texts.first ?? ""
        log = texts.dropFirst().prefix(Self.lineLimit).map { String($0.prefix(Self.lineLength)) }
    }

    /// The text in UTF-8. Line breaks of the cause become spaces.
    package var encoded: [UInt8] {
        let cause = Self.oneLine(cause).utf8.prefix(FrameFormat.messageLimit)
        return log.suffix(Self.lineLimit).reduce(into: Array(cause)) { text, line in
            text.append(UInt8(ascii: "\n"))
            text += Self.oneLine(line).prefix(Self.lineLength).utf8
        }
    }

    private static func oneLine(_ text: String) -> String {
        String(text.map { $0.isNewline ? " " : $0 })
    }
}
