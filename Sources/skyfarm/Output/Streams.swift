import CommandLineKit
import Foundation

/// Where data goes, and nothing else.
enum StandardOutput {
    /// Writes all of `text`, at once visible to a reader.
    static func write(_ text: String) throws(CommandError) {
        guard writeAll(Array(text.utf8), to: STDOUT_FILENO) else {
            throw CommandError(.output, "standard output: \(String(cString: strerror(errno)))")
        }
    }
}

/// Where everything that is not data goes.
enum StandardError {
    /// Writes `text`; if nobody can read it, that is no fault of the work.
    static func write(_ text: String) { _ = writeAll(Array(text.utf8), to: STDERR_FILENO) }
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
