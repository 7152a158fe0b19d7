package import CommandLineKit
import Foundation
import ScanCluster

/// For lists of names.
package enum StandardInput {
    package static func text() -> String {
        String(decoding: FileHandle.standardInput.readDataToEndOfFile(), as: UTF8.self)
    }
}

/// For data only.
package enum StandardOutput {
    /// Writes `text` unbuffered, without what would control a terminal: names in it may come from files and peers.
    package static func write(_ text: String) throws(CommandError) {
        guard writeAll(Array(text.printableLines.utf8), to: STDOUT_FILENO) else {
            throw CommandError(errno == EPIPE ? .brokenPipe : .output, "standard output", errno: errno)
        }
    }
}

/// For everything but data.
package enum StandardError {
    /// Writes `text`, without what would control a terminal; errors are ignored.
    package static func write(_ text: String) { writeStyled(text.printableLines) }

    /// Writes text with escape sequences of our own; errors are ignored.
    package static func writeStyled(_ text: String) { _ = writeAll(Array(text.utf8), to: STDERR_FILENO) }
}

private func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var start = 0
    while start < bytes.count {
        let count = bytes[start...].withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR { continue }
        if count <= 0 { return false }
        start += count
    }
    return true
}
