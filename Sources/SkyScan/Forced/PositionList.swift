internal import Foundation
public import SkyFITS
internal import TaskJournal

/// A list of positions for forced photometry.
public struct PositionList: Hashable, Sendable {
    /// Meaning of the two coordinates.
    public enum Frame: String, CaseIterable, Sendable {
        /// Right ascension and declination in degrees, in the reference frame of each image's header.
        case celestial
        /// Pixel coordinates from 0 at the centre of the first pixel.
        case pixels
        /// Pixel coordinates from 1, as in FITS.
        case imagePixels

        /// Pairs of column names in lower case; the first pair that a table has is used.
        fileprivate var names: [(String, String)] {
            switch self {
            case .celestial: [("ra", "dec"), ("alpha_j2000", "delta_j2000")]
            case .pixels: [("x", "y")]
            case .imagePixels: [("x_image", "y_image")]
            }
        }
    }

    /// Frame of all positions.
    public let frame: Frame
    /// Right ascensions in degrees, or column coordinates in pixels.
    public let first: [Double]
    /// Declinations in degrees, or row coordinates in pixels.
    public let second: [Double]

    /// Number of positions in the list.
    public var count: Int { first.count }

    /// Returns the columns of a table that contain positions. Celestial coordinates take precedence over pixels.
    private static func columns(of names: [String]) -> (frame: Frame, first: Int, second: Int)? {
        let names = names.map { $0.lowercased() }
        for frame in Frame.allCases {
            for (first, second) in frame.names {
                if let first = names.firstIndex(of: first), let second = names.firstIndex(of: second) {
                    return (frame, first, second)
                }
            }
        }
        return nil
    }

    private static let expected = "the columns ra and dec (degrees), x and y (pixels from 0), or x_image and y_image"

    /// Reads positions from comma-separated values, or from the first table of a FITS file that has positions.
    /// - Parameter path: path of the file.
    /// - Throws: `ScanSetupError` that names the file and the line of a value that is not a number, or `ImageError`
    ///   if a FITS file cannot be read.
    public init(path: String) throws {
        let data: Data
        do {
            data = try ReadableFiles.current.contents(of: path)
        } catch {
            throw ScanSetupError(error.message)
        }
        if data.starts(with: Array("SIMPLE".utf8)) || path.hasSuffix(".gz") {
            let table = try FITSNumberTable(path: path) { Self.columns(of: $0).map { [$0.first, $0.second] } }
            guard let table, let columns = Self.columns(of: table.names) else {
                throw ScanSetupError("\(path): no table of the file has \(Self.expected)")
            }
            self.init(columns.frame, table.columns[0], table.columns[1])
            if let row = first.indices.first(where: { !(first[$0].isFinite && second[$0].isFinite) }) {
                throw ScanSetupError("\(path): row \(row + 1): the position is not a number")
            }
        } else {
            try self.init(csv: String(decoding: data, as: UTF8.self), name: path)
        }
        if count == 0 { throw ScanSetupError("\(path): the list has no positions") }
    }

    /// Parses comma-separated values. The first line that is not a `#` comment contains the names of the columns.
    /// - Throws: ``ScanSetupError`` that names the line of the error.
    package init(csv text: String, name: String) throws(ScanSetupError) {
        var columns: (frame: Frame, first: Int, second: Int)?
        var (first, second): ([Double], [Double]) = ([], [])
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            if line.hasPrefix("#") || line.allSatisfy(\.isWhitespace) { continue }
            let fields = line.split(separator: ",", omittingEmptySubsequences: false).map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            guard let columns else {
                guard let found = Self.columns(of: fields) else {
                    throw ScanSetupError("\(name):\(index + 1): the first line must name \(Self.expected)")
                }
                columns = found
                continue
            }
            func number(_ column: Int) throws(ScanSetupError) -> Double {
                let field = column < fields.count ? fields[column] : ""
                guard let value = Double(field), value.isFinite else {
                    throw ScanSetupError("\(name):\(index + 1): \"\(field)\" in column \(column + 1) is not a number")
                }
                return value
            }
            first.append(try number(columns.first))
            second.append(try number(columns.second))
        }
        guard let columns else { throw ScanSetupError("\(name): the list must name \(Self.expected)") }
        self.init(columns.frame, first, second)
    }

    private init(_ frame: Frame, _ first: [Double], _ second: [Double]) {
        (self.frame, self.first, self.second) = (frame, first, second)
    }

    /// Returns a checksum of the positions and their frame, based on XXH3-64.
    public func checksum() throws -> UInt64 { try Checksum.of([[Double(count)], first, second]) ^ UInt64(frame.place) }

    /// Converts the positions to pixels of an image with this header.
    /// - Throws: `ScanSetupError` if the positions are celestial but the image has no celestial coordinates.
    public func placed(in image: ImageSummary) throws(ScanSetupError) -> PlacedPositions {
        switch frame {
        case .pixels: return PlacedPositions(x: first, y: second)
        case .imagePixels: return PlacedPositions(x: first.map { $0 - 1 }, y: second.map { $0 - 1 })
        case .celestial:
            do {
                let wcs = try CelestialWCS(header: image.header)
                let (x, y) = wcs.pixels(rightAscension: first, declination: second)
                return PlacedPositions(x: x, y: y)
            } catch {
                throw ScanSetupError("\(image.name): the positions are right ascensions and declinations, but \(error)")
            }
        }
    }
}

extension PositionList.Frame {
    fileprivate var place: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// Positions in an image, in pixels from 0 at the centre of the first pixel. Positions outside of the image's
/// projection are NaN.
public struct PlacedPositions: Equatable, Sendable {
    /// Column coordinates in pixels.
    public let x: [Double]
    /// Row coordinates in pixels.
    public let y: [Double]

    package init(x: [Double], y: [Double]) { (self.x, self.y) = (x, y) }
}
