extension ScanCoordinator.RunState {
    /// Whether the task of an attempt that ended like this is not tried again.
    func isFinal(_ attempt: ScanSystem.AttemptID, _ outcome: AttemptOutcome) -> Bool {
        ledger.retryPolicy(of: attempt.entry)?.isFinal(outcome) ?? false
    }

    /// What the tasks that wait need, in the words of an error.
    var sought: String {
        let needs = ledger.pending.map(\.request.needs)
        let tags = needs.reduce(into: Set<String>()) { $0.formUnion($1.tags) }
        let (slots, memory) = needs.reduce((1, 0)) { (max($0.0, $1.slots), max($0.1, $1.memory)) }
        var words: [String] = []
        if !tags.isEmpty { words.append("the tags they need (\(tags.sorted().joined(separator: ", ").printable))") }
        if slots > 1 { words.append("\(slots) slots") }
        if memory > 0 { words.append("\(memory) bytes of memory") }
        return words.isEmpty ? "" : " that has " + words.joined(separator: ", ")
    }
}
