import ScanCluster
import ScanNetwork

@testable import SkyExtraction
@testable import SkyFITS
@testable import SkyMeasurement
@testable import SkyScan

/// Real tasks and outputs of a sky scan in which up to three values are changed: what a member of the cluster can send.
///
/// Whatever is sent, the receiver must throw or return; a trap or a wrong access of memory is a failure.
enum ChangedTasks {
    /// What is changed.
    enum Kind: String, CaseIterable, Sendable {
        case image, mesh, band, island, aperture, measurement, forced, outputs
    }

    /// Changes a task or an output by `random`, then treats it as its receiver does.
    /// - Returns: whether it was accepted.
    static func run(_ kind: Kind, _ random: inout some RandomNumberGenerator) throws -> Bool {
        let seeds = SkySeeds.all[CodedTree.below(SkySeeds.all.count, &random)]
        do {
            switch kind {
            case .image: try run(seeds.image, seeds, &random)
            case .mesh: try run(seeds.mesh(CodedTree.below(seeds.plan.count, &random)), seeds, &random)
            case .band: try run(seeds.band(CodedTree.below(seeds.plan.count, &random)), seeds, &random)
            case .island: try run(seeds.island(part, x: 20, y: 16), seeds, &random)
            case .aperture: try run(seeds.aperture(part), seeds, &random)
            case .measurement: try run(seeds.measurement(part), seeds, &random)
            case .forced: try run(seeds.forced(part), seeds, &random)
            case .outputs: try useOutput(&random)
            }
            return true
        } catch {
            precondition(!"\(error)".isEmpty)
            return false
        }
    }

    static let part = PixelRect(x: 10..<70, y: 4..<44)

    /// `value` with one to three changes, after it travelled.
    private static func changed<Value: Codable>(
        _ value: Value, _ random: inout some RandomNumberGenerator
    ) throws -> Value {
        var tree = try CodedTree(of: value)
        for _ in 0...CodedTree.below(3, &random) { tree.change(&random) }
        let coded = try WireEncoder().encode(tree.decoded(as: Value.self))
        return try coded.withUnsafeBytes { try WireDecoder().decode(Value.self, from: $0) }
    }

    // MARK: - Tasks

    private static func run<Work: WindowTask>(
        _ task: Work, _ seeds: SkySeeds, _ random: inout some RandomNumberGenerator
    ) throws {
        let changed = CodedTree.below(8, &random) == 0 ? task : try changed(task, &random)
        guard isSmall(changed) else { return }
        // A node refuses a window whose bytes did not come; here they come for every small one.
        try changed.window.rect.validate()
        let count = changed.window.rect.area <= 1 << 16 ? changed.window.byteCount : 0
        let bytes = count == task.window.byteCount ? seeds.bytes(task.window) : []
        let bulk = BulkBytes(byteCount: count) { memory in
            for index in memory.indices { memory[index] = index < bytes.count ? bytes[index] : UInt8(index & 63) }
            changePixels(memory, &random)
        }
        let output = try changed.scan(ScanContext(bulk: bulk))
        // What a node computes is accepted by its coordinator, unless the task itself made no sense.
        _ = try WireEncoder().encode(output)
        try changed.validate(output)
    }

    /// Changes some pixels, or a run of them, in one input of two.
    private static func changePixels(
        _ memory: UnsafeMutableRawBufferPointer, _ random: inout some RandomNumberGenerator
    ) {
        let count = memory.count / MemoryLayout<Float>.stride
        if count == 0 || CodedTree.below(2, &random) == 0 { return }
        for _ in 0...CodedTree.below(3, &random) {
            let first = CodedTree.below(count, &random)
            let length = CodedTree.below(2, &random) == 0 ? 1 : CodedTree.below(count - first, &random) + 1
            let old = memory.loadUnaligned(fromByteOffset: first * 4, as: Float.self)
            let new = Float(CodedTree.changed(Double(old), &random))
            for index in first..<first + length {
                memory.storeBytes(of: new, toByteOffset: index * 4, as: Float.self)
            }
        }
    }

    // Who holds the key may occupy a node: long work and large memory are no faults here, and are not looked for.

    private static func isSmall(_ task: some WindowTask) -> Bool {
        switch task {
        case let task as BandTask: isSmall(task.scan.background)
        case let task as CutIslandTask: isSmall(task.scan.background)
        case let task as ApertureTask: isSmall(task.scan.background) && task.scan.window.index.count <= 100
        case let task as MeasurementTask: isSmall(task.scan.background) && task.scan.window.index.count <= 100
        case let task as ForcedTask: isSmall(task.scan.background) && task.scan.window.index.count <= 100
        default: true
        }
    }

    private static func isSmall(_ background: BackgroundSlice) -> Bool {
        max(background.width, background.height) <= 1 << 16
            && max(background.columns, background.rows) <= 1 << 10
    }

    // MARK: - Outputs

    private static func useOutput(_ random: inout some RandomNumberGenerator) throws {
        let small = SkySeeds.small
        let outputs = SkySeeds.outputs
        switch CodedTree.below(8, &random) {
        case 7:
            let output = try changed(outputs.forced, &random)
            let task = small.forced(part)
            try task.validate(output)
            let (window, request) = (task.scan.window, task.scan.parameters.forced ?? ForcedRequest())
            var plan = ForcedPlan(x: window.x, y: window.y, in: small.plan.image, request)
            plan.add(output, of: window)
        case 6:
            let output = try changed(outputs.measurement, &random)
            try SkySeeds.measured.measurement(part).validate(output)
            use(output, SkySeeds.measured)
        case 5:
            let output = try changed(outputs.measuredBand, &random)
            try SkySeeds.measured.band(0).validate(output)
            use(output, SkySeeds.measured)
        case 4:
            let output = try changed(outputs.image, &random)
            try small.image.validate(output)
            try use(output, small)
        case 0:
            let output = try changed(outputs.mesh, &random)
            try small.mesh(1).validate(output)
            try use(output, small)
        case 1:
            let output = try changed(outputs.band, &random)
            try small.band(0).validate(output)
            use(output, small)
        case 2:
            let output = try changed(outputs.island, &random)
            try small.island(part, x: 20, y: 16).validate(output)
            use(output, small)
        default:
            let output = try changed(outputs.aperture, &random)
            try small.aperture(part).validate(output)
            use(output, small)
        }
    }

    /// Takes the background and the sources of an image in.
    static func use(_ output: ImageResult, _ small: SkySeeds) throws {
        let plan = small.image.scan.plan
        _ = try ImageExtraction.background(of: output.statistics, plan: plan, parameters: small.parameters)
        var planner = CutIslandPlanner(plan: plan, parameters: small.parameters)
        let windows = planner.finish(band: 0, cut: output.window.cut)
        precondition(windows.allSatisfy { plan.image.contains($0.rect) })
    }

    /// Takes the background of a band in.
    static func use(_ output: MeshStatistics, _ small: SkySeeds) throws {
        var accumulator = BackgroundAccumulator(plan: small.plan, parameters: small.parameters)
        for (band, mesh) in small.meshes.enumerated() { try accumulator.add(band == 1 ? output : mesh) }
        _ = try accumulator.reduce()
    }

    /// Takes the sources of a band or window in.
    static func use(_ output: WindowResult, _ small: SkySeeds) {
        var planner = CutIslandPlanner(plan: small.plan, parameters: small.parameters)
        var windows: [CutIslandWindow] = []
        for band in 0..<small.plan.count { windows += planner.finish(band: band, cut: output.cut) }
        for window in windows { _ = planner.finish(window: window.id, result: output) }
        var batch = planner.accepted
        batch.append(output.batch)
        let assembly = CatalogAssembly(batch, parameters: small.parameters)
        precondition(assembly.windows().allSatisfy { small.plan.image.contains($0.rect) })
        if var plan = small.measurementPlan(of: assembly) {
            precondition(plan.windows().allSatisfy { small.plan.image.contains($0.rect) })
        }
    }

    /// Takes the measurements on request of a window in.
    static func use(_ output: MeasurementResult, _ small: SkySeeds) {
        guard var plan = small.measurementPlan(of: small.catalogue) else { return }
        plan.add(output, of: small.measurement(part).scan.window)
        precondition(plan.windows().allSatisfy { small.plan.image.contains($0.rect) })
    }

    /// Takes the measurements of a window in.
    static func use(_ output: ApertureResult, _ small: SkySeeds) {
        var assembly = small.catalogue
        assembly.add(output, of: small.aperture(part).scan.window)
        precondition(assembly.windows().allSatisfy { small.plan.image.contains($0.rect) })
        assembly.close()
    }
}
