/// A keyword of the primary world coordinate system that is passed to WCSLIB.
enum WCSKeyword: Hashable {
    /// CTYPEi and CUNITi.
    case axisText(String, axis: Int)
    /// CRPIXj, CRVALi, CDELTi and CROTAi.
    case axisNumber(String, axis: Int)
    /// PCi_j and CDi_j.
    case matrix(String, axis: Int, pixelAxis: Int)
    /// PVi_m.
    case parameter(axis: Int, index: Int)
    /// PROJPn, an old form of the latitude's PVi_m.
    case oldParameter(Int)
    /// LONPOLE, LATPOLE, EQUINOX and EPOCH.
    case number(String)
    /// RADESYS and RADECSYS.
    case text(String)

    /// Maximum number of axes whose cards are kept.
    static let maximumAxisCount = 9

    /// Parses a keyword; nil if WCSLIB does not use it.
    init?(_ name: String) {
        switch name {
        case "LONPOLE", "LATPOLE", "EQUINOX", "EPOCH": self = .number(name)
        case "RADESYS", "RADECSYS": self = .text(name)
        default:
            guard let parts = Parts(name), let keyword = Self.indexed(parts) else { return nil }
            self = keyword
        }
    }

    private static func indexed(_ parts: Parts) -> WCSKeyword? {
        let axes = 1...maximumAxisCount
        switch (parts.name, parts.second) {
        case ("CTYPE", nil), ("CUNIT", nil):
            return axes.contains(parts.first) && !parts.hasZero ? .axisText(parts.name, axis: parts.first) : nil
        case ("CRPIX", nil), ("CRVAL", nil), ("CDELT", nil), ("CROTA", nil):
            return axes.contains(parts.first) && !parts.hasZero ? .axisNumber(parts.name, axis: parts.first) : nil
        case ("PROJP", nil):
            return (0...9).contains(parts.first) && parts.digits == 1 ? .oldParameter(parts.first) : nil
        case ("PC", nil), ("CD", nil):
            // PC00i00j and CD00i00j appear in drafts of the standard.
            guard parts.digits == 6 else { return nil }
            let (axis, pixelAxis) = parts.first.quotientAndRemainder(dividingBy: 1000)
            return matrix(parts.name, axis, pixelAxis)
        case ("PC", let second?), ("CD", let second?): return matrix(parts.name, parts.first, second)
        case ("PV", let second?):
            return axes.contains(parts.first) && (0...99).contains(second)
                ? .parameter(axis: parts.first, index: second) : nil
        default: return nil
        }
    }

    private static func matrix(_ name: String, _ axis: Int, _ pixelAxis: Int) -> WCSKeyword? {
        let axes = 1...maximumAxisCount
        return axes.contains(axis) && axes.contains(pixelAxis) ? .matrix(name, axis: axis, pixelAxis: pixelAxis) : nil
    }

    /// The keyword in FITS format.
    var name: String {
        switch self {
        case .axisText(let name, let axis), .axisNumber(let name, let axis): "\(name)\(axis)"
        case .matrix(let name, let axis, let pixelAxis): "\(name)\(axis)_\(pixelAxis)"
        case .parameter(let axis, let index): "PV\(axis)_\(index)"
        case .oldParameter(let index): "PROJP\(index)"
        case .number(let name), .text(let name): name
        }
    }

    /// Whether the value is a string.
    var isText: Bool {
        switch self {
        case .axisText, .text: true
        default: false
        }
    }

    /// The letters and numbers of a keyword such as `CRPIX1` or `PV2_3`.
    private struct Parts {
        var name: String
        var first: Int
        var second: Int?
        /// Number of characters of the first number.
        var digits: Int
        /// Whether the first number begins with a zero.
        var hasZero: Bool

        init?(_ keyword: String) {
            let letters = keyword.prefix { ("A"..."Z").contains($0) }
            let numbers = keyword.dropFirst(letters.count).split(separator: "_", omittingEmptySubsequences: false)
            guard (1...2).contains(numbers.count), numbers.allSatisfy({ $0.allSatisfy(\.isWholeNumber) }),
                let first = Int(numbers[0])
            else { return nil }
            if numbers.count == 2 {
                guard let number = Int(numbers[1]) else { return nil }
                second = number
            }
            (name, self.first, digits, hasZero) = (String(letters), first, numbers[0].count, numbers[0].hasPrefix("0"))
        }
    }
}
