extension ScanTimeline {
    /// Records that a system is connected. If it already is, only its number of slots is updated.
    public mutating func join(_ name: String, slots: Int, at time: Double) {
        let index = index(of: name)
        systems[index].slots = slots
        guard !systems[index].isPresent else { return }
        systems[index].isPresent = true
        add(.joined, index, "\(name) joined with \(slots) \(slots == 1 ? "slot" : "slots")", at: time)
    }

    /// Records that a system is disconnected. Attempts that failed on it since its last success count as lost.
    public mutating func leave(_ name: String, at time: Double) {
        let index = index(of: name)
        guard systems[index].isPresent else { return }
        systems[index].isPresent = false
        for place in attempts.indices.reversed() where attempts[place].system == index {
            if attempts[place].outcome == .done { break }
            if attempts[place].outcome == .retried { attempts[place].outcome = .lost }
        }
        add(.left, index, "\(name) is gone", at: time)
    }

    /// Adds a line to the log.
    public mutating func note(_ text: String, at time: Double) { add(.note, nil, text, at: time) }

    package mutating func add(_ kind: Moment.Kind, _ system: Int?, _ text: String, at time: Double) {
        momentCount += 1
        moments.append(Moment(time: milliseconds(time), kind: kind, system: system, text: text))
        if moments.count > Self.momentLimit { moments.removeFirst(moments.count - Self.momentLimit) }
    }

    /// Returns the index of a system in ``systems``, after adding it if it is unknown.
    package mutating func index(of name: String) -> Int {
        if let index = systems.firstIndex(where: { $0.name == name }) { return index }
        systems.append(System(name: name, slots: 1, isPresent: false))
        return systems.count - 1
    }
}
