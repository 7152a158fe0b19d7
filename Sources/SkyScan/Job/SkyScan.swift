public import ScanCluster
public import ScanNetwork
public import SkyExtraction
public import SkyFITS
import SkyMeasurement
internal import TaskJournal

/// The distributed scan of one image: background, extraction, cut islands, cleaning, photometry.
///
/// The catalogue does not depend on which system runs which task, how often and in which order; see Docs/ExactScan.md.
public struct SkyScan: Sendable {
    package let reader: ImageReader
    /// How the image is cut for the step that runs, or runs next.
    package var plan: BandPlan
    /// The slots for which ``plan`` was made.
    var plannedSlots: Int
    /// Number of plans before this one. Nodes keep the pixels of the bands of each under keys of its own.
    var earlierPlans = 0
    /// Counts the slots at hand, if the plan depends on them.
    package let slots: (@Sendable () -> Int)?
    package let parameters: ScanParameters
    package let coordinator: ScanCoordinator
    package let job: UInt64
    package let journal: ScanJournal?
    package let observer: @Sendable (SkyScanEvent) -> Void
    package let differentNodes: @Sendable () -> [String: NodeInfo]
    private let positions: PlacedPositions?
    private let attempts = AttemptCounts()
    /// Most bytes that the window of a cut source may have. A frame to a node holds 1 GiB; the limit also holds for the
    /// local system, so that the catalogue does not depend on which system scans the window.
    package var windowLimit = 1008 << 20

    /// A scan of the image of `reader`.
    /// - Parameters:
    ///   - reader: reads the image.
    ///   - parameters: what counts as a source.
    ///   - bandRows: rows of a band, rounded up to whole meshes; chosen from the image's size and `slots` if nil.
    ///   - slots: counts the slots at hand, at the beginning and before the second pass. If nil, the bands do not depend
    ///     on them. A journal of several images needs that.
    ///   - positions: where fluxes are measured instead of a search for sources, if `ScanParameters.forced` says what.
    ///   - coordinator: runs the tasks.
    ///   - job: a random number that no other job has; the key of the pixels that nodes keep.
    ///   - journal: stores the results of finished tasks, and may already hold some; see ``ScanJournal``.
    ///   - observer: receives the events; must not block.
    ///   - differentNodes: nodes that compute differently, by the names of their systems; the journal does not store
    ///     their results. See `RemoteNodes.differentNodes`.
    /// - Throws: `ScanSetupError` for parameters that are invalid for this image.
    public init(
        reader: ImageReader, parameters: ScanParameters, bandRows: Int? = nil, slots: (@Sendable () -> Int)? = nil,
        positions: PlacedPositions? = nil, coordinator: ScanCoordinator,
        job: UInt64, journal: ScanJournal? = nil, observer: @escaping @Sendable (SkyScanEvent) -> Void = { _ in },
        differentNodes: @escaping @Sendable () -> [String: NodeInfo] = { [:] }
    ) throws(ScanSetupError) {
        try parameters.validate()
        guard (reader.summary.weights != nil) == (parameters.noise == .weights) else {
            throw ScanSetupError("a weight map and the noise from weights go together; give both or neither")
        }
        guard (positions != nil) == (parameters.forced != nil) else {
            throw ScanSetupError("positions and what is to be measured there go together; give both or neither")
        }
        self.positions = positions
        plannedSlots = slots?() ?? BandPlan.usualSlots
        plan = try BandPlan(
            width: reader.summary.width, height: reader.summary.height, parameters: parameters,
            requestedRows: bandRows, slots: plannedSlots)
        self.slots = bandRows == nil ? slots : nil
        self.reader = reader
        self.parameters = parameters
        self.coordinator = coordinator
        self.job = job
        self.journal = journal
        self.observer = observer
        self.differentNodes = differentNodes
    }

    /// Number of bands.
    public var bandCount: Int { plan.count }

    /// The work on all bands, in pixels as `ScanTask.cost`. The work on sources that bands cut is not included, since
    /// it is not known in advance.
    public var expectedCost: Double { positions == nil ? backgroundCost + extractionCost : backgroundCost }

    private var backgroundCost: Double { Double(plan.image.area) * MeshTask.costPerPixel }

    private var extractionCost: Double { Double((0..<plan.count).reduce(0) { $0 + plan[$1].window.area }) }

    /// Reads the first pixels of the image beside other work, so that a slot of this process, which unpacks the pixels of a
    /// whole image, finds them when it becomes free. Useless if other systems do the first tasks.
    public func readAhead() {
        let windows = (0..<min(plan.count, ReadingOrder.mostAhead)).map { reader.contents(of: plan[$0].window) }
        // Only then is the whole image the window of one task.
        let isOneTask = plan.count == 1 && positions == nil
        Task { [reader] in await reader.readAhead(windows, unpacksOnSlots: isOneTask) }
    }

    /// Runs the scan.
    ///
    /// A sector that could not be scanned is listed in the result; the job continues without it.
    /// - Throws: `ScanError` if there is no system to run tasks or the image cannot be read, ``SkyScanError`` if no
    ///   band has a background, `MemoryError`, `JournalError` if results cannot be written, `CancellationError`.
    public func run() async throws -> SkyScanResult {
        var scan = self
        scan.plan = try await journal?.plan(of: .background, proposed: plan) ?? plan
        // The plan of an earlier run was made for another number of slots, perhaps fewer.
        if scan.plan != plan { scan.plannedSlots = 1 }
        guard let positions, let request = parameters.forced else { return try await scan.run(.sources) }
        let forced = ForcedPlan(x: positions.x, y: positions.y, in: plan.image, request)
        return try await scan.run(.positions(forced))
    }

    /// Scans round by round.
    mutating func run(_ aim: ExactScan.Aim, _ tally: ScanTally = ScanTally()) async throws -> SkyScanResult {
        var progress = Progress(exact: ExactScan(plan: plan, parameters: parameters, aim: aim), tally: tally)
        while let round = try next(&progress.exact) {
            try await run(round, &progress)
            if progress.exact.isBetweenPasses {
                try await planExtraction()
                progress.exact.plan = plan
            }
        }
        guard let background = progress.exact.background else { throw SkyScanError("the image has no background") }
        return result(progress, background)
    }

    private func next(_ exact: inout ExactScan) throws -> (any ScanRound)? {
        exact.slots = slots?() ?? plannedSlots
        return try exact.next { accepted in
            if accepted.count > 0 { observer(.found(.cutIslands, x: accepted.x, y: accepted.y)) }
            observer(.began(.cleaning, tasks: 0, cost: 0))
        }
    }

    private func result(_ progress: Progress, _ background: BackgroundModel) -> SkyScanResult {
        let exact = progress.exact
        var (assembly, tally) = (exact.assembly, progress.tally)
        if let request = parameters.measurements { assembly.replacePhotometry(by: exact.measurements, request) }
        var sources = assembly.sources
        if let positions { (sources.x, sources.y) = (positions.x, positions.y) }
        (tally.retries, tally.hedges) = (attempts.retries, attempts.hedges)
        let measured = SkyScanResult.Measured(
            table: exact.measurements, pixels: assembly.pixels, absorbed: assembly.absorbed, hidden: assembly.hidden,
            detected: parameters.returnsDetections ? assembly.detected : nil, background: background,
            coarse: exact.coarse, parents: assembly.parents)
        return SkyScanResult(
            sources: sources, removed: assembly.removed, globalLevel: background.globalLevel,
            globalNoise: background.globalNoise, varianceScale: background.varianceScale,
            maskedPixels: background.maskedPixels, bands: plan.count, tally: tally,
            differentNodes: differentNodes().filter { tally.systems[$0.key] != nil },
            measured: positions == nil ? measured : nil, forced: exact.forced?.table)
    }

    /// Checksum of the background and of the plan, on which the tasks after pass 1 depend: see ``TaskKey/basis``.
    func basis(_ background: BackgroundModel) throws -> UInt64 {
        Checksum.of(try Checksum.of(background.slice(rows: plan.image.y)), try Checksum.of(plan))
    }

    /// Why no system can scan the window of a cut source; nil if one can.
    package func excess(of window: PixelRect) -> String? {
        guard reader.contents(of: window).byteCount > windowLimit else { return nil }
        if positions != nil {
            return "an aperture needs a window of \(window.width) by \(window.height) pixels, above "
                + "\(windowLimit >> 20) MiB; choose smaller --apertures"
        }
        return "a source needs a window of \(window.width) by \(window.height) pixels, above \(windowLimit >> 20) MiB; "
            + "mask it, or raise --threshold"
    }

    /// Runs the tasks of a round and reports their events to the observer.
    ///
    /// If the step has an order of bands, the tasks' pixels are those of whole bands, which nodes keep for the next step.
    func responses<Round: ScanRound>(
        to tasks: RoundTasks<Round>, observer: @escaping @Sendable (TaskEvent) -> Void
    ) -> TaskResponses<StepTask<Round.Step>> {
        let (reader, plan, job, attempts) = (reader, plan, job, attempts)
        let (bands, keys) = (Round.Step.bands, UInt64(earlierPlans) << 32)
        let isRelayed = reader.node != nil
        let key: @Sendable (Int) -> BulkKey? = { id in
            if bands != nil { return BulkKey(job: job, index: keys + UInt64(id)) }
            // Never kept. It only leads the task to the node that has the file.
            return isRelayed ? BulkKey(job: ~job, index: UInt64(id)) : nil
        }
        reader.noteCopies(coordinator)
        for node in reader.node?.nodes ?? [] { coordinator.note(tasks.indices.compactMap(key), heldBy: node) }
        return coordinator.responses(
            to: tasks,
            bulk: { task in
                let position = bands.map { order in
                    let rest = order.bands(after: task.id, of: plan.count)
                    return PassPosition(
                        isFirstPass: order == .forth,
                        following: rest.prefix(ReadingOrder.mostAhead).map { reader.contents(of: plan[$0].window) },
                        rest: rest.count)
                }
                return reader.source(
                    of: task.window, at: position, key: key(task.id),
                    isLastUse: bands == .back || bands == nil && isRelayed)
            },
            observer: { event in
                attempts.count(event)
                observer(event)
            })
    }
}
