import Foundation

extension ProgressState {
    /// One line of at most `width` characters for a terminal: a bar and what fits beside it.
    func bar(at seconds: Double, width: Int) -> String {
        let facts = self.facts(at: seconds).joined(separator: "  ")
        let label = stage.isEmpty ? "" : stage + " "
        let percent = String(format: " %3.0f %%  ", (share * 100).rounded(.down))
        let room = min(30, width - label.count - percent.count - facts.count - 2)
        if room < 5 { return String((label + percent.trimmingPrefix(while: \.isWhitespace) + facts).prefix(width)) }
        let filled = Int(Double(room) * share)
        let bar = String(repeating: "#", count: filled) + String(repeating: "-", count: room - filled)
        return label + "[" + bar + "]" + percent + facts
    }

    /// One plain line for a log.
    func line(at seconds: Double) -> String {
        let percent = "\(Int(share * 100)) %"
        let head = stage.isEmpty ? percent : "\(stage): \(percent)"
        return ([head, "\(tasksDone) of \(HumanFormat.count(tasks, "task"))"] + facts(at: seconds))
            .joined(separator: ", ")
    }

    /// The last line, when the job has ended.
    func summary(at seconds: Double) -> String {
        let rate = seconds > 0 && tasksResumed == 0 ? HumanFormat.pixelRate(Double(pixelsDone) / seconds) : ""
        let done = "\(tasksDone) of \(HumanFormat.count(tasks, "task")) in \(HumanFormat.duration(seconds: seconds))"
        let resumed = tasksResumed > 0 ? "\(tasksResumed) of them by an earlier run" : ""
        return ([done, resumed, rate].filter { !$0.isEmpty } + troubles).joined(separator: ", ")
    }

    private func facts(at seconds: Double) -> [String] {
        var facts: [String] = []
        if let rate = rate(at: seconds) { facts.append(HumanFormat.pixelRate(rate)) }
        if let left = secondsLeft(at: seconds), share < 1 {
            facts.append(HumanFormat.duration(seconds: left) + " left")
        }
        if nodes > 0 { facts.append(HumanFormat.count(nodes, "node")) }
        return facts + troubles
    }

    private var troubles: [String] {
        var troubles: [String] = []
        if retries > 0 { troubles.append(retries == 1 ? "1 retry" : "\(retries) retries") }
        if hedges > 0 { troubles.append("\(hedges) hedged") }
        if tasksFailed > 0 { troubles.append("\(tasksFailed) failed") }
        return troubles
    }
}

/// One event as a line of JSON, for programs; `v` is the version of the form.
struct ProgressRecord: Encodable, Equatable {
    var v = 1
    var event: String
    /// Seconds since the job began.
    var time: Double
    var stage: String?
    var reason: String?
    /// Last lines of a node's log, each after the node's name.
    var log: [String]?
    var tasks: Int
    var tasksDone: Int
    var tasksFailed: Int
    var tasksResumed: Int
    var pixels: Int
    var pixelsDone: Int
    var retries: Int
    var hedges: Int
    var nodes: Int
    /// Place of a task in its step, from 0.
    var task: Int?
    /// The system on which it takes longer than expected, and the one that tries it as well.
    var slow: String?
    var system: String?

    /// The record of `event`, with the totals after it.
    init(_ event: ProgressEvent, at seconds: Double, state: ProgressState) {
        switch event {
        case .stage(let name): (self.event, stage) = ("stage", name)
        case .planned: self.event = "planned"
        case .finished: self.event = "finished"
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
        case .nodes: self.event = "nodes"
        }
        time = (seconds * 1000).rounded() / 1000
        (tasks, tasksDone, tasksFailed) = (state.tasks, state.tasksDone, state.tasksFailed)
        tasksResumed = state.tasksResumed
        (pixels, pixelsDone) = (state.pixels, state.pixelsDone)
        (retries, hedges, nodes) = (state.retries, state.hedges, state.nodes)
    }
}
