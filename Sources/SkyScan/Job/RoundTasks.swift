internal import SkyExtraction
internal import SkyFITS
internal import SkyMeasurement
internal import TaskJournal

/// The tasks of a round, made on demand: they carry backgrounds, which need not all be in memory.
struct RoundTasks<Round: ScanRound>: Sequence, Sendable {
    /// Facts about a window that its task does not carry.
    private struct Window {
        let sector: PixelRect
        let cost: Double
        /// See ``TaskKey/window``; 0 without a journal.
        let key: UInt64
    }

    let round: Round
    private let reader: ImageReader
    private let windows: [Window]
    /// See ``TaskKey/basis``; 0 without a journal.
    private let basis: UInt64
    /// The windows that are left to be scanned, by index in the round, in the order in which their tasks begin.
    var indices: [Int]

    /// The tasks of all windows of a round that follows this background; nil if there is none yet.
    init(_ round: Round, of scan: SkyScan, after background: BackgroundModel?) throws {
        (self.round, reader) = (round, scan.reader)
        let isJournalled = scan.journal != nil
        basis = isJournalled ? try background.map(scan.basis) ?? 0 : 0
        windows = try (0..<round.count).map { index in
            let step = round.step(index)
            // The number of a band identifies it.
            let key = isJournalled ? try (step.subject as? Int).map { UInt64($0) } ?? Checksum.of(step.subject) : 0
            return Window(sector: step.sector, cost: step.cost, key: key)
        }
        let order = Round.Step.bands
        indices = (0..<round.count).map { order?.band(at: $0, of: round.count) ?? $0 }
    }

    /// The work of the tasks that are left.
    var cost: Double { indices.reduce(0) { $0 + windows[$1].cost } }

    /// The pixels about which nothing is known if the task of the window at `index` fails.
    func sector(_ index: Int) -> PixelRect { windows[index].sector }

    /// Identifies the result of the window at `index`.
    func key(_ index: Int) -> TaskKey { TaskKey(step: Round.Step.name, basis: basis, window: windows[index].key) }

    func makeIterator() -> some IteratorProtocol<StepTask<Round.Step>> {
        indices.lazy.map { index in
            let step = round.step(index)
            return StepTask(id: index, scan: step, window: reader.contents(of: step.rect))
        }.makeIterator()
    }
}

extension WindowStep {
    /// The step of a sky scan to which it belongs.
    static var name: ScanStep {
        switch Self.self {
        case is MeshMeasurement.Type: .background
        case is BandExtraction.Type, is ImageExtraction.Type: .extraction
        case is CutIslandExtraction.Type: .cutIslands
        default: .photometry
        }
    }

    /// The order of the bands, if it reads whole bands, which nodes keep for the next step; nil otherwise.
    static var bands: BandOrder? {
        switch Self.self {
        case is MeshMeasurement.Type: .forth
        case is BandExtraction.Type: .back
        default: nil
        }
    }
}
