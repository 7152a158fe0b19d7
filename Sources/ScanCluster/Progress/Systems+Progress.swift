extension Systems {
    /// The runs on a registry between two times without any, and who reads their progress.
    struct Course {
        /// Number of courses that have begun.
        var number = 0
        /// Runs that are under way; those in chunks count as one more.
        var runs = 0
        var start = Instant(nanoseconds: 0)
        var end = Instant(nanoseconds: 0)
        /// The end of the course before this one, if anybody reads.
        var previous: RunProgress?
        /// Those that wait, or nil for those that do not, by their numbers.
        var readers: [Int: Waiter?] = [:]
        var lastReader = 0
        /// Changes when a reader must look.
        var version = 0

        /// - Returns: the readers to resume, outside the lock.
        mutating func wakeReaders() -> [Waiter] {
            version += 1
            let woken = readers.values.compactMap { $0 }
            for reader in readers.keys { readers[reader] = .some(nil) }
            return woken
        }
    }

    /// A run begins.
    func beginRun() {
        let now = clock.now
        let woken = registry.withLock { registry in
            defer { registry.course.runs += 1 }
            guard registry.course.runs == 0 else { return [Waiter]() }
            registry.course.previous = registry.course.readers.isEmpty ? nil : registry.progress(at: now)
            registry.state.beginProgress()
            registry.course.number += 1
            registry.course.start = now
            return registry.course.wakeReaders()
        }
        for waiter in woken { waiter.resume() }
    }

    /// A run ended.
    func endRun() {
        let now = clock.now
        let woken = registry.withLock { registry in
            registry.course.runs -= 1
            guard registry.course.runs == 0 else { return [Waiter]() }
            registry.course.end = now
            return registry.course.wakeReaders()
        }
        for waiter in woken { waiter.resume() }
    }

    /// Of the outputs of a system, `count` were none after all.
    func discount(_ count: Int = 1, of system: String, asFailed: Bool) {
        registry.withLock { $0.state.discount(count, of: system, asFailed: asFailed) }
    }

    /// The progress of the runs that are under way, or that begin next: at once, then every `interval`, and at the end.
    ///
    /// Take the sequence before the run, so that it has the run's end however short that is. A value is made when it is
    /// asked for: nothing is kept for a slow reader, and nothing is done for none. The sequence ends after the value of
    /// the runs' end, when the farm is closed, and when the task that reads it is cancelled.
    public func progress(every interval: Duration = .milliseconds(500)) -> RunProgress.Updates {
        let begun = registry.withLock { $0.course.runs > 0 ? $0.course.number - 1 : $0.course.number }
        return RunProgress.Updates(systems: self, after: begun, interval: max(.milliseconds(1), interval))
    }
}

extension Systems.Registry {
    func progress(at now: Instant) -> RunProgress {
        let isOver = course.runs == 0
        return RunProgress(
            systems: state.progress, elapsed: (isOver ? course.end : now).since(course.start), isOver: isOver)
    }
}

extension RunProgress {
    /// A sequence of the progress of runs: see ``Systems/progress(every:)``.
    public struct Updates: AsyncSequence, Sendable {
        /// A value of the sequence.
        public typealias Element = RunProgress
        /// It never throws.
        public typealias Failure = Never

        fileprivate let systems: Systems
        /// Courses that had begun before this sequence.
        fileprivate let after: Int
        fileprivate let interval: Duration

        init(systems: Systems, after: Int, interval: Duration) {
            (self.systems, self.after, self.interval) = (systems, after, interval)
        }

        /// Begins to read.
        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

        /// Reads the progress.
        public struct AsyncIterator: AsyncIteratorProtocol {
            private let updates: Updates
            private let reader: Reader
            private var meter = ProgressMeter()
            /// The course that is read, once it has begun.
            private var course: Int?
            private var due: Instant?
            private var isOver = false

            fileprivate init(_ updates: Updates) {
                self.updates = updates
                reader = Reader(updates.systems)
            }

            /// The next value, of the moment in which it is returned; nil after the last one.
            public mutating func next() async -> RunProgress? {
                await next(isolation: #isolation)
            }

            /// The next value; nil after the last one.
            public mutating func next(isolation actor: isolated (any Actor)?) async -> RunProgress? {
                while !isOver, !Task.isCancelled {
                    let now = updates.systems.clock.now
                    let reading = reader.read(course: course, after: updates.after, at: now)
                    guard var progress = reading.progress else {
                        if reading.isLast { break }
                        await reader.wait(until: nil, version: reading.version)
                        continue
                    }
                    course = reading.course
                    if !progress.isOver, let due, now < due {
                        await reader.wait(until: due, version: reading.version)
                        continue
                    }
                    isOver = progress.isOver
                    due = now.advanced(by: updates.interval)
                    meter.measure(&progress)
                    return progress
                }
                isOver = true
                return nil
            }
        }
    }
}

/// One reader of a registry's progress.
private final class Reader: Sendable {
    private let systems: Systems
    private let number: Int

    init(_ systems: Systems) {
        self.systems = systems
        number = systems.registry.withLock { registry in
            registry.course.lastReader += 1
            registry.course.readers[registry.course.lastReader] = .some(nil)
            return registry.course.lastReader
        }
    }

    deinit { systems.registry.withLock { _ = $0.course.readers.removeValue(forKey: number) } }

    /// What there is to read of the course `course`, or of the first one after `earlier` if that is nil.
    /// - Returns: nil in place of the progress if there is none yet, or never again if `isLast`.
    func read(
        course: Int?, after earlier: Int, at now: Instant
    ) -> (progress: RunProgress?, course: Int, version: Int, isLast: Bool) {
        systems.registry.withLock { registry in
            let (known, version) = (registry.course, registry.course.version)
            let wanted = course ?? max(known.number, earlier + 1)
            switch known.number {
            case wanted: return (registry.progress(at: now), wanted, version, false)
            case wanted + 1 where known.previous != nil: return (known.previous, wanted, version, false)
            case ..<wanted: return (nil, wanted, version, registry.isClosed)
            default: return (nil, wanted, version, true)
            }
        }
    }

    /// Waits until `due`, or until a course begins or ends after `version` of it was read, or the task is cancelled.
    func wait(until due: Instant?, version: Int) async {
        let timer = due.map { systems.clock.schedule(at: $0) { self.wake() } }
        await withTaskCancellationHandler {
            await withUnsafeContinuation { (waiter: Waiter) in
                let mustLook = systems.registry.withLock { registry in
                    let isDue = due.map { $0 <= systems.clock.now } ?? false
                    if isDue || Task.isCancelled || registry.course.version != version { return true }
                    registry.course.readers[number] = waiter
                    return false
                }
                if mustLook { waiter.resume() }
            }
        } onCancel: {
            wake()
        }
        if let timer { systems.clock.cancel(timer) }
    }

    private func wake() {
        let waiter = systems.registry.withLock { registry -> Waiter? in
            defer { registry.course.readers[number] = .some(nil) }
            return registry.course.readers[number] ?? nil
        }
        waiter?.resume()
    }
}
