package import CommandLineKit
import Foundation
import ScanCluster

/// Standard input, read for lists of names.
package enum StandardInput {
    package static func text() -> String {
        String(decoding: FileHandle.standardInput.readDataToEndOfFile(), as: UTF8.self)
    }
}

/// Standard output, used only for data.
package enum StandardOutput {
    /// Writes `text` unbuffered and without control characters: names in it may come from files and peers.
    package static func write(_ text: String) throws(CommandError) {
        guard writeAll(Array(text.printableLines.utf8), to: STDOUT_FILENO) else {
            throw CommandError(errno == EPIPE ? .brokenPipe : .output, "standard output", errno: errno)
        }
    }
}

/// Standard error, used for everything but data.
package enum StandardError {
    /// Writes `text` without control characters. Errors are ignored.
    package static func write(_ text: String) { writeStyled(text.printableLines) }

    /// Writes text that contains the program's own escape sequences. Errors are ignored.
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
