package import SkyFITS

/// The kind of a frame.
package enum FrameKind: String, CaseIterable, Comparable, Encodable, Sendable {
    case bias, dark, flat, light

    package static func < (left: FrameKind, right: FrameKind) -> Bool { left.order < right.order }

    private var order: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// The kind of a frame as its header tells it.
package enum FrameType: Equatable, Sendable {
    case known(FrameKind, isMaster: Bool)
    /// A frame that is neither of the sky nor for its calibration, as one of the focus or of an arc.
    case other(String)
    /// A card with an unknown value.
    case unknown(String)
    /// No card tells it.
    case missing

    /// The cards that tell the kind, in the order in which they are asked.
    package static let keywords = [
        "IMAGETYP", "IMAGETYPE", "IMGTYPE", "ESO DPR TYPE", "OBSTYPE", "OBS-TYPE", "FRAME", "FRAMETYP", "IMTYPE",
        "DATA-TYP",
    ]

    private static let darks: Set = ["dark", "darks", "darkflat", "flatdark", "darkframe"]
    private static let biases: Set = ["bias", "biases", "zero", "zeros", "offset", "biasframe"]
    private static let lights: Set = [
        "light", "lights", "lightframe", "object", "objects", "obj", "science", "sci", "expose", "exposure", "target",
        "std", "standard", "sky", "tricolor", "astrometry",
    ]
    private static let others: Set = [
        "focus", "arc", "comp", "comparison", "lamp", "wave", "test", "acquisition", "acq", "align", "alignment",
        "guide", "snapshot", "video", "fringe", "illum", "illumination", "other", "slit", "calib", "pointing", "ronchi",
    ]

    /// Reads the cards of a frame.
    init(_ cards: NightCards) {
        var type = FrameType.missing
        for keyword in Self.keywords {
            guard let words = cards.words(keyword) else { continue }
            let found = FrameType(value: words)
            let card = "\(keyword) = '\(words)'"
            switch found {
            case .known:
                self = found
                return
            case .other: if !type.isOther { type = .other(card) }
            default: if type == .missing { type = .unknown(card) }
            }
        }
        self = type
    }

    /// Refuses an image that is none of the sky.
    /// - Throws: ``ScanSetupError`` with the next command.
    package static func requireSky(_ image: FITSImage) throws(ScanSetupError) {
        let type = FrameType(NightCards(image.header, primary: image.primary))
        guard case .known(let kind, let isMaster) = type, kind != .light else { return }
        throw ScanSetupError(
            "\(image.location): is a \(isMaster ? "master \(kind.rawValue)" : kind.rawValue) frame, as its header tells; "
                + "name the light frames, or have the night sorted by skyfarm calibrate FOLDER/ -o REDUCED/ -- -o CATALOGUES/"
        )
    }

    private var isOther: Bool { if case .other = self { true } else { false } }

    /// The kind that a value of such a card names.
    package init(value: String) {
        var words = value.lowercased().split { !$0.isLetter }.map(String.init)
        var isMaster = false
        words = words.compactMap { word in
            guard word.hasPrefix("master") else { return word }
            isMaster = true
            let rest = String(word.dropFirst(6))
            return rest.isEmpty ? nil : rest
        }
        let set = Set(words)
        if !set.isDisjoint(with: Self.darks) {
            self = .known(.dark, isMaster: isMaster)
        } else if !set.isDisjoint(with: Self.biases) {
            self = .known(.bias, isMaster: isMaster)
        } else if words.contains(where: { $0.hasPrefix("flat") || $0.hasSuffix("flat") || $0.hasSuffix("flats") }) {
            self = .known(.flat, isMaster: isMaster)
        } else if !set.isDisjoint(with: Self.others) {
            self = .other(value)
        } else if !set.isDisjoint(with: Self.lights) {
            self = .known(.light, isMaster: isMaster)
        } else {
            self = .unknown(value)
        }
    }
}
