import Foundation

/// A file descriptor that is closed when its last reference is released.
package final class OpenDescriptor: Sendable {
    package let number: Int32

    package init(_ number: Int32) { self.number = number }

    deinit { close(number) }

    /// A path that opens exactly this file during the lifetime of the object.
    package var name: String {
        #if os(Linux)
            "/proc/self/fd/\(number)"
        #else
            "/dev/fd/\(number)"
        #endif
    }

    /// A path that leads to exactly this folder during the lifetime of the object, even if it is renamed.
    package var folderName: String {
        #if os(Linux)
            return name
        #else
            var path = [CChar](repeating: 0, count: Int(PATH_MAX))
            return fcntl(number, F_GETPATH, &path) == 0 ? String(cString: path) : name
        #endif
    }

    /// The file's current status; nil if it cannot be read.
    package var status: FileStatus? {
        var status = stat()
        return fstat(number, &status) == 0 ? FileStatus(status) : nil
    }

    /// Whether this user owns the file or folder and nobody else has access to it.
    package var isPrivate: Bool {
        status.map { $0.owner == geteuid() && $0.permissions & 0o077 == 0 } ?? false
    }

    /// Reads up to `count` bytes from `offset`; fewer at the end of the file.
    /// - Throws: ``ConfinedPath/Refusal``.
    package func bytes(at offset: Int64, count: Int) throws(ConfinedPath.Refusal) -> [UInt8] {
        var result = Result<Int, ConfinedPath.Refusal>.success(0)
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, used in
            do throws(ConfinedPath.Refusal) {
                used = try read(at: offset, into: UnsafeMutableRawBufferPointer(buffer))
            } catch {
                result = .failure(error)
            }
        }
        _ = try result.get()
        return bytes
    }

    /// Reads from `offset` until `bytes` is full or the file ends.
    /// - Returns: the number of bytes that were read.
    /// - Throws: ``ConfinedPath/Refusal``.
    package func read(
        at offset: Int64, into bytes: UnsafeMutableRawBufferPointer
    ) throws(ConfinedPath.Refusal) -> Int {
        var total = 0
        while total < bytes.count {
            let got = pread(
                number, bytes.baseAddress.map { $0 + total }, bytes.count - total, off_t(offset) + off_t(total))
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw ConfinedPath.Refusal(path: name, errno: errno) }
            if got == 0 { break }
            total += got
        }
        return total
    }
}
