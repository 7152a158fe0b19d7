internal import Foundation

/// Raw frames of which one master is made.
package struct FrameGroup: Equatable, Sendable {
    package let kind: FrameKind
    /// In the order in which they are combined: by the bytes of their names, then of their paths.
    package let frames: [NightFrame]
    /// The name of the master's file.
    package internal(set) var name = ""

    /// The value that all frames share, or the first of them.
    private var first: NightFrame { frames[0] }

    /// The group as one frame: the values that all have, and the means of temperatures and times.
    package var summary: NightFrame {
        var frame = first
        let (temperatures, times) = (frames.compactMap(\.temperature), frames.compactMap(\.time))
        frame.temperature = temperatures.isEmpty ? nil : temperatures.reduce(0, +) / Double(temperatures.count)
        frame.time = times.isEmpty ? nil : times.reduce(0, +) / Double(times.count)
        return frame
    }

    /// Hours after which a frame is not of the same night as the one before it.
    private static let longestPause = 12.0

    /// Divides frames into those of one master each, in a fixed order.
    ///
    /// Without bias frames, a flat needs a dark of its own exposure: then flats are divided by exposures as well.
    package static func groups(of frames: [NightFrame], _ options: NightOptions, hasBias: Bool) -> [FrameGroup] {
        var groups: [FrameGroup] = []
        for kind in [FrameKind.bias, .dark, .flat] {
            let own = frames.filter { $0.kind == kind }
            let alike = Dictionary(grouping: own) { frame in
                Signature(frame, options.keys, byTime: kind == .dark || !hasBias && !frame.hasOverscan)
            }
            for signature in alike.keys.sorted(by: { $0.words < $1.words }) {
                var parts = [alike[signature] ?? []]
                if kind == .dark, options.keys.contains(.temperature) {
                    parts = parts.flatMap { split($0, by: \.temperature) { $1 - $0 > options.temperatureLimit } }
                }
                parts = parts.flatMap { part in
                    var last: Double?
                    return split(part, by: \.time) { _, time in
                        defer { last = time }
                        return last.map { (time - $0) * 24 > longestPause } ?? false
                    }
                }
                groups += parts.map { FrameGroup(kind: kind, frames: inOrder($0)) }
            }
        }
        name(&groups, options)
        return groups
    }

    /// Divides frames in the order of a value where `isNew` says so of the first value of a part and the next one.
    /// Frames without the value are a part of their own.
    private static func split(
        _ frames: [NightFrame], by value: (NightFrame) -> Double?, _ isNew: (Double, Double) -> Bool
    ) -> [[NightFrame]] {
        let without = frames.filter { value($0) == nil }
        let sorted = frames.compactMap { frame in value(frame).map { (value: $0, frame: frame) } }
            .sorted { ($0.value, $0.frame.location.path) < ($1.value, $1.frame.location.path) }
        var (parts, first): ([[NightFrame]], Double) = ([], 0)
        for (number, frame) in sorted {
            if parts.isEmpty {
                _ = isNew(number, number)
            } else if !isNew(first, number) {
                parts[parts.count - 1].append(frame)
                continue
            }
            parts.append([frame])
            first = number
        }
        return parts + (without.isEmpty ? [] : [without])
    }

    private static func inOrder(_ frames: [NightFrame]) -> [NightFrame] {
        frames.sorted { first, second in
            let names = (Array(first.name.utf8), Array(second.name.utf8))
            if names.0 != names.1 { return names.0.lexicographicallyPrecedes(names.1) }
            return first.location.path.utf8.lexicographicallyPrecedes(second.location.path.utf8)
        }
    }

    // MARK: - Names

    private static func name(_ groups: inout [FrameGroup], _ options: NightOptions) {
        var known: Set<String> = []
        for index in groups.indices {
            let stem = stem(groups[index], options)
            var (name, number) = (stem + ".fits", 2)
            // Some file systems do not tell `flat_r.fits` from `flat_R.fits`.
            while !known.insert(name.lowercased()).inserted {
                name = "\(stem)-\(number).fits"
                number += 1
            }
            groups[index].name = name
        }
    }

    /// Such as `dark_180s_1x1_gain100_-10C_ASI1600_4656x3520_20260110`.
    private static func stem(_ group: FrameGroup, _ options: NightOptions) -> String {
        let frame = group.summary
        var words = [group.kind.rawValue]
        if group.kind == .dark, let time = frame.exposure { words.append("\(NightCards.normal("\(time)"))s") }
        for key in options.keys where key.applies(to: group.kind) {
            if key == .temperature {
                guard let temperature = frame.temperature else { continue }
                words.append(NightCards.normal("\(temperature.rounded())") + "C")
            } else if let value = frame.values[key] {
                words.append(key == .gain ? "gain\(value)" : short(value))
            }
        }
        words.append("\(frame.size.width)x\(frame.size.height)")
        let dates = group.frames.compactMap(\.time)
        if let first = dates.min() { words.append(day(first)) }
        return words.map { word in
            String(word.map { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) ? $0 : "-" })
        }.joined(separator: "_")
    }

    /// A value for a name, which file systems limit; a longer one ends in its checksum.
    private static func short(_ value: String) -> String {
        value.utf8.count <= 40 ? value : value.prefix(30) + "-" + MasterKey.checksum(Array(value.utf8)).prefix(8)
    }

    /// The day of a modified Julian date, as in 20260110.
    private static func day(_ time: Double) -> String {
        let date = Date(timeIntervalSince1970: (time - 40_587) * 86_400)
        return date.formatted(.iso8601).prefix(10).split(separator: "-").joined()
    }
}

/// The properties that frames of one master share.
private struct Signature: Hashable {
    let words: String

    init(_ frame: NightFrame, _ keys: [GroupKey], byTime: Bool) {
        var words = [
            frame.kind.rawValue, frame.size.words, frame.sections, "\(frame.hasOverscan)", frame.window ?? "",
        ]
        for key in keys where key.applies(to: frame.kind) && key != .temperature && key != .exposure {
            words.append(frame.values[key].map { "\(key) \($0)" } ?? "\(key) unknown")
        }
        if byTime {
            // Times of 59.98 and 60 s are those of one setting.
            words.append(frame.exposure.map { "\(($0 * 20).rounded() / 20)" } ?? "unknown")
        }
        self.words = words.joined(separator: "\n")
    }
}
