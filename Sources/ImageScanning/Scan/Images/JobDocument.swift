import SkyReport
import SkyScan

/// The document that `skyfarm scan --json` writes at the end of a job; `v` is the version of the format.
struct JobDocument: Encodable {
    var v = 2
    var files: [ReportedFile]
    /// Earlier files that are not in `files`; omitted if there are none.
    var filesOmitted: Int?
    /// Files whose catalogues are written and complete.
    var done: Int
    /// Of these, files that an earlier run had finished.
    var resumed: Int
    /// Files that were left out because their catalogues exist.
    var skipped: Int
    /// Number of files and folders in which nothing was to be scanned.
    var leftOut: Int
    /// These files and folders, of a watch the newest.
    var filesLeftOut: [LeftOut]
    /// Files without a catalogue.
    var failed: Int
    /// Files whose catalogues lack images or sectors.
    var partial: Int
    var images: Int
    var sources: Int
    var pixels: Int
    var seconds: Double
    /// The table of `--merged`, if this run wrote it.
    var merged: String?
    var tasks: JobTally.Tasks
    /// By name.
    var systems: [JobTally.Share]
    /// In the order of a scan.
    var steps: [JobTally.Share]
    /// Compared with one system alone; omitted if unknown, and for many images.
    var speedUp: SpeedUp?
    /// The work that took at least half of the slots' time; omitted if there is none, and for many images.
    var bound: ScanAccount.Bound?
    /// As in ``ScanAccount/unusedNodes``; omitted if nodes did tasks, or if there were none.
    var unusedNodes: Int?
    /// How nodes got the pixels; omitted if none got any.
    var pixelTraffic: PixelTraffic?
    /// Who has loaded catalogues; omitted without --samp.
    var samp: ScanCommand.Delivery?
}

/// The tasks that this run of a job did, by system and step.
struct JobTally: Sendable {
    struct Tasks: Encodable {
        var done = 0
        /// Tasks whose results come from the journal.
        var resumed = 0
        var retries = 0
        var hedges = 0
        var missing = 0
    }

    struct Share: Encodable {
        var name: String
        var tasks: Int
        var seconds: Double
    }

    private(set) var tasks = Tasks()
    private var systems: [String: ScanTally.Share] = [:]
    private var steps: [ScanStep: ScanTally.Share] = [:]

    /// The scan of an image is done.
    mutating func add(_ tally: ScanTally) {
        tasks.done += tally.tasks
        tasks.resumed += tally.resumed
        tasks.retries += tally.retries
        tasks.hedges += tally.hedges
        tasks.missing += tally.missing.count
        systems.merge(tally.systems, uniquingKeysWith: +)
        steps.merge(tally.steps, uniquingKeysWith: +)
    }

    /// Whether this system alone has done tasks.
    func isLocal(to name: String) -> Bool { Array(systems.keys) == [name] }

    var systemShares: [Share] {
        systems.sorted { $0.key < $1.key }.map { Share(name: $0, tasks: $1.tasks, seconds: $1.seconds) }
    }

    var stepShares: [Share] {
        ScanStep.allCases.compactMap { step in
            steps[step].map { Share(name: step.rawValue, tasks: $0.tasks, seconds: $0.seconds) }
        }
    }
}
