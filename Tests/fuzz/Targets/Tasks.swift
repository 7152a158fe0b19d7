import ScanCluster
import ScanNetwork

@testable import SkyImage
@testable import SkyScan

extension FuzzTarget {
    /// The tasks of a sky scan as a node takes them from a member: decoded, then run on pixels. The first byte chooses
    /// the type, two give the length of the coded task, and from the rest the pixels are repeated.
    static let tasks = FuzzTarget(name: "tasks") { bytes in
        var input = FuzzInput(bytes)
        let choice = input.byte() % 5
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
        return [
            "mesh": try seed(0, small.mesh(1)), "band": try seed(1, small.band(0)),
            "island": try seed(2, small.island(part, x: 20, y: 16)), "aperture": try seed(3, small.aperture(part)),
            "image": try seed(4, small.image),
        ]
    }

    // Who holds the key may give a node much to do: long work is no fault here, and is not looked for.

    private static func isSmall(_ background: BackgroundSlice) -> Bool {
        max(background.width, background.height) <= 1 << 16 && background.columns <= 1 << 10
            && background.rows <= 1 << 10
    }

    private static func isSmall(_ scan: ApertureScan) -> Bool { scan.window.index.count <= 100 }

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
