import Foundation
import ScanCluster
import SkyScan
import Testing

import ImageScanning

/// A folder that is watched for a long time.
@Suite("A folder that is watched for long", .serialized) struct FolderWatchTests {
    /// 10,000 in `scripts/soak`.
    private static let count = ProcessInfo.processInfo.environment["SKYFARM_SOAK"] == nil ? 200 : 10_000

    @Test("a day of ten thousand arrivals: each is scanned, and nothing is kept of files that are moved away")
    func day() {
        var state = ArrivalState(limit: .seconds(300))
        var (most, surprises) = (0, 0)
        func name(_ number: Int) -> String { "exposure-\(number).fits" }
        func expect(_ actions: [ArrivalState.Action], _ wanted: [ArrivalState.Action]) {
            if actions != wanted { surprises += 1 }
        }
        // One every 8.64 s. Half of them are written slowly, without an event; each is moved away after ten minutes.
        for number in 0..<10_000 {
            let now = Duration.milliseconds(8640 * number)
            let (path, isSlow) = (name(number), number % 2 == 1)
            var stamp = FileStamp(path: path, size: 2880, seconds: number)
            var actions = state.handle(.found(path, stamp, isClosed: !isSlow), at: now)
            if isSlow {
                expect(actions, [])
                stamp = FileStamp(path: path, size: 5760, seconds: number)
                expect(state.handle(.found(path, stamp, isClosed: false), at: now + .seconds(1)), [])
                actions = state.handle(.found(path, stamp, isClosed: false), at: now + .seconds(3))
            }
            expect(actions, [.check(path, stamp)])
            expect(state.handle(.checked(path, stamp, incomplete: nil), at: now + .seconds(3)), [.scan(path)])
            expect(state.handle(.scanned(path), at: now + .seconds(4)), [])
            if number >= 70 { expect(state.handle(.removed(name(number - 70)), at: now + .seconds(5)), []) }
            most = max(most, state.fileCount)
        }
        #expect(surprises == 0 && most == 70 && state.waitingCount == 0)
    }

    #if os(Linux)
        private struct Usage {
            var descriptors: Int
            var threads: Int

            init() throws {
                func count(_ folder: String) throws -> Int {
                    try FileManager.default.contentsOfDirectory(atPath: folder).count
                }
                (descriptors, threads) = (try count("/proc/self/fd"), try count("/proc/self/task"))
            }
        }

        @Test("arrivals leave no descriptors or threads behind", .timeLimit(.minutes(10)))
        func growth() async throws {
            let scene = try Scene()
            let folder = scene.path("out")
            let watch = try FolderWatch([folder], limit: .seconds(300))
            watch.begin()
            var before: Usage?
            var scans = 0
            let total = Self.count + Self.count / 10
            let arrive = { (number: Int) in
                let part = scene.path("part")
                try Data("file \(number)".utf8).write(to: URL(filePath: part))
                #expect(rename(part, "\(folder)/\(number).fits") == 0)
            }
            try arrive(0)
            for await action in watch.actions {
                switch action {
                case .check(let path, let stamp): watch.handle(.checked(path, stamp, incomplete: nil))
                case .warn(let line): Issue.record("\(line)")
                case .scan(let path):
                    scans += 1
                    watch.handle(.scanned(path))
                    try FileManager.default.removeItem(atPath: path)
                    // The first tenth fills caches and pools.
                    if scans == Self.count / 10 { before = try Usage() }
                    if scans == total { watch.stop() } else { try arrive(scans) }
                }
            }
            let (start, end) = (try #require(before), try Usage())
            #expect(scans == total)
            // Other suites of this process run beside it, so that the figures are not equal.
            #expect(end.descriptors - start.descriptors < Self.count / 4)
            #expect(end.threads - start.threads < Self.count / 4)
        }
    #endif
}
