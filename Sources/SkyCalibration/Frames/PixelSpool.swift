internal import Foundation
package import ScanBasics

/// Pixels in a temporary file without a name: those of a file that is compressed as a whole, whose rows can be read in
/// order only, and those of an extension until it is written.
package final class PixelSpool {
    private let file: OpenDescriptor
    private let folder: String

    /// Creates the file in the folder of temporary files.
    /// - Throws: ``OutputError``.
    package init() throws(OutputError) {
        folder = FileManager.default.temporaryDirectory.path
        var template = Array("\(folder)/skyfarm-pixels-XXXXXX".utf8CString)
        let number = mkstemp(&template)
        guard number >= 0 else { throw AtomicFile.failure(folder, errno) }
        unlink(template)
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
        file = OpenDescriptor(number)
    }

    /// Writes pixels from number `first` on.
    /// - Throws: ``OutputError`` with `noSpace` or `failed`.
    package func write(_ pixels: UnsafeBufferPointer<Float>, at first: Int) throws(OutputError) {
        let bytes = UnsafeRawBufferPointer(pixels)
        var done = 0
        while done < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
            let count = pwrite(file.number, rest.baseAddress, rest.count, off_t(first * 4 + done))
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw AtomicFile.failure(folder, errno) }
            done += count
        }
    }

    /// Reads pixels from number `first` on.
    /// - Throws: ``OutputError`` with `failed`.
    package func read(_ pixels: UnsafeMutableBufferPointer<Float>, at first: Int) throws(OutputError) {
        let bytes = UnsafeMutableRawBufferPointer(pixels)
        var done = 0
        while done < bytes.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[done...])
            let count = pread(file.number, rest.baseAddress, rest.count, off_t(first * 4 + done))
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw AtomicFile.failure(folder, count < 0 ? errno : EIO) }
            done += count
        }
    }
}
