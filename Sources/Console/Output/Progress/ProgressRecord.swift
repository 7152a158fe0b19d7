/// An event as a line of JSON; `v` is the version of the format, which Docs/Progress.md describes.
package struct ProgressRecord: Encodable, Equatable {
    package var v = 1
    package var event: String
    /// Identifier of the job, if it has one.
    package var job: String?
    /// Seconds since the start.
    package var time: Double
    package var stage: String?
    package var reason: String?
    /// Last lines of a node's log, each prefixed with the node's name.
    package var log: [String]?
    package var tasks: Int
    package var tasksDone: Int
    package var tasksFailed: Int
    package var tasksResumed: Int
    /// Number of files of a job with several files, and of finished ones; omitted for one image.
    package var files: Int?
    package var filesDone: Int?
    /// Number of images in the opened files, and of finished ones; omitted for one image.
    package var images: Int?
    package var imagesDone: Int?
    /// Number of pixels of the image, or of all images whose scan has begun.
    package var pixels: Int
    package var pixelsDone: Int
    /// Recent rate in pixels of the image per second.
    package var rate: Double?
    package var secondsLeft: Double?
    package var retries: Int
    package var hedges: Int
    /// Number of connected systems, and of their slots.
    package var systems: Int
    package var slotsTotal: Int
    /// Index of a task in its step, from 0.
    package var task: Int?
    /// The system on which the task is slow.
    package var slow: String?
    package var system: String?
    package var slots: Int?
    /// A finished file, its catalogues, and the reasons why images of it, or the whole file, could not be scanned.
    package var file: String?
    package var outputs: [String]?
    package var errors: [String]?
    /// Why the file is left out; nil if it is not.
    package var leftOut: String?

    /// Creates the record of `event` with the totals after it; nil stands for the end.
    package init(_ event: ProgressEvent?, job: String? = nil, at seconds: Double, state: ProgressState) {
        switch event {
        case .files: self.event = "files"
        case .fileBegan: self.event = "file-began"
        case .imageEnded: self.event = "image-ended"
        case .fileEnded(let file, let outputs, let errors, let reason):
            (self.event, self.file, self.outputs) = ("file-ended", file, outputs)
            self.errors = errors.isEmpty ? nil : errors
            leftOut = reason
        case .began: self.event = "began"
        case .stage(let name): (self.event, stage) = ("stage", name)
        case .planned: self.event = "planned"
        case .finished(_, let system): (self.event, self.system) = ("finished", system)
        case .resumed: self.event = "resumed"
        case .retried(let reason, let log):
            (self.event, self.reason) = ("retried", reason)
            self.log = log.isEmpty ? nil : log
        case .hedged(let task, let slow, let system):
            self.event = "hedged"
            (self.task, self.slow, self.system) = (task, slow, system)
        case .failed(_, let reason, let log):
            (self.event, self.reason) = ("failed", reason)
            self.log = log.isEmpty ? nil : log
        case .joined(let system, let slots): (self.event, self.system, self.slots) = ("joined", system, slots)
        case .left(let system): (self.event, self.system) = ("left", system)
        case nil: self.event = "ended"
        }
        self.job = job
        time = Self.rounded(seconds)
        (tasks, tasksDone, tasksFailed) = (state.tasks, state.tasksDone, state.tasksFailed)
        tasksResumed = state.tasksResumed
        if state.files > 0 {
            (files, filesDone) = (state.files, state.filesDone)
            (images, imagesDone) = (state.images, state.imagesDone)
        }
        (pixels, pixelsDone) = (state.pixels, state.pixelsDone)
        rate = state.rate(at: seconds)?.rounded()
        secondsLeft = state.secondsLeft(at: seconds).map(Self.rounded)
        (retries, hedges) = (state.retries, state.hedges)
        (systems, slotsTotal) = (state.systems.count, state.systems.reduce(0) { $0 + $1.slots })
    }

    private static func rounded(_ seconds: Double) -> Double { (seconds * 1000).rounded() / 1000 }
}
