import Foundation
import ScanCluster
import ScanNetwork
import SkyExtraction
import SkyFITS
import Testing

import SkyScan

/// An image that another program overwrites while it is scanned.
@Suite("an image that is overwritten", .timeLimit(.minutes(10)))
struct ChangedImageTests {
    private let files: SkyFile

    init() throws { files = try SkyFile() }

    private static func overwrite(_ path: String) throws {
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.seek(toOffset: 2880)
        try file.write(contentsOf: Data(repeating: 0, count: 4000))
        try file.close()
    }

    private func isChanged(_ body: () async throws -> Void) async -> Bool {
        do {
            try await body()
            return false
        } catch {
            return (error as? ImageError)?.code == .changed
        }
    }

    @Test("is named, and so are its maps; its checksum is refused")
    func named() async throws {
        let image = try files.field()
        let mask = try files.image("mask.fits", width: 100, height: 256) { _, _ in 0 }
        let masked = try ImageReader(image: image, mask: mask)
        try Self.overwrite(mask)
        #expect(await isChanged { try masked.requireUnchanged() })
        let reader = try ImageReader(image: image)
        try await reader.confirmUnchanged()
        _ = try await reader.checksums()
        try Self.overwrite(image)
        #expect(await isChanged { try reader.requireUnchanged() })
        #expect(await isChanged { try await reader.confirmUnchanged() })
        #expect(await isChanged { _ = try await reader.checksums() })
        // A reader of the new file knows nothing of the old one, but its states are others.
        let next = try ImageReader(image: image)
        try next.requireUnchanged()
        #expect(next.states.mayDiffer(from: reader.states) && !next.states.mayDiffer(from: next.states))
    }

    @Test("leaves no result in the journal that is of other pixels than its checksum")
    func journal() async throws {
        let image = try files.field()
        let folder = JournalFolder(path: files.folder + "/state")
        func open(_ reader: ImageReader) async throws -> ScanJournal {
            let identity = try JobIdentity(
                reader: reader, parameters: ScanParameters(), bandRows: 64, software: "test")
            let record = JobRecord(identity: identity, words: [], folder: "/", began: 0, tasks: 1)
            let job = try await FilesJournal.open(record, in: folder) { _ in }
            let journal = try #require(job.sole)
            journal.checkInputs { try reader.requireUnchanged() }
            try await journal.begin { try await reader.checksums() }
            return journal
        }
        let cluster = try await LoopbackCluster(nodes: 1, resolver: nil)
        defer { cluster.close() }
        let isOverwritten = Locked(false)
        do {
            let reader = try ImageReader(image: image)
            let scan = try SkyScan(
                reader: reader, parameters: ScanParameters(), bandRows: 64, coordinator: cluster.coordinator, job: 1,
                journal: try await open(reader),
                observer: { event in
                    // The first band is in the journal.
                    guard case .job(_, .taskFinished) = event else { return }
                    let isFirst = isOverwritten.withLock { isOverwritten in
                        defer { isOverwritten = true }
                        return !isOverwritten
                    }
                    if isFirst { try? Self.overwrite(image) }
                })
            #expect(await isChanged { _ = try await scan.run() })
        }
        #expect(isOverwritten.withLock { $0 })
        // The next run begins anew: the journal's checksum is of the image before.
        let reader = try ImageReader(image: image)
        let journal = try await open(reader)
        #expect(journal.count == 0)
    }

    @Test("of which a node reads a part before and a part after is sent by the coordinator, which then refuses it")
    func node() async throws {
        let image = try files.field()
        let resolver = WindowResolver(try DataFolders([files.folder]))
        let reader = try ImageReader(image: image)
        let window = reader.contents(of: PixelRect(x: 0..<50, y: 10..<60))
        let reference = try #require(reader.reference(to: window))
        #expect(
            try resolver.bytes(of: reference, count: window.byteCount, unpackedCount: nil).count == window.byteCount)
        try Self.overwrite(image)
        #expect(throws: ImageError.self) {
            try resolver.bytes(of: reference, count: window.byteCount, unpackedCount: nil)
        }
        #expect(await isChanged { try await reader.confirmUnchanged() })
    }
}
