internal import Foundation
internal import SkyFITS

/// The cards of a frame by their names, which may be those of HIERARCH cards.
struct NightCards {
    private let headers: [FITSHeader]
    private var long: [String: String] = [:]

    /// Reads the cards of an image, and those of the primary header, which belong to the frame as a whole.
    init(_ header: FITSHeader, primary: FITSHeader) {
        headers = [header, primary]
        for header in [primary, header] {
            for index in 0..<header.count {
                guard let (name, value) = Self.hierarchical(header[index]) else { continue }
                long[name] = value
            }
        }
    }

    private static func hierarchical(_ card: String) -> (String, String)? {
        guard card.hasPrefix("HIERARCH "), let sign = card.firstIndex(of: "=") else { return nil }
        let name = card[..<sign].split(separator: " ").dropFirst().joined(separator: " ")
        switch HeaderCard.value(Array(card[card.index(after: sign)...].utf8)[...]) {
        case .text(let text): return (name, text)
        case .number(_, let word): return (name, word)
        default: return nil
        }
    }

    /// The value of a card as text without spaces around it; nil without one.
    func words(_ keyword: String) -> String? {
        let value =
            keyword.contains(" ")
            ? long[keyword] : headers.lazy.compactMap { $0.text(keyword) ?? $0.words(keyword) }.first
        let words = value?.split(separator: " ").joined(separator: " ") ?? ""
        return words.isEmpty ? nil : words
    }

    /// The first of these cards that has a value.
    func first(_ keywords: [String]) -> String? { keywords.lazy.compactMap(words).first }

    /// The first of these cards that is a number.
    func number(_ keywords: [String]) -> Double? {
        keywords.lazy.compactMap { keyword in words(keyword).flatMap { HeaderCard.number($0) } }.first
    }

    /// A value as it is compared: numbers by their value, text as it is.
    static func normal(_ words: String) -> String {
        guard let number = HeaderCard.number(words) else { return words }
        return number == number.rounded() && number.magnitude < 1e15 ? "\(Int(number))" : "\(number)"
    }
}

/// A property of frames in which they agree with their masters.
package struct GroupKey: Hashable, Sendable, CustomStringConvertible {
    /// `filter`, `exposure`, `binning`, `gain`, `temperature`, `camera`, or a keyword in capitals.
    package let name: String

    package static let filter = GroupKey(known: "filter")
    package static let exposure = GroupKey(known: "exposure")
    package static let binning = GroupKey(known: "binning")
    package static let gain = GroupKey(known: "gain")
    package static let temperature = GroupKey(known: "temperature")
    package static let camera = GroupKey(known: "camera")

    private init(known name: String) { self.name = name }

    /// The property with a name; other words are keywords. Nil if it cannot be one.
    package init?(_ name: String) {
        let known = ["filter", "exposure", "binning", "gain", "temperature", "camera"]
        guard !known.contains(name.lowercased()) else {
            self.name = name.lowercased()
            return
        }
        let isKeyword = name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) }
        guard isKeyword, (1...8).contains(name.count) else { return nil }
        self.name = name.uppercased()
    }

    /// The properties by which frames are sorted unless others are given.
    package static let standard: [GroupKey] = [.filter, .binning, .gain, .temperature, .camera]

    package var description: String { name }

    /// Whether masters of this kind depend on it.
    func applies(to kind: FrameKind) -> Bool {
        switch self {
        case .filter: kind == .flat
        case .exposure, .temperature: kind == .dark
        default: true
        }
    }

    /// Whether a frame that does not tell it matches all: the size tells the binning too, and cameras mostly.
    var isOptional: Bool { self == .binning || self == .camera }

    /// The cards that tell each property, in the order in which they are asked.
    package static let filterKeywords = [
        "FILTER", "FILTNAM", "FILTNAM1", "FILTERID", "WFFBAND", "INSFILTE", "FILTERS", "FILT",
    ]
    /// Cards of the wheels of a camera, of which those that are not empty count.
    package static let wheelKeywords = [
        "FILTER1", "FILTER2", "FILTER3", "ESO INS FILT1 NAME", "ESO INS FILT2 NAME", "ESO INS FILT3 NAME",
    ]
    package static let gainKeywords = ["GAIN", "EGAIN", "ISOSPEED", "ISO", "ESO DET OUT1 CONAD"]
    package static let offsetKeywords = ["OFFSET", "BLKLEVEL"]
    package static let modeKeywords = ["READOUTM", "READMODE", "ESO DET READ MODE", "ESO DET READ CURNAME"]
    package static let temperatureKeywords = [
        "CCD-TEMP", "CCDTEMP", "CCD_TEMP", "DET-TEMP", "DETTEM", "DETTEMP", "SENSTEMP", "TEMPERAT", "SET-TEMP",
    ]

    /// Cards that together name a camera.
    package static let cameraKeywords = ["INSTRUME", "DETECTOR", "CAMERA", "ESO DET NAME"]

    /// The value of the property, as it is compared; nil if no card tells it.
    func value(_ cards: NightCards) -> String? {
        switch self {
        case .filter: return Self.filter(cards)
        case .binning: return Self.binning(cards)
        case .gain:
            // Setting, offset and mode of the read-out belong together.
            let parts = [Self.gainKeywords, Self.offsetKeywords, Self.modeKeywords].map { keywords in
                cards.first(keywords).map(NightCards.normal)
            }
            guard parts.contains(where: { $0 != nil }) else { return nil }
            var words = parts[0] ?? "unknown"
            if let offset = parts[1] { words += " offset \(offset)" }
            return words + (parts[2].map { " mode \($0)" } ?? "")
        case .camera:
            let names = Self.cameraKeywords.compactMap(cards.words)
            return names.isEmpty ? nil : names.joined(separator: "+")
        case .exposure, .temperature: return nil
        default: return cards.words(name).map(NightCards.normal)
        }
    }

    private static let empty: Set = ["", "clear", "open", "free", "none", "empty", "air", "blank", "unused"]

    private static func filter(_ cards: NightCards) -> String? {
        if let words = cards.first(filterKeywords) { return words }
        let wheels = wheelKeywords.compactMap(cards.words)
        if wheels.isEmpty { return nil }
        let used = wheels.filter { !empty.contains($0.lowercased()) }
        return used.isEmpty ? "none" : used.joined(separator: "+")
    }

    private static func binning(_ cards: NightCards) -> String? {
        for pair in [["XBINNING", "YBINNING"], ["CCDXBIN", "CCDYBIN"], ["ESO DET WIN1 BINX", "ESO DET WIN1 BINY"]] {
            guard let x = cards.words(pair[0]).map(NightCards.normal) else { continue }
            return "\(x)x\(cards.words(pair[1]).map(NightCards.normal) ?? x)"
        }
        guard let words = cards.first(["CCDSUM", "BINNING"]) else { return nil }
        let numbers = words.split { " x,X*".contains($0) }.map { NightCards.normal(String($0)) }
        return numbers.count == 1 ? "\(numbers[0])x\(numbers[0])" : numbers.joined(separator: "x")
    }
}
