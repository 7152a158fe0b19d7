import Foundation

extension KeyStore {
    /// Identifies the content of the key files by inode, size and change time; costs two system calls.
    public struct Revision: Hashable, Sendable {
        private struct File: Hashable {
            var inode: UInt64
            var size: Int64
            var seconds: Int
            var nanoseconds: Int
        }

        private var files: [File?]

        init(of paths: [String]) {
            files = paths.map { path in
                var status = stat()
                guard stat(path, &status) == 0 else { return nil }
                #if canImport(Darwin)
                    let changed = status.st_ctimespec
                #else
                    let changed = status.st_ctim
                #endif
                return File(
                    inode: UInt64(status.st_ino), size: Int64(status.st_size), seconds: changed.tv_sec,
                    nanoseconds: changed.tv_nsec)
            }
        }
    }

    /// The current revision of the key files. A node rereads the ring when the revision changes, so that a key rotation
    /// needs no restart.
    public var revision: Revision { Revision(of: [path, retiredPath]) }
}
