public import SkyImage

/// What is known of a job without its results.
public struct JobRecord: Codable, Equatable, Sendable {
    /// How far the job is.
    public enum State: String, Codable, Sendable {
        /// It began and has not ended.
        case unfinished
        /// Its catalogue is written, with sectors missing; the same command tries those again.
        case partial
        /// Its catalogue is written.
        case finished
    }

    /// A sector that could not be scanned.
    public struct Failure: Codable, Equatable, Sendable {
        /// What was to be done there.
        public var step: ScanStep
        /// Pixels of the sector.
        public var rect: PixelRect
        /// The last attempt's error, in words.
        public var reason: String
        /// The last lines of the log of the node that failed it last; nil if there are none.
        public var log: [String]?
    }

    /// What makes the job.
    public var identity: JobIdentity
    /// The command's words, without the program's name.
    public var words: [String]
    /// The folder it was given in.
    public var folder: String
    /// When the job began, in seconds since 1970.
    public var began: Double
    /// How far the job is.
    public var state = State.unfinished
    /// Checksums of the inputs, once they are known.
    public var checksums: InputChecksums?
    /// Sources of the catalogue, once it is written.
    public var sources: Int?
    /// Sectors that are missing in the catalogue.
    public var failures: [Failure] = []

    /// The record of a job that begins.
    public init(identity: JobIdentity, words: [String], folder: String, began: Double) {
        self.identity = identity
        self.words = words
        self.folder = folder
        self.began = began
    }
}
