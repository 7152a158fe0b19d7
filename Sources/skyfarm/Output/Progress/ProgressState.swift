/// The sum of a job's events. Time comes in as seconds since the job began.
struct ProgressState: Equatable, Sendable {
    /// Somebody who takes part.
    struct System: Equatable, Sendable {
        var name: String
        var slots: Int
        /// Work per second.
        fileprivate(set) var meter: RateMeter
    }

    private(set) var stage = ""
    private(set) var tasks = 0
    private(set) var tasksDone = 0
    private(set) var tasksFailed = 0
    /// Of those done, the ones that an earlier run did.
    private(set) var tasksResumed = 0
    /// Pixels of the image.
    private(set) var pixels = 0
    private(set) var retries = 0
    private(set) var hedges = 0
    /// Those who are there, in the order in which they came.
    private(set) var systems: [System] = []
    /// The work that needs no more doing, as a share of what was known then; work that becomes known late does not take
    /// it back.
    private(set) var share = 0.0
    private var workExpected = 0.0
    private var workPlanned = 0.0
    private var workDone = 0.0
    private var workResumed = 0.0
    private var meter = RateMeter()

    mutating func handle(_ event: ProgressEvent, at seconds: Double) {
        switch event {
        case .began(let pixels, let work): (self.pixels, workExpected) = (pixels, work)
        case .stage(let name): stage = name
        case .planned(let tasks, let work):
            self.tasks += tasks
            workPlanned += work
        case .finished(let work, let system):
            tasksDone += 1
            if let index = systems.firstIndex(where: { $0.name == system }) {
                systems[index].meter.add(work, at: seconds)
            }
            complete(work, at: seconds)
        case .resumed(let tasks, let work):
            tasksDone += tasks
            tasksResumed += tasks
            // It took no time and says nothing of the rate.
            workDone += work
            workResumed += work
        case .retried: retries += 1
        case .hedged: hedges += 1
        case .failed(let work, _, _):
            tasksFailed += 1
            complete(work, at: seconds)
        case .joined(let name, let slots):
            if let index = systems.firstIndex(where: { $0.name == name }) {
                systems[index].slots = slots
            } else {
                systems.append(System(name: name, slots: slots, meter: RateMeter(from: seconds)))
            }
        case .left(let name): systems.removeAll { $0.name == name }
        }
        if work > 0 { share = max(share, min(1, workDone / work)) }
    }

    private mutating func complete(_ work: Double, at seconds: Double) {
        workDone += work
        meter.add(work, at: seconds)
    }

    /// All the work that is known.
    private var work: Double { max(workExpected, workPlanned) }

    /// Pixels of the image for a unit of work: halos and further passes are work, but no further pixels.
    private var pixelsPerWork: Double { work > 0 ? Double(pixels) / work : 0 }

    /// Pixels of the image that need no more work.
    var pixelsDone: Int { Int((share * Double(pixels)).rounded()) }

    /// Pixels of the image per second of late; nil while nothing is known of it.
    func rate(at seconds: Double) -> Double? { meter.rate(at: seconds).map { $0 * pixelsPerWork } }

    /// The same of one system.
    func rate(of system: System, at seconds: Double) -> Double? {
        system.meter.rate(at: seconds).map { $0 * pixelsPerWork }
    }

    /// Pixels of the image per second since the job began, without what an earlier run did; nil before the first.
    func meanRate(at seconds: Double) -> Double? {
        let pixels = (workDone - workResumed) * pixelsPerWork
        return pixels > 0 && seconds > 0 ? pixels / seconds : nil
    }

    /// Seconds until the known work is done; nil while nothing is known of the rate.
    func secondsLeft(at seconds: Double) -> Double? { meter.rate(at: seconds).map { max(0, work - workDone) / $0 } }
}
