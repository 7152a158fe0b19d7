import ScanCluster
import ScanNetwork

@testable import SkyImage
@testable import SkyScan

extension FuzzTarget {
    /// The outputs of a sky scan, or of small tasks in a chunk, as a coordinator takes them from a node: decoded,
    /// validated, and then used. The first byte chooses the task that is answered.
    static let outputs = FuzzTarget(name: "outputs") { bytes in
        var input = FuzzInput(bytes)
        let small = SkySeeds.small
        let choice = input.byte() % 5
        do {
            switch choice {
            case 0:
                let output = try WireDecoder().decode(MeshStatistics.self, from: input.rest)
                try small.mesh(1).validate(output)
                try use(output, small)
            case 1:
                let output = try WireDecoder().decode(WindowResult.self, from: input.rest)
                try small.band(0).validate(output)
                use(output, small)
            case 2:
                let output = try WireDecoder().decode(WindowResult.self, from: input.rest)
                try small.island(part, x: 20, y: 16).validate(output)
                use(output, small)
            case 3:
                let output = try WireDecoder().decode(ApertureResult.self, from: input.rest)
                try small.aperture(part).validate(output)
                use(output, small)
            default:
                let outcomes = try WireDecoder().decode(TaskChunk<ProbeTask>.Output.self, from: input.rest)
                let isFit = Result { try chunk.validate(outcomes) }
                var count = 0
                outcomes.forEach { _, _ in count += 1 }
                precondition(count <= outcomes.count)
                try isFit.get()
                precondition(count == chunk.tasks.count)
            }
        } catch {
            precondition(!"\(error)".isEmpty)
        }
    } seeds: {
        let small = SkySeeds.small
        func output<Task: WindowTask>(_ choice: UInt8, _ task: Task) throws -> [UInt8] {
            let samples = small.samples(task.window.rect)
            let bulk = BulkBytes(byteCount: task.window.byteCount) { memory in
                samples.withUnsafeBytes { memory.copyMemory(from: $0) }
            }
            return try WireEncoder().encode(task.scan(ScanContext(bulk: bulk))).chosen(choice)
        }
        var outcomes = TaskChunk<ProbeTask>.Output()
        outcomes.append(0)
        outcomes.append(failure: "none")
        outcomes.append(1)
        return [
            "chunk": try WireEncoder().encode(outcomes).chosen(4),
            "mesh": try output(0, small.mesh(1)), "band": try output(1, small.band(0)),
            "island": try output(2, small.island(part, x: 20, y: 16)), "aperture": try output(3, small.aperture(part)),
        ]
    }

    private static let chunk = TaskChunk(id: 0, tasks: [ProbeTask(id: 0), ProbeTask(id: 1), ProbeTask(id: 2)])
    private static let part = PixelRect(x: 10..<70, y: 4..<44)

    private static func use(_ output: MeshStatistics, _ small: SkySeeds) throws {
        var accumulator = BackgroundAccumulator(plan: small.plan, parameters: small.parameters)
        for (band, mesh) in small.meshes.enumerated() { try accumulator.add(band == 1 ? output : mesh) }
        _ = try accumulator.reduce()
    }

    private static func use(_ output: WindowResult, _ small: SkySeeds) {
        var planner = CutIslandPlanner(plan: small.plan, parameters: small.parameters)
        for band in 0..<small.plan.count { _ = planner.finish(band: band, cut: output.cut) }
        let assembly = CatalogAssembly(output.batch, parameters: small.parameters)
        precondition(assembly.windows().allSatisfy { small.plan.image.contains($0.rect) })
    }

    private static func use(_ output: ApertureResult, _ small: SkySeeds) {
        var assembly = small.catalogue
        assembly.add(output, of: small.aperture(part).scan.window)
        precondition(assembly.windows().allSatisfy { small.plan.image.contains($0.rect) })
        assembly.close()
    }
}
