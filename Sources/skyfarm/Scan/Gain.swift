import CommandLineKit
import SkyImage

/// Where the gain of an image comes from.
enum Gain: Equatable, Sendable {
    /// Unknown: errors do not include photon noise.
    case none
    case electrons(Double)
    /// A keyword of the image's header.
    case keyword(String)
    /// A keyword of the image's header, or a number if the header lacks it; 0: none. SExtractor's GAIN_KEY and GAIN.
    case preferred(keyword: String, otherwise: Double)

    static let form = ValueForm<Gain>(
        placeholder: "N|KEYWORD", expected: "a positive number, a header keyword of at most 8 characters, or none",
        parse: { text in
            if text == "none" { return Gain.none }
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
            case .electrons(let value): plainText(value)
            case .keyword(let keyword): keyword
            case .preferred(let keyword, let value): "\(keyword), else \(plainText(value))"
            }
        })

    /// Electrons per unit of the samples of an image with this header; 0 if unknown.
    /// - Throws: ``CommandError`` if the header lacks the keyword, unless it is `GAIN`, the default.
    func value(in header: FITSHeader, of image: String) throws(CommandError) -> Double {
        switch self {
        case .none: return 0
        case .electrons(let value): return value
        case .preferred(let keyword, let otherwise):
            let value = header.number(keyword)
            return value.flatMap { ScanParameters.Limits.gain.contains($0) ? $0 : nil } ?? otherwise
        case .keyword(let keyword):
            let value = header.number(keyword)
            if let value, value >= 0, ScanParameters.Limits.gain.contains(value) { return value }
            if keyword == "GAIN" { return 0 }
            throw CommandError(
                .input,
                "\(image): the header has no usable gain under \(keyword); give --gain a number, a keyword or none")
        }
    }
}
