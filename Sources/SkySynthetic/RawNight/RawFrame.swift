internal import Foundation
internal import ScanBasics
internal import SkyFITS

/// A raw frame of a synthetic night.
package struct RawFrame: Equatable, Sendable {
    package enum Kind: String, Sendable {
        case bias, dark, flat, light

        /// The value of IMAGETYP.
        var card: String {
            switch self {
            case .bias: "Bias Frame"
            case .dark: "Dark Frame"
            case .flat: "Flat Field"
            case .light: "Light Frame"
            }
        }
    }

    package var kind: Kind
    /// Number of the filter; nil for a frame without light.
    package var filter: Int?
    package var filterName: String?
    /// Seconds.
    package var exposure: Double
    /// Number among the frames of the kind, filter and exposure, from 1.
    package var number: Int
    /// Number among all frames of the night, from 1.
    var index = 0
    /// Begin in seconds since 1970.
    package var time = 0.0

    /// The name of the file without its ending.
    package var name: String {
        let number = "\(number)"
        return stem + "-" + String(repeating: "0", count: max(0, 3 - number.count)) + number
    }

    /// The beginning of the names of frames of one kind.
    package var stem: String {
        switch kind {
        case .bias: "bias"
        case .dark: "dark-\(Self.seconds(exposure))"
        case .flat: "flat-\(filterName ?? "")"
        case .light: "light-\(filterName ?? "")-\(Self.seconds(exposure))"
        }
    }

    private static func seconds(_ time: Double) -> String {
        time == time.rounded() ? "\(Int(time))s" : "\(time)s"
    }

    /// The begin of the exposure as in DATE-OBS.
    package var date: String {
        String(Date(timeIntervalSince1970: time).formatted(.iso8601).dropLast())
    }

    /// Number of a random sequence of the frame.
    func stream(_ purpose: UInt64, row: Int = 0) -> UInt64 { UInt64(index) << 48 | purpose << 40 | UInt64(row) }

    /// The cards that tell how the frame was taken.
    func cards(temperature: Double) -> [HeaderEntry] {
        var cards = [
            HeaderEntry("IMAGETYP", .text(kind.card)),
            HeaderEntry("DATE-OBS", .text(date), comment: "begin of the exposure, UTC"),
            HeaderEntry("EXPTIME", .real(exposure), comment: "seconds"),
            HeaderEntry("XBINNING", .integer(1)), HeaderEntry("YBINNING", .integer(1)),
            HeaderEntry("SET-TEMP", .real(-10), comment: "degrees Celsius"),
            HeaderEntry("CCD-TEMP", .real(temperature), comment: "degrees Celsius"),
            HeaderEntry("INSTRUME", .text("synthetic camera")),
        ]
        if let filterName { cards.append(HeaderEntry("FILTER", .text(filterName))) }
        if kind == .light { cards.append(HeaderEntry("OBJECT", .text("synthetic sky"))) }
        return cards
    }
}
