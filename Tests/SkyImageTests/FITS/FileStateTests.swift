import Foundation
import Testing

import SkyFITS

@Suite("the state of an open file") struct FileStateTests {
    private let folder: String

    init() throws {
        folder = NSTemporaryDirectory() + "skyfarm-state-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder + "/other", withIntermediateDirectories: true)
    }

    /// What another program does to a file that is scanned.
    enum Deed: CaseIterable {
        case overwrite, overwriteWithOldTime, append, truncate
        case remove, replace, rename, moveAndLink, changeMode, link, read
        case nothing

        /// Whether the bytes may be others.
        var changesBytes: Bool { [.overwrite, .overwriteWithOldTime, .append, .truncate].contains(self) }
    }

    @Test("shows that somebody has written to it, with any time of change, and nothing else", arguments: Deed.allCases)
    func deed(_ deed: Deed) throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/image.fits"
        let writer = try FITSImageWriter(path: path, width: 8, height: 8, type: .float32)
        for _ in 0..<8 { try writer.write(row: [Float](repeating: 1, count: 8)) }
        try writer.finish()
        let image = try FITSImage(path)
        let bytes = try image.stored.opened()
        try bytes.requireUnchanged()
        try perform(deed, on: path)
        if deed.changesBytes {
            #expect(
                throws: ImageError(
                    .changed, "\(path): was changed while it was scanned; scan it again when it is complete")
            ) {
                try bytes.requireUnchanged()
            }
        } else {
            try bytes.requireUnchanged()
        }
    }

    private func perform(_ deed: Deed, on path: String) throws {
        let manager = FileManager.default
        switch deed {
        case .overwrite: try change(path) { try $0.write(contentsOf: Data("SIMPLE  =".utf8)) }
        case .overwriteWithOldTime:
            var status = stat()
            #expect(stat(path, &status) == 0)
            // The time of change has the resolution of the system's clock.
            var now = status
            while now.st_ctim.tv_nsec == status.st_ctim.tv_nsec {
                try change(path) { try $0.write(contentsOf: Data("SIMPLE  =".utf8)) }
                let times = [status.st_atim, status.st_mtim]
                #expect(utimensat(AT_FDCWD, path, times, 0) == 0)
                #expect(stat(path, &now) == 0)
            }
            #expect(now.st_mtim.tv_nsec == status.st_mtim.tv_nsec && now.st_size == status.st_size)
        case .append:
            try change(path) { file in
                try file.seekToEnd()
                try file.write(contentsOf: Data([0]))
            }
        case .truncate: try change(path) { try $0.truncate(atOffset: 2880) }
        case .remove: try manager.removeItem(atPath: path)
        case .replace:
            try Data("another".utf8).write(to: URL(fileURLWithPath: folder + "/new"))
            #expect(rename(folder + "/new", path) == 0)
        case .rename: #expect(rename(path, folder + "/other/image.fits") == 0)
        case .moveAndLink:
            #expect(rename(path, folder + "/other/image.fits") == 0)
            #expect(symlink(folder + "/other/image.fits", path) == 0)
        case .changeMode: #expect(chmod(path, 0o600) == 0)
        case .link: #expect(link(path, folder + "/other/image.fits") == 0)
        case .read: _ = try Data(contentsOf: URL(fileURLWithPath: path))
        case .nothing: break
        }
    }

    private func change(_ path: String, _ body: (FileHandle) throws -> Void) throws {
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try body(file)
        try file.close()
    }
}
