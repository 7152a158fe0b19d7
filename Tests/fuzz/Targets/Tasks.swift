import Foundation
import ScanBasics
import ScanCluster
import ScanNetwork

@testable import SkyExtraction
@testable import SkyFITS
@testable import SkyScan

extension FuzzTarget {
    /// The tasks of a sky scan as a node takes them from a member: decoded, then run on pixels. The first byte chooses
    /// the type, two give the length of the coded task, and from the rest the pixels are repeated. Of a question about
    /// files, which is no part of the task but the origin of a reference, the rest is the answer that comes back.
    static let tasks = FuzzTarget(name: "tasks") { bytes in
        var input = FuzzInput(bytes)
        let choice = input.byte() % 7
        let length = Int(input.byte()) | Int(input.byte()) << 8
        let coded = input.bytes(length)
        do {
            switch choice {
            case 0:
                let task = try WireDecoder().decode(MeshTask.self, from: coded)
                try run(task, input.rest)
            case 1:
                let task = try WireDecoder().decode(BandTask.self, from: coded)
                if isSmall(task.scan.background) { try run(task, input.rest) }
            case 2:
                let task = try WireDecoder().decode(CutIslandTask.self, from: coded)
                if isSmall(task.scan.background) { try run(task, input.rest) }
            case 4: try run(try WireDecoder().decode(ImageTask.self, from: coded), input.rest)
            case 5: try run(try WireDecoder().decode(PixelsTask.self, from: coded), input.rest)
            case 6:
                let request = try WireDecoder().decode(NodeFileRequest.self, from: coded)
                try ask(request, input.rest)
            default:
                let task = try WireDecoder().decode(ApertureTask.self, from: coded)
                if isSmall(task.scan.background), isSmall(task.scan) { try run(task, input.rest) }
            }
        } catch {
            precondition(!"\(error)".isEmpty)
        }
    } seeds: {
        let small = SkySeeds.small
        func seed(_ choice: UInt8, _ task: some WindowTask) throws -> [UInt8] {
            let coded = try WireEncoder().encode(task)
            let bytes = small.bytes(task.window).prefix(2800)
            return [choice, UInt8(coded.count & 255), UInt8(coded.count >> 8)] + coded + bytes
        }
        let part = ChangedTasks.part
        func question(_ request: NodeFileRequest, _ answer: NodeFileAnswer) throws -> [UInt8] {
            var request = request
            // The seeds are the same in each run.
            request.nonce = 1
            let coded = try WireEncoder().encode(request)
            return [6, UInt8(coded.count & 255), UInt8(coded.count >> 8)] + coded + (try WireEncoder().encode(answer))
        }
        // A file, since an image in memory has no identity; that of the file is left out, since it has a time.
        let file = FileManager.default.temporaryDirectory.appending(path: "skyfarm-fuzz-\(getpid()).fits")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(try FuzzTarget.fits.seeds()["short"] ?? []).write(to: file)
        var image = try NodeFileAnswer.Image(FITSImage(file.path), path: "/sky.fits")
        image.file.identity = nil
        return [
            "mesh": try seed(0, small.mesh(1)), "band": try seed(1, small.band(0)),
            "island": try seed(2, small.island(part, x: 20, y: 16)), "aperture": try seed(3, small.aperture(part)),
            "image": try seed(4, small.image), "pixels": try seed(5, PixelsTask(window: small.mesh(1).window)),
            "files-names": try question(
                NodeFileRequest(.names, "/usr/share/doc/libc6/copy*"), NodeFileAnswer(names: ["/a"])),
            "files-image": try question(
                NodeFileRequest(.image, "/usr/share/doc/libc6/copyright", .number(1)), NodeFileAnswer(image: image)),
            "files-survey": try question(
                NodeFileRequest(.survey, "/usr/share/doc/libc6/../sky.fits", .name("SCI", version: 2)),
                NodeFileAnswer(problem: .init(code: "missing", message: "no such file"))),
        ]
    }

    /// Answers a question about files with what lies below a folder, and reads another answer as a coordinator does.
    private static func ask(_ request: NodeFileRequest, _ other: UnsafeRawBufferPointer) throws {
        // Patterns that lead elsewhere would be matched with all files of the machine.
        let isPattern = request.subject == .names && ShellPattern.isPattern(request.path)
        guard !isPattern || request.path.hasPrefix(folder) && !request.path.contains("..") else { return }
        let bulk = try NodeFileTask.bytes(of: request.answer(in: folders))
        let answer = try NodeFileTask().scan(ScanContext(bulk: bulk))
        precondition(answer.problem != nil || !answer.names.isEmpty || answer.file != nil || answer.image != nil)
        let length = min(other.count, NodeFileTask.byteCount - 4)
        let sent = BulkBytes(byteCount: NodeFileTask.byteCount) { bytes in
            bytes.initializeMemory(as: UInt8.self, repeating: 0)
            bytes.storeBytes(of: UInt32(length), as: UInt32.self)
            UnsafeMutableRawBufferPointer(rebasing: bytes[4...]).copyBytes(from: other.prefix(length))
        }
        guard let image = try NodeFileTask().scan(ScanContext(bulk: sent)).image else { return }
        let summary = ImageSummary(image, name: image.file.path, imageCount: 1, head: nil)
        _ = (summary.coordinatesProblem, summary.sampleUnit)
    }

    /// A small folder, which every Debian has.
    private static let folder = "/usr/share/doc/libc6/"
    private static let folders: DataFolders = {
        do { return try DataFolders([folder]) } catch { preconditionFailure("\(error)") }
    }()

    // Who holds the key may give a node much to do: long work is no fault here, and is not looked for.

    private static func isSmall(_ background: BackgroundSlice) -> Bool {
        max(background.width, background.height) <= 1 << 16 && background.columns <= 1 << 10
            && background.rows <= 1 << 10
    }

    private static func isSmall(_ scan: WindowPhotometry) -> Bool { scan.window.index.count <= 100 }

    private static func run<Work: WindowTask>(_ task: Work, _ pattern: UnsafeRawBufferPointer) throws {
        // A node refuses a window whose bytes did not come; here they come for every small one.
        try task.window.rect.validate()
        let count = task.window.rect.area <= 1 << 16 ? task.window.byteCount : 0
        let bulk = BulkBytes(byteCount: count) { memory in
            for index in memory.indices { memory[index] = pattern.isEmpty ? 0 : pattern[index % pattern.count] }
        }
        let output = try task.scan(ScanContext(bulk: bulk))
        // What a node computes is accepted by its coordinator, unless the task itself made no sense.
        _ = try WireEncoder().encode(output)
        try task.validate(output)
    }
}
