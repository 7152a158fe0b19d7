/// What happens in a job, as far as it is shown.
enum ProgressEvent: Equatable, Sendable {
    /// A stage of the job begins, such as "background".
    case stage(String)
    /// More work is known of.
    case planned(tasks: Int, pixels: Int)
    case finished(pixels: Int)
    /// An earlier run of the job did these.
    case resumed(tasks: Int, pixels: Int)
    /// An attempt came to nothing; `log` is what the node's log has to say.
    case retried(reason: String, log: [String] = [])
    /// A task that takes longer than expected on one system is tried by another as well.
    case hedged(task: Int, slow: String, system: String)
    /// A task was given up; its pixels are no longer waited for.
    case failed(pixels: Int, reason: String, log: [String] = [])
    case nodes(Int)
}

/// The sum of a job's events, and the texts that show it. Time comes in as seconds since the job began.
struct ProgressState: Equatable, Sendable {
    private(set) var stage = ""
    private(set) var tasks = 0
    private(set) var tasksDone = 0
    private(set) var tasksFailed = 0
    /// Of those done, the ones that an earlier run did.
    private(set) var tasksResumed = 0
    private(set) var pixels = 0
    private(set) var pixelsDone = 0
    private(set) var retries = 0
    private(set) var hedges = 0
    private(set) var nodes = 0
    /// Pixels done at moments of the last ``rateWindow`` seconds, for the rate.
    private var samples: [Sample] = [Sample(seconds: 0, pixels: 0)]

    private struct Sample: Equatable, Sendable {
        var seconds: Double
        var pixels: Int
    }

    private static let rateWindow = 15.0

    mutating func handle(_ event: ProgressEvent, at seconds: Double) {
        switch event {
        case .stage(let name): stage = name
        case .planned(let tasks, let pixels):
            self.tasks += tasks
            self.pixels += pixels
        case .finished(let pixels):
            tasksDone += 1
            complete(pixels, at: seconds)
        case .resumed(let tasks, let pixels):
            tasksDone += tasks
            tasksResumed += tasks
            pixelsDone += pixels
            // They took no time and say nothing of the rate.
            for index in samples.indices { samples[index].pixels += pixels }
        case .retried: retries += 1
        case .hedged: hedges += 1
        case .failed(let pixels, _, _):
            tasksFailed += 1
            complete(pixels, at: seconds)
        case .nodes(let count): nodes = count
        }
    }

    private mutating func complete(_ pixels: Int, at seconds: Double) {
        pixelsDone += pixels
        // One sample per quarter of a second is enough, and keeps a job of a million tasks small.
        if samples.count > 1, seconds - samples[samples.count - 2].seconds < 0.25 { samples.removeLast() }
        samples.append(Sample(seconds: seconds, pixels: pixelsDone))
        while samples.count > 2, samples[1].seconds < seconds - Self.rateWindow { samples.removeFirst() }
    }

    /// Share of the pixels that need no more work, from 0 to 1.
    var share: Double { pixels == 0 ? 0 : min(1, Double(pixelsDone) / Double(pixels)) }

    /// Pixels per second of late; nil before the first task is done.
    func rate(at seconds: Double) -> Double? {
        guard let first = samples.first, pixelsDone > first.pixels, seconds > first.seconds else { return nil }
        return Double(pixelsDone - first.pixels) / (seconds - first.seconds)
    }

    /// Seconds until the known work is done; nil while nothing is known of the rate.
    func secondsLeft(at seconds: Double) -> Double? {
        rate(at: seconds).map { Double(max(0, pixels - pixelsDone)) / $0 }
    }
}
