import ScanCluster
import ScanNetwork

import SkyExtraction
import SkyScan

extension FuzzTarget {
    /// The outputs of a sky scan, or of small tasks in a chunk, as a coordinator takes them from a node: decoded,
    /// validated, and then used. The first byte chooses the task that is answered.
    static let outputs = FuzzTarget(name: "outputs") { bytes in
        var input = FuzzInput(bytes)
        let small = SkySeeds.small
        let choice = input.byte() % 6
        do {
            switch choice {
            case 0:
                let output = try WireDecoder().decode(MeshStatistics.self, from: input.rest)
                try small.mesh(1).validate(output)
                try ChangedTasks.use(output, small)
            case 1:
                let output = try WireDecoder().decode(WindowResult.self, from: input.rest)
                try small.band(0).validate(output)
                ChangedTasks.use(output, small)
            case 2:
                let output = try WireDecoder().decode(WindowResult.self, from: input.rest)
                try small.island(part, x: 20, y: 16).validate(output)
                ChangedTasks.use(output, small)
            case 3:
                let output = try WireDecoder().decode(ApertureResult.self, from: input.rest)
                try small.aperture(part).validate(output)
                ChangedTasks.use(output, small)
            case 4:
                let output = try WireDecoder().decode(ImageResult.self, from: input.rest)
                try small.image.validate(output)
                try ChangedTasks.use(output, small)
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
        let real = SkySeeds.outputs
        func output(_ choice: UInt8, _ output: some Encodable) throws -> [UInt8] {
            try WireEncoder().encode(output).chosen(choice)
        }
        var outcomes = TaskChunk<ProbeTask>.Output()
        outcomes.append(0)
        outcomes.append(failure: "none")
        outcomes.append(1)
        return [
            "chunk": try WireEncoder().encode(outcomes).chosen(5),
            "mesh": try output(0, real.mesh), "band": try output(1, real.band),
            "island": try output(2, real.island), "aperture": try output(3, real.aperture),
            "image": try output(4, real.image),
        ]
    }

    private static let chunk = TaskChunk(id: 0, tasks: [ProbeTask(id: 0), ProbeTask(id: 1), ProbeTask(id: 2)])
    private static let part = ChangedTasks.part
}
