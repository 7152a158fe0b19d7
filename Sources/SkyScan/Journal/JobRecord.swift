public import SkyExtraction
public import SkyFITS

/// Metadata of a job, without its results.
public struct JobRecord: Codable, Equatable, Sendable {
    /// Progress of a job.
    public enum State: String, Codable, Sendable {
        /// It began and has not ended.
        case unfinished
        /// Its catalogue has been written, with sectors missing; the same command tries those again.
        case partial
        /// Its catalogue has been written.
        case finished
    }

    /// A sector that could not be scanned.
    public struct Failure: Codable, Equatable, Sendable {
        /// The step that failed there.
        public var step: ScanStep
        /// Pixels of the sector.
        public var rect: PixelRect
        /// The last attempt's error, in words.
        public var reason: String
        /// The last lines of the log of the node on which the last attempt failed; nil if there are none.
        public var log: [String]?
    }

    /// The identity of the job.
    public var identity: JobIdentity
    /// The command's arguments, without the program's name.
    public var words: [String]
    /// The working directory of the command.
    public var folder: String
    /// Start time of the job, in seconds since 1970.
    public var began: Double
    /// Progress of the job.
    public var state = State.unfinished
    /// Checksums of the inputs, once they are known.
    public var checksums: InputChecksums?
    /// Number of sources in the catalogue, once it is written.
    public var sources: Int?
    /// Absolute names of the outputs, `-` for standard output; nil in records of earlier versions.
    public var outputs: [String]?
    /// The outputs of a job of one image that are being written, and may have their names; nil before and after.
    public var written: [JournalledFile.Catalogue]?
    /// Number of all tasks, as far as they are known; nil in records of earlier versions.
    public var tasks: Int?
    /// Number of tasks with a result, once the catalogue is written.
    public var tasksDone: Int?
    /// The plan of bands of each pass, by the names of their steps, for which the journal has results.
    public var plans: [String: BandPlan]?
    /// Number of files of a job of many images; nil for a scan of one.
    public var files: Int?
    /// The table of all files of a job of many images; nil unless one was written or begun.
    public var merged: JournalledFile.Catalogue?
    /// Sectors missing from the catalogue.
    public var failures: [Failure] = []

    /// The record of a new job.
    /// - Parameters:
    ///   - identity: of the job.
    ///   - words: the command's arguments.
    ///   - folder: the working directory of the command.
    ///   - began: seconds since 1970.
    ///   - outputs: absolute names of the outputs.
    ///   - tasks: number of tasks that are known in advance.
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
