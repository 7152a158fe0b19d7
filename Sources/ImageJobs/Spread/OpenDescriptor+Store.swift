package import CommandLineKit
import Foundation
import ScanBasics

/// Operations on files that are copied to stores.
extension OpenDescriptor {
    /// Returns whether the file has the size and the modification time of `file`.
    package func resembles(_ file: StoredFile) -> Bool {
        status.map { $0.size == Int64(file.byteCount) && $0.modified == Int64(file.modified) } == true
    }

    package func setModified(_ time: Int) -> Bool {
        let time = timespec(tv_sec: time / 1_000_000_000, tv_nsec: time % 1_000_000_000)
        return futimens(number, [time, time]) == 0
    }

    /// Writes all bytes at an offset.
    package func write(_ bytes: [UInt8], at offset: Int) throws(CommandError) {
        var start = 0
        while start < bytes.count {
            let count = bytes[start...].withUnsafeBytes {
                pwrite(number, $0.baseAddress, $0.count, off_t(offset + start))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw CommandError(.output, "the store", errno: errno) }
            start += count
        }
    }

    /// Returns the piece at an offset, which is shorter at the end of the file.
    package func piece(at offset: Int) throws(CommandError) -> [UInt8] {
        do throws(ConfinedPath.Refusal) {
            return try bytes(at: Int64(offset), count: JobFile.pieceSize)
        } catch {
            throw CommandError(.input, "a file", errno: error.errno)
        }
    }

    /// Returns the ``ContentDigest`` of the first `byteCount` bytes.
    package func digest(of byteCount: Int) throws(CommandError) -> [UInt8] {
        var pieces: [[UInt8]] = []
        for offset in stride(from: 0, to: byteCount, by: JobFile.pieceSize) {
            pieces.append(try ContentDigest.piece(try piece(at: offset)))
        }
        return try ContentDigest.whole(pieces)
    }
}
