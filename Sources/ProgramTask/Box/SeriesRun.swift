import CProgramBox
import ScanCluster

/// One supervisor's places: while a program runs in one, the next program is made ready in the other.
struct ProgramPlaces: Sendable {
    var first: ProgramPlace
    /// Nil until a series needs it.
    var second: ProgramPlace?
}

/// The run of a series, on one thread: each program is sent to the supervisor while the one before it runs.
struct SeriesRun {
    private let host: ProgramHost
    private let path: String
    private let series: ProgramSeries
    private let bulk: BulkBytes?
    private let starts: [Int]
    private(set) var places: ProgramPlaces
    /// Whether nothing is left in the places, so that they can be used again.
    private(set) var isClean = true
    /// For each program that was sent, the number of memory kills of its group before.
    private var kills: [Int] = []
    private var outputs: [ProgramOutput] = []
    private var bytes = 0
    private let begin = ContinuousClock.now

    init(_ host: ProgramHost, _ path: String, _ series: ProgramSeries, _ bulk: BulkBytes?, in places: ProgramPlaces) {
        (self.host, self.path, self.series, self.bulk, self.places) = (host, path, series, bulk, places)
        starts = series.starts
    }

    /// Runs the programs.
    /// - Throws: ``ProgramRefusal`` if the first one cannot be run; `CancellationError`. None runs any more then.
    mutating func outputs(_ context: ScanContext) throws -> [ProgramOutput] {
        defer { host.shared.giveBack(Array(repeatElement(series.shared, count: kills.count).joined())) }
        try send()
        do {
            while outputs.count < kills.count {
                sendNext()
                guard try takeResult(context) else { break }
            }
        } catch {
            isClean = false
            try places.first.supervisor.endAll(with: error)
        }
        return outputs
    }

    /// Sends a further program unless the series is to end. What cannot be sent is an error of the series that begins with it.
    private mutating func sendNext() {
        guard kills.count == outputs.count + 1, kills.count < series.tasks.count, isClean,
            bytes < ProgramSeries.end.bytes, ContinuousClock.now - begin < .seconds(ProgramSeries.end.seconds)
        else { return }
        do { try send() } catch { isClean = false }
    }

    private mutating func send() throws(ProgramRefusal) {
        let number = kills.count
        let task = series.tasks[number]
        let place = try place(number)
        let files = try host.shared.take(task.shared, from: task.shared.isEmpty ? nil : bulk)
        do throws(ProgramRefusal) {
            try place.fill(with: task, bulk: bulk, at: starts[number], shared: files)
            kills.append(
                try place.begin([path] + task.arguments, variables(of: task, in: place), host.limits(of: task)))
        } catch {
            host.shared.giveBack(task.shared)
            throw error
        }
    }

    /// The places take turns.
    private mutating func place(_ number: Int) throws(ProgramRefusal) -> ProgramPlace {
        if number.isMultiple(of: 2) { return places.first }
        if let place = places.second { return place }
        let place = try host.newPlace(places.first.supervisor)
        places.second = place
        return place
    }

    /// Waits for the end of the next program.
    /// - Returns: false if it was not begun.
    private mutating func takeResult(_ context: ScanContext) throws -> Bool {
        let number = outputs.count
        let (task, place) = (series.tasks[number], try place(number))
        let result = try place.result(after: kills[number], context)
        if result.end == skyfarm_program_not_begun { return false }
        let output = try ProgramResultReader(task, host.taskLimits, host.limits(of: task)).output(of: result, in: place)
        // A place in which something may be left is not used again.
        if result.survivors > 0 || !place.isCleared() { isClean = false }
        bytes += output.contents.count
        outputs.append(output)
        return true
    }

    private func variables(of task: ProgramTask, in place: ProgramPlace) -> [String] {
        host.environment + [
            "HOME=\(place.path)", "TMPDIR=\(place.path)", "PWD=\(place.path)", "SKYFARM_CPUS=\(task.cpus)",
            "OMP_NUM_THREADS=\(task.cpus)",
        ]
    }
}
