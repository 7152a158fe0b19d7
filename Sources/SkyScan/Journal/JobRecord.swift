internal import Foundation
public import SkyExtraction

/// Metadata of a job, without its results.
public struct JobRecord: Codable, Equatable, Sendable {
    /// State of a job.
    public enum State: String, Codable, Sendable {
        /// The job has begun and has not ended.
        case unfinished
        /// The catalogue was written but sectors are missing, which the same command tries again.
        case partial
        /// All catalogues were written, but those of files that cannot be scanned.
        case finished
        /// No file can be scanned, or every file is left out.
        case failed

        /// Whether the job has no results that a further run could use.
        public var isEnded: Bool { self == .finished || self == .failed }
    }

    /// The identity of the job, by which later runs find its journal.
    public var identity: JobIdentity
    /// Arguments of the command, without the program's name.
    public var words: [String]
    /// Working directory of the command.
    public var folder: String
    /// ID under which the job was submitted to a node, or nil if it was not.
    public var submission: String?
    /// Start time of the job, in seconds since 1970.
    public var began: Double
    /// State of the job.
    public var state = State.unfinished
    /// Checksums of the inputs, or nil until they are known.
    public var checksums: InputChecksums?
    /// Number of sources in the catalogue, or nil until it is written.
    public var sources: Int?
    /// Absolute paths of the outputs, `-` for standard output, or nil in records of earlier versions.
    public var outputs: [String]?
    /// Number of all tasks as far as known, or nil for many images.
    public var tasks: Int?
    /// Number of tasks with a result, or nil until the catalogue is written and for many images.
    public var tasksDone: Int?
    /// Plan of bands of each pass with results in the journal, by name of the step.
    public var plans: [String: BandPlan]?
    /// Number of files, or 0 if it is not known.
    public var files = 1
    /// Catalogue of all files of a job of many images, or nil if none was begun.
    public var merged: JournalledFile.Catalogue?

    /// Whether the job has one image, whose bands may depend on the cluster and whose inputs are known by checksums.
    var isSole: Bool { tasks != nil }

    /// Takes over the command of a new run of the job. Outputs of earlier runs that still exist are kept, after those of
    /// the new run, and so are templates of names.
    mutating func take(_ run: JobRecord) {
        (words, folder, submission) = (run.words, run.folder, run.submission)
        let new = run.outputs ?? []
        let old = (outputs ?? []).filter { name in
            !new.contains(name) && (name.contains("{") || FileManager.default.fileExists(atPath: name))
        }
        outputs = new + old
    }

    /// Creates the record of a new job.
    /// - Parameters:
    ///   - identity: identity of the job.
    ///   - words: arguments of the command.
    ///   - folder: working directory of the command.
    ///   - began: start time in seconds since 1970.
    ///   - outputs: absolute paths of the outputs.
    ///   - tasks: number of tasks known in advance of a job of one image, or nil for many images.
    public init(
        identity: JobIdentity, words: [String], folder: String, began: Double, outputs: [String]? = nil,
        tasks: Int? = nil
    ) {
        self.identity = identity
        self.words = words
        self.folder = folder
        self.began = began
        self.outputs = outputs
        self.tasks = tasks
    }
}
