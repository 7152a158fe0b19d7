package import CommandLineKit
import SkyExtraction
package import SkyFITS

/// Where the gain of an image comes from.
package enum Gain: Equatable, Sendable {
    /// Unknown: errors do not include photon noise.
    case none
    case electrons(Double)
    /// EGAIN of the image's header, else GAIN: cameras write the number of their setting as GAIN.
    case automatic
    /// A keyword of the image's header.
    case keyword(String)
    /// A keyword of the image's header, or a number if the header lacks it; 0: none. SExtractor's GAIN_KEY and GAIN.
    case preferred(keyword: String, otherwise: Double)

    package static let form = ValueForm<Gain>(
        placeholder: "N|KEYWORD",
        expected: "a positive number, a header keyword of at most 8 characters, auto or none",
        parse: { text in
            if text == "none" { return Gain.none }
            if text == "auto" { return .automatic }
            if let value = Double(text) {
                return value > 0 && ScanParameters.Limits.gain.contains(value) ? .electrons(value) : nil
            }
            let isKeyword =
                (1...8).contains(text.count)
                && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) }
            return isKeyword ? .keyword(text.uppercased()) : nil
        },
        show: { gain in
            switch gain {
            case .none: "none"
            case .automatic: "auto"
            case .electrons(let value): plainText(value)
            case .keyword(let keyword): keyword
            case .preferred(let keyword, let value): "\(keyword), else \(plainText(value))"
            }
        })

    /// A gain that was found, and what a user should know of it.
    package struct Found: Equatable {
        /// Electrons per unit of the samples; 0 if unknown.
        package var value: Double
        package var warning: String?

        package init(value: Double, warning: String? = nil) {
            self.value = value
            self.warning = warning
        }
    }

    /// The gain of an image with these cards.
    /// - Throws: ``CommandError`` if they lack a keyword that was named, unless it is `GAIN`.
    package func found(in cards: ImageCards, of image: String) throws(CommandError) -> Found {
        switch self {
        case .none: return Found(value: 0)
        case .electrons(let value): return Found(value: value)
        case .automatic: return cards.automaticGain
        case .preferred(let keyword, let otherwise):
            return Found(value: cards.gain(keyword) ?? otherwise, warning: cards.doubt(ofGain: keyword))
        case .keyword(let keyword):
            let value = cards.gain(keyword)
            guard value != nil || keyword == "GAIN" else {
                throw CommandError(
                    .input,
                    "\(image): the header has no usable gain under \(keyword); give --gain a number, a keyword or none")
            }
            return Found(value: value ?? 0, warning: cards.doubt(ofGain: keyword))
        }
    }
}

extension ImageCards {
    /// The gain under a keyword; nil without a card that holds one.
    fileprivate func gain(_ keyword: String) -> Double? {
        value(keyword)?.number.flatMap { $0 >= 0 && ScanParameters.Limits.gain.contains($0) ? $0 : nil }
    }

    /// EGAIN, else GAIN, else 0.
    fileprivate var automaticGain: Gain.Found {
        guard let electrons = gain("EGAIN"), electrons > 0 else {
            return Gain.Found(value: gain("GAIN") ?? 0, warning: doubt(ofGain: "GAIN"))
        }
        let other = value("GAIN").flatMap { gain("GAIN") == electrons ? nil : $0 }
        return Gain.Found(
            value: electrons,
            warning: other.map {
                "GAIN \($0.words) looks like a setting of the camera: the gain is EGAIN, \(plainText(electrons)) "
                    + "electrons per unit; --gain GAIN or a number for another"
            } ?? doubt(ofGain: "EGAIN"))
    }

    /// Gains of integers above this are rare: 50,000 electrons would be 2,500 units.
    private static let usualGain = 20.0

    /// What is doubtful about the gain under a keyword.
    fileprivate func doubt(ofGain keyword: String) -> String? {
        guard let card = value(keyword) else { return nil }
        guard let gain = gain(keyword) else {
            return "\(keyword) is \(card.words), no gain: errors have no photon noise of it; give a number"
        }
        var sign: String?
        if let electrons = self.gain("EGAIN"), electrons > 0, electrons != gain {
            sign = " beside EGAIN \(plainText(electrons))"
        } else if keyword == "GAIN", value("OFFSET")?.number != nil {
            sign = " beside OFFSET"
        } else if holdsIntegers, gain > Self.usualGain {
            sign = ""
        }
        if gain > 0, let sign {
            return "\(keyword) \(card.words)\(sign) looks like a setting of the camera, not like electrons per unit: "
                + "errors may be far too small; give a number"
        }
        return card.isInherited ? "the gain is \(keyword) \(card.words) of the primary header" : nil
    }
}
