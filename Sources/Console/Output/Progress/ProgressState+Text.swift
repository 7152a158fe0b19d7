extension ProgressState {
    /// Returns the totals as one line for a log.
    package func line(at seconds: Double) -> String {
        let progress = isWriting ? "writing" : "\(percent) %"
        let head = stage.isEmpty ? progress : "\(stage): \(progress)"
        var facts =
            [head, "\(tasksDone) of \(HumanFormat.count(tasks, "task"))"] + self.facts(at: seconds).map(\.plain)
        if !systems.isEmpty {
            let slots = HumanFormat.count(systems.reduce(0) { $0 + $1.slots }, "slot")
            facts.append(systems.count == 1 ? slots : "\(slots) on \(HumanFormat.count(systems.count, "system"))")
        }
        return facts.joined(separator: ", ")
    }

    /// Returns the final totals as one line. Those of several files have no time and no rate, which the last line of the
    /// job has; it is nil if nothing else is to be said.
    package func summary(at seconds: Double) -> String? {
        // A watch does not know the number of files.
        let isOfFiles = files > 0 || filesOpened > 0
        let time = isOfFiles ? "" : " in \(HumanFormat.duration(seconds: seconds))"
        let done = "\(tasksDone) of \(HumanFormat.count(tasks, "task"))\(time)"
        let resumed = tasksResumed > 0 ? ["\(tasksResumed) of them resumed"] : []
        let rate = isOfFiles ? [] : meanRate(at: seconds).map { [HumanFormat.pixelRate($0)] } ?? []
        let troubles = troubles.map(\.plain)
        if isOfFiles, resumed.isEmpty, troubles.isEmpty, tasksDone == tasks { return nil }
        return ([done] + resumed + rate + troubles).joined(separator: ", ")
    }

    /// Returns the rate, the time left and the numbers of retries, hedges and failures, as far as known.
    package func facts(at seconds: Double) -> [StyledText] {
        var facts: [StyledText] = []
        if files > 0 {
            facts.append("\(HumanFormat.count(imagesDone, "image"))")
            facts.append("\(HumanFormat.pixelCount(Double(pixelsDone)))")
        }
        if let rate = rate(at: seconds) { facts.append("\(HumanFormat.pixelRate(rate))") }
        if let left = secondsLeft(at: seconds), share < 1, !isWriting {
            facts.append("\(HumanFormat.duration(seconds: left)) left")
        }
        return facts + troubles
    }

    private var troubles: [StyledText] {
        [
            retries > 0 ? StyledText("\(retries) retried", .warning) : nil,
            hedges > 0 ? StyledText("\(hedges) hedged", .warning) : nil,
            tasksFailed > 0 ? StyledText("\(tasksFailed) failed", .error) : nil,
        ].compactMap { $0 }
    }
}
