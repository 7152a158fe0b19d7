import Foundation
import ScanBasics
import Testing

@Suite("status of files") struct FileStatusTests {
    @Test(
        "a time is in nanoseconds since 1970, or the nearest number that fits",
        arguments: [
            (0, 0, 0), (1_700_000_000, 5, 1_700_000_000_000_000_005), (-1, 500_000_000, -500_000_000),
            (9_223_372_036, 854_775_807, .max), (9_223_372_036, 854_775_808, .max), (13_569_465_600, 0, .max),
            (-9_223_372_037, 0, .min), (Int.max, 999_999_999, .max), (Int.min, 0, .min),
        ] as [(Int, Int, Int64)])
    func nanoseconds(seconds: Int, fraction: Int, expected: Int64) {
        #expect(FileStatus.nanoseconds(timespec(tv_sec: seconds, tv_nsec: fraction)) == expected)
    }

    @Test("a file may have been changed in the year 2400")
    func farTime() throws {
        let path = NSTemporaryDirectory() + "skyfarm-status-\(UUID().uuidString)"
        try Data([1, 2, 3]).write(to: URL(fileURLWithPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let time = timespec(tv_sec: 13_569_465_600, tv_nsec: 0)
        try #require(utimensat(AT_FDCWD, path, [time, time], 0) == 0)
        let status = try #require(FileStatus(path: path))
        // File systems may keep a nearer time.
        #expect(status.size == 3 && status.modified > 1_700_000_000_000_000_000)
    }
}
