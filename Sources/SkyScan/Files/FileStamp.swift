internal import Foundation
internal import ScanBasics

/// Size and time of change of a file, by which a change is noticed without reading it.
public struct FileStamp: Codable, Hashable, Sendable {
    /// Name of the file, on the machine that has it.
    public var path: String
    private var size: Int64
    private var seconds: Int
    private var nanoseconds: Int

    /// A stamp of these values, for tests.
    package init(path: String, size: Int64, seconds: Int) {
        (self.path, self.size, self.seconds, nanoseconds) = (path, size, seconds, 0)
    }

    /// The stamp of a file on another machine, whose name there is `path`; `nanoseconds` is the time of change since 1970.
    package init(path: String, size: Int64, nanoseconds: Int64) {
        (self.path, self.size) = (path, size)
        (seconds, self.nanoseconds) = (Int(nanoseconds / 1_000_000_000), Int(nanoseconds % 1_000_000_000))
    }

    /// The file at `path`, as it is now; nil if there is none.
    public init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        let time = FileStatus.modificationTime(status)
        (self.path, size) = (path, Int64(status.st_size))
        (seconds, nanoseconds) = (time.tv_sec, time.tv_nsec)
    }
}
