package import ScanCluster

/// Totals of the progress events so far. Times are in seconds since the start.
package struct ProgressState: Equatable, Sendable {
    package struct System: Equatable, Sendable {
        package var name: String
        package var slots: Int
        /// Rate of work per second.
        fileprivate(set) var meter: RateMeter
        /// Tasks that it has finished.
        package fileprivate(set) var tasksDone = 0
        /// Tasks that occupy its slots, and tasks that wait there for one; nil if unknown.
        package fileprivate(set) var load: (running: Int, scheduled: Int)?
        fileprivate var taskMeter: RateMeter

        fileprivate init(name: String, slots: Int, at seconds: Double) {
            (self.name, self.slots) = (name, slots)
            (meter, taskMeter) = (RateMeter(from: seconds), RateMeter(from: seconds))
        }

        /// Finished tasks per second; nil before the first.
        package func taskRate(at seconds: Double) -> Double? { taskMeter.rate(at: seconds) }

        package static func == (left: System, right: System) -> Bool {
            (left.name, left.slots, left.meter, left.tasksDone, left.taskMeter)
                == (right.name, right.slots, right.meter, right.tasksDone, right.taskMeter)
                && left.load?.running == right.load?.running && left.load?.scheduled == right.load?.scheduled
        }
    }

    package private(set) var stage = ""
    package private(set) var tasks = 0
    package private(set) var tasksDone = 0
    package private(set) var tasksFailed = 0
    /// Tasks whose results come from the journal; included in ``tasksDone``.
    package private(set) var tasksResumed = 0
    /// Number of pixels of the image; in a job with several files, of all images whose scan has begun.
    package private(set) var pixels = 0
    /// Number of files of a job with several files; 0 for one image.
    package private(set) var files = 0
    package private(set) var filesDone = 0
    /// Number of images in the opened files.
    package private(set) var images = 0
    package private(set) var imagesDone = 0
    package private(set) var filesOpened = 0
    private var imagesBegun = 0
    package private(set) var retries = 0
    package private(set) var hedges = 0
    /// Systems in the order in which they joined.
    package private(set) var systems: [System] = []
    /// Finished fraction of the known work. It never decreases when further work becomes known.
    package private(set) var share = 0.0

    /// Whether the work of all images is done, as far as it is known.
    private var isWorkDone = false
    private var workExpected = 0.0
    private var workPlanned = 0.0
    private var workDone = 0.0
    private var workResumed = 0.0
    private var meter = RateMeter()

    package mutating func handle(_ event: ProgressEvent, at seconds: Double) {
        switch event {
        case .files(let count):
            files = count
            stage = "0 of \(HumanFormat.count(files, "file"))"
        case .fileBegan(let count):
            filesOpened += 1
            images += count
        case .imageEnded: imagesDone += 1
        case .fileEnded:
            filesDone += 1
            if files > 0 { stage = "\(filesDone) of \(HumanFormat.count(files, "file"))" }
        case .began(let pixels, let work):
            imagesBegun += 1
            self.pixels += pixels
            workExpected += work
        case .stage(let name): stage = name
        case .planned(let tasks, let work):
            self.tasks += tasks
            workPlanned += work
        case .finished(let work, let system):
            tasksDone += 1
            if let index = systems.firstIndex(where: { $0.name == system }) {
                systems[index].meter.add(work, at: seconds)
                systems[index].tasksDone += 1
                systems[index].taskMeter.add(1, at: seconds)
            }
            complete(work, at: seconds)
        case .resumed(let tasks, let work):
            tasksDone += tasks
            tasksResumed += tasks
            // Resumed work does not count in the rate.
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
                systems.append(System(name: name, slots: slots, at: seconds))
            }
        case .left(let name): systems.removeAll { $0.name == name }
        }
        if files > 0, filesDone == files {
            (share, isWorkDone) = (1, true)
        } else if let all = workOfAll, all > 0 {
            share = max(share, min(sharesOfFiles.upperBound, max(sharesOfFiles.lowerBound, workDone / all)))
            // The sums are rounded.
            isWorkDone = workDone / all > 1 - 1e-9
        }
    }

    /// The attempts that each system has now.
    package mutating func note(_ snapshots: [SystemSnapshot]) {
        for snapshot in snapshots {
            guard let index = systems.firstIndex(where: { $0.name == snapshot.name }) else { continue }
            let running = min(snapshot.inFlight, snapshot.slots)
            systems[index].load = (running, snapshot.inFlight - running)
        }
    }

    /// The shares that agree with the number of finished files: at least theirs, at most that of as many more as there are
    /// slots. Outputs may be written long after the tasks of an image are done. Of one image any share does.
    private var sharesOfFiles: ClosedRange<Double> {
        guard files > 0 else { return 0...1 }
        let slots = max(1, systems.reduce(0) { $0 + $1.slots })
        let done = min(1, Double(filesDone) / Double(files))
        return done...max(done, min(1, Double(min(filesOpened, filesDone + slots)) / Double(files)))
    }

    /// Whether all work is done, so that only outputs are still to be written.
    package var isWriting: Bool { isWorkDone && tasks > 0 && tasksDone + tasksFailed >= tasks }

    /// The share in percent, rounded down. It is less than 100, since the display ends when everything is done.
    package var percent: Int { min(99, Int(share * 100)) }

    private mutating func complete(_ work: Double, at seconds: Double) {
        workDone += work
        meter.add(work, at: seconds)
    }

    private var work: Double { max(workExpected, workPlanned) }

    /// The work of all files: the known work, extrapolated to images and files that have not been opened; nil before
    /// the first.
    private var workOfAll: Double? {
        guard files > 0 else { return work }
        guard imagesBegun > 0, filesOpened > 0 else { return nil }
        // An image that cannot be read ends without having begun.
        let seen = max(imagesBegun, imagesDone)
        let ofOpened = work * Double(max(images, seen)) / Double(seen)
        return ofOpened * Double(max(files, filesOpened)) / Double(filesOpened)
    }

    /// Pixels of the image per unit of work. Work also includes halos and further passes.
    private var pixelsPerWork: Double { work > 0 ? Double(pixels) / work : 0 }

    /// Number of finished pixels of the image, in proportion to the finished work.
    package var pixelsDone: Int {
        let done = files > 0 && work > 0 ? min(1, workDone / work) : share
        return Int((done * Double(pixels)).rounded())
    }

    /// Recent rate in pixels of the image per second; nil if unknown, or if the work is no image.
    package func rate(at seconds: Double) -> Double? {
        pixels == 0 ? nil : meter.rate(at: seconds).map { $0 * pixelsPerWork }
    }

    /// Recent rate of one system in pixels of the image per second; nil if unknown.
    package func rate(of system: System, at seconds: Double) -> Double? {
        pixels == 0 ? nil : system.meter.rate(at: seconds).map { $0 * pixelsPerWork }
    }

    /// Mean rate since the start in pixels of the image per second, without resumed work; nil before the first result.
    package func meanRate(at seconds: Double) -> Double? {
        let pixels = (workDone - workResumed) * pixelsPerWork
        return pixels > 0 && seconds > 0 ? pixels / seconds : nil
    }

    /// Seconds until all work is finished at the recent rate; nil if unknown. The work of files that have not been
    /// opened is estimated from the others.
    package func secondsLeft(at seconds: Double) -> Double? {
        guard let all = workOfAll, let rate = meter.rate(at: seconds) else { return nil }
        return max(0, all - workDone) / rate
    }
}
