internal import Foundation
internal import SkyFITS

/// The cards of a master: those that all frames have in common, and those that tell how it was made.
enum MasterHeader {
    /// Returns the cards that are the same in all headers, in the order of the first, without those that describe how
    /// samples are stored.
    static func common(_ headers: [FITSHeader]) -> [String] {
        guard let first = headers.first else { return [] }
        var groups = groups(of: first).filter { !FITSFileWriter.isStructural($0) && !$0.hasPrefix("HISTORY") }
        for header in headers.dropFirst() {
            let own = Set(Self.groups(of: header))
            groups.removeAll { !own.contains($0) }
        }
        return groups.flatMap { $0.split(separator: "\n").map(String.init) }
    }

    /// The cards, each with those that continue it, separated by line feeds.
    private static func groups(of header: FITSHeader) -> [String] {
        var groups: [String] = []
        for index in 0..<header.count {
            let card = header[index]
            if card.hasPrefix("CONTINUE"), let last = groups.last {
                groups[groups.count - 1] = last + "\n" + card
            } else if !card.isEmpty, card != "END" {
                groups.append(card)
            }
        }
        return groups
    }

    /// The cards of steps that were done with all frames, but not by the same masters or sections.
    private static func steps(_ stack: OpenStack) -> [HeaderEntry] {
        let first = DoneSteps(stack.frames[0].cards)
        let common = ImageCards(header: FITSHeader(cards: common(stack.frames.map(\.cards.header))))
        let known = DoneSteps(common)
        let entries = DoneSteps.Step.allCases.compactMap { step -> HeaderEntry? in
            guard first[step] != nil, known[step] == nil else { return nil }
            return HeaderEntry(
                DoneSteps.keywords(step)[0], .text("several"), comment: "\(step.rawValue) of each frame")
        }
        // IRAF writes the time into its card, in which frames differ.
        guard let section = stack.geometry.section, common.value("CALTRIM") == nil else { return entries }
        return entries + [HeaderEntry("CALTRIM", .text("\(section)"), comment: "section of the raw image")]
    }

    /// The cards that tell how one image of a master was made.
    static func provenance(_ request: StackRequest, _ stack: OpenStack) -> [HeaderEntry] {
        var entries = [
            HeaderEntry("NCOMBINE", .integer(stack.frames.count), comment: "number of frames combined"),
            HeaderEntry("COMBMETH", .text(request.method.name), comment: "how values of a pixel were combined"),
        ]
        if case .clip(let sigma, let iterations) = request.method {
            entries.append(HeaderEntry("COMBSIGM", .real(sigma), comment: "limit of rejection in deviations"))
            entries.append(
                HeaderEntry("COMBITER", .integer(iterations ?? 0), comment: "most rounds of rejection, 0: no limit"))
        }
        entries.append(HeaderEntry("COMBSCAL", .text(request.scale.name), comment: "by what frames were divided"))
        // Frames that are divided by their exposure times have that of a second.
        if case .keyword(let keyword) = request.scale, ExposureTime.keywords.contains(keyword) {
            entries.append(HeaderEntry("EXPTIME", .real(1), comment: "divided by \(keyword)"))
        }
        entries += steps(stack)
        for (key, sumKey, frame, words) in [
            ("COMBBIAS", "COMBBSUM", stack.bias, "bias"), ("COMBDARK", "COMBDSUM", stack.dark, "dark"),
        ] {
            guard let frame else { continue }
            entries.append(HeaderEntry(key, .text(name(frame)), comment: "\(words) subtracted"))
            entries.append(HeaderEntry(sumKey, .text(frame.checksum), comment: "XXH3 of its stored image"))
        }
        if stack.dark != nil {
            entries.append(HeaderEntry("COMBDSCL", .text(request.darkScale.rawValue), comment: "scale of the dark"))
        }
        for (index, frame) in stack.frames.enumerated() {
            entries.append(HeaderEntry(key("IMCM", "B", index), .text(name(frame))))
            entries.append(HeaderEntry(key("IMSU", "M", index), .text(frame.checksum)))
            if request.scale != .none {
                entries.append(HeaderEntry(key("IMSC", "L", index), .real(stack.levels[index])))
            }
        }
        return entries + request.cards
    }

    /// Whether a card has the name of a frame.
    static func isName(_ keyword: String) -> Bool { keyword.hasPrefix("IMCM") }

    /// A keyword with the number of a frame, from 1: three digits after five letters, or else after four.
    private static func key(_ start: String, _ letter: String, _ index: Int) -> String {
        let number = "\(index + 1)"
        if index >= 999 { return start + number }
        return start + letter + String(repeating: "0", count: 3 - number.count) + number
    }

    private static func name(_ frame: FramePixels) -> String {
        let path = frame.location.path
        return path.split(separator: "/").last.map(String.init) ?? path
    }
}
