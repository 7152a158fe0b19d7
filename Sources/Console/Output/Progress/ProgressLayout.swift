import ScanBasics

/// Formats the lines of the progress display for a terminal of a given size.
package struct ProgressLayout: Sendable {
    package var columns: Int
    package var rows: Int

    package init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
    }

    private static let longestBar = 30
    private static let shortestBar = 10
    private static let longestName = 30
    private static let mostSystems = 12

    /// Returns the bar with rates and counts, and a line per system if there are several.
    package func lines(_ state: ProgressState, at seconds: Double) -> [StyledText] {
        let head = head(state, at: seconds)
        let all = head + systems(state, at: seconds, room: min(Self.mostSystems, rows - head.count))
        return all.prefix(max(1, rows)).map { $0.prefix(columns) }
    }

    /// Returns the bar, with rates and counts beside or below it.
    private func head(_ state: ProgressState, at seconds: Double) -> [StyledText] {
        let facts = state.facts(at: seconds)
        let label = state.stage.isEmpty ? "" : state.stage + " "
        let share = "\(state.percent)"
        let percent =
            state.isWriting ? "writing" : String(repeating: " ", count: max(0, 3 - share.count)) + "\(share) %"
        let besides = facts.reduce(0) { $0 + $1.count + 2 }
        let room = columns - label.count - percent.count - 3
        let isOneLine = room - besides >= Self.shortestBar
        var bar = StyledText(label)
        let length = min(Self.longestBar, isOneLine ? room - besides : room)
        if length >= Self.shortestBar {
            let filled = Int(Double(length) * state.share)
            let rest = String(repeating: "-", count: length - filled)
            bar.append("[\(String(repeating: "#", count: filled))\(rest)] \(percent)")
        } else {
            bar.append("\(String(percent.drop { $0 == " " }))")
        }
        guard !isOneLine else { return [facts.reduce(into: bar) { $0.append("  \($1)") }] }
        return [bar] + flow(facts)
    }

    /// Arranges texts in lines, several per line if they fit.
    private func flow(_ facts: [StyledText]) -> [StyledText] {
        facts.reduce(into: []) { lines, fact in
            if let last = lines.last, last.count + 2 + fact.count <= columns {
                lines[lines.count - 1].append("  \(fact)")
            } else {
                lines.append("  \(fact)")
            }
        }
    }

    /// Returns name, slots and rate of each system, and its tasks if they are known and if there is room; the last line
    /// sums up the systems that do not fit.
    func systems(_ state: ProgressState, at seconds: Double, room: Int) -> [StyledText] {
        guard state.systems.count > 1, room > 0 else { return [] }
        let isFull = state.systems.count > room
        let shown = state.systems.prefix(isFull ? room - 1 : room)
        let rest = state.systems.dropFirst(shown.count)
        let rows = shown.map { system in
            let rate = state.rate(of: system, at: seconds).map(HumanFormat.pixelRate) ?? "-"
            return (system.name, HumanFormat.count(system.slots, "slot"), rate, tasks(of: system, at: seconds))
        }
        let slotsWidth = rows.map(\.1.count).max() ?? 0
        let rateWidth = rows.map(\.2.count).max() ?? 0
        let nameRoom = max(1, columns - slotsWidth - rateWidth - 6)
        let nameWidth = min(nameRoom, Self.longestName, rows.map(\.0.count).max() ?? 0)
        let used = 2 + nameWidth + 2 + slotsWidth + 2 + rateWidth
        // Lines that fill a narrow window would break when it becomes narrower.
        let tasksFit = columns >= 100 && used + 2 + (rows.map(\.3.count).max() ?? 0) <= columns
        var lines = rows.map { name, slots, rate, tasks in
            let name = String(name.prefix(nameWidth))
            let padding = String(repeating: " ", count: nameWidth - name.count + slotsWidth - slots.count + 2)
            let gap = String(repeating: " ", count: rateWidth - rate.count + 2)
            let end = tasksFit && !tasks.isEmpty ? "  \(tasks)" : ""
            return "  \(name: name)\(padding)\(slots)\(gap)\(rate)\(end)" as StyledText
        }
        if !rest.isEmpty {
            let rate = rest.compactMap { state.rate(of: $0, at: seconds) }.reduce(0, +)
            lines.append("  and \(rest.count) more, \(HumanFormat.pixelRate(rate))")
        }
        return lines
    }

    /// Returns the tasks that run on a system, wait there and are done, and those done per second.
    private func tasks(of system: ProgressState.System, at seconds: Double) -> String {
        guard let load = system.load else { return "" }
        let rate = system.taskRate(at: seconds).map { ", \($0.fixed(1))/s" } ?? ""
        return "\(load.running) running, \(load.scheduled) scheduled, \(system.tasksDone) done\(rate)"
    }
}
