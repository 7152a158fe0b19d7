internal import CElementary
internal import Foundation
public import SkyFITS

/// A list of positions with which sources are associated, as in SExtractor's ASSOC mode.
public struct Association: Codable, Hashable, Sendable {
    /// How the values of a source are derived if several entries of the list are within the radius: SExtractor's
    /// ASSOC_TYPE.
    public enum Rule: String, Codable, Hashable, Sendable {
        /// The values of the first entry by row of the image, of the nearest one, or of the one with the least or the
        /// greatest weight.
        case first, nearest, minimum, maximum
        /// The mean, weighted by the weights of the entries, or by the corresponding fluxes if the weights are
        /// magnitudes.
        case mean, magnitudeMean
        /// The sum of the values, or the magnitude of the summed fluxes if the values are magnitudes.
        case sum, magnitudeSum
    }

    /// Selects the sources to write: SExtractor's ASSOCSELEC_TYPE.
    public enum Selection: String, Codable, Hashable, Sendable {
        /// All sources.
        case all
        /// Sources that belong to a position of the list.
        case matched
        /// Sources that belong to none.
        case unmatched
    }

    /// Rows of the list. A word that is not a number counts as 0.
    public private(set) var rows: [[Double]] = []
    /// Indices from 0 of the columns of x, y and optionally of the weight: ASSOC_PARAMS.
    public private(set) var keys: [Int]
    /// Indices from 0 of the columns copied to VECTOR_ASSOC: ASSOC_DATA.
    public private(set) var data: [Int]
    /// Whether positions are right ascension and declination in degrees, rather than pixels from 1: ASSOCCOORD_TYPE.
    public var isCelestial = false
    /// Maximum distance in pixels: ASSOC_RADIUS.
    public var radius = 2.0
    /// How several matching entries are combined: ASSOC_TYPE.
    public var rule = Rule.nearest
    /// The sources that are written: ASSOCSELEC_TYPE.
    public var selection = Selection.matched

    /// Parses a list with one row per line. Words are separated by white space or commas, and `#` begins a comment.
    /// Leading lines without a number in the columns of the position are taken as names of columns.
    /// - Parameters:
    ///   - text: contents of the file.
    ///   - name: name of the file, for errors.
    ///   - keys: numbers from 1 of the columns of x, y and optionally of the weight.
    ///   - data: numbers from 1 of the columns of VECTOR_ASSOC; a single 0 stands for all columns.
    /// - Throws: `ScanSetupError` that names the line of a position that is missing or not a number.
    public init(parsing text: String, name: String, keys: [Int], data: [Int]) throws(ScanSetupError) {
        self.keys = keys.prefix(3).map { $0 - 1 }
        self.data = data.map { $0 - 1 }
        var width = 0
        for (number, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let words = line.prefix { $0 != "#" }.split { $0.isWhitespace || $0 == "," }
            let isHeading = rows.isEmpty && !self.keys.contains { $0 < words.count && Double(words[$0]) != nil }
            if words.isEmpty || isHeading && words.count > (self.keys.max() ?? 0) { continue }
            for (key, axis) in zip(self.keys, ["x", "y", "weight"]) {
                guard key < words.count else {
                    throw ScanSetupError(
                        "\(name):\(number + 1): the line has \(words.count) columns; the \(axis) is column \(key + 1)")
                }
                guard let value = Double(words[key]), value.isFinite else {
                    throw ScanSetupError(
                        "\(name):\(number + 1): \"\(words[key])\" in column \(key + 1), the \(axis), is not a number")
                }
            }
            rows.append(words.map { Double($0) ?? 0 })
            width = max(width, words.count)
        }
        if data == [0] { self.data = Array(0..<width) }
        if let column = self.data.first(where: { $0 >= max(1, width) }) {
            throw ScanSetupError("\(name): column \(column + 1) is wanted, and the list has \(width)")
        }
    }

    /// The entries with which a source is associated.
    package struct Match: Equatable {
        /// NUMBER_ASSOC: number of entries within the radius, at most 1 with `Rule.first`.
        package var count = 0
        /// Values of VECTOR_ASSOC.
        package var values: [Double]

        package init(count: Int = 0, values: [Double]) {
            self.count = count
            self.values = values
        }
    }

    /// Returns the match of each source at these positions, which are in pixels from 0.
    package func matches(x: [Double], y: [Double], _ wcs: CelestialWCS?) -> [Match] {
        let places = places(wcs)
        let order = rows.indices.filter { places.x[$0].isFinite && places.y[$0].isFinite }
            .sorted { (places.y[$0], $0) < (places.y[$1], $1) }
        let heights = order.map { places.y[$0] }
        return x.indices.map { source in
            var found: [(row: Int, squared: Double)] = []
            for position in Self.first(in: heights, from: y[source] - radius)..<order.count {
                if heights[position] > y[source] + radius { break }
                let (dx, dy) = (places.x[order[position]] - x[source], heights[position] - y[source])
                if dx * dx + dy * dy <= radius * radius { found.append((order[position], dx * dx + dy * dy)) }
            }
            return combined(found)
        }
    }

    /// Returns the indices of the sources to write, or nil for all sources.
    package func selected(of matches: [Match]) -> [Int]? {
        if selection == .all { return nil }
        return matches.indices.filter { (matches[$0].count > 0) == (selection == .matched) }
    }

    /// Returns the index of the first of the ascending `values` that is not below `limit`.
    private static func first(in values: [Double], from limit: Double) -> Int {
        var (low, high) = (0, values.count)
        while low < high {
            let middle = (low + high) / 2
            if values[middle] < limit { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Returns the positions of the entries, in pixels from 0.
    private func places(_ wcs: CelestialWCS?) -> (x: [Double], y: [Double]) {
        let (first, second) = (rows.map { $0[keys[0]] }, rows.map { $0[keys[1]] })
        if isCelestial, let wcs { return wcs.pixels(rightAscension: first, declination: second) }
        return (first.map { $0 - 1 }, second.map { $0 - 1 })
    }

    private func combined(_ found: [(row: Int, squared: Double)]) -> Match {
        func value(_ row: Int, _ column: Int) -> Double { column < rows[row].count ? rows[row][column] : 0 }
        func weight(_ row: Int) -> Double { keys.count > 2 ? rows[row][keys[2]] : 1 }
        func match(_ row: Int?, count: Int) -> Match { Match(count: count, values: data.map { value(row ?? 0, $0) }) }
        func weighted(_ weight: (Int) -> Double) -> Match {
            let sum = found.reduce(0) { $0 + weight($1.row) }
            return Match(
                count: found.count,
                values: data.map { column in
                    found.reduce(0) { $0 + weight($1.row) * value($1.row, column) } / (sum == 0 ? 1 : sum)
                })
        }
        guard let first = found.first else { return Match(values: data.map { _ in 0 }) }
        switch rule {
        case .first: return match(first.row, count: 1)
        case .nearest: return match(found.min { $0.squared < $1.squared }?.row, count: found.count)
        case .minimum: return match(found.min { weight($0.row) < weight($1.row) }?.row, count: found.count)
        case .maximum: return match(found.max { weight($0.row) < weight($1.row) }?.row, count: found.count)
        case .mean: return weighted(weight)
        case .magnitudeMean: return weighted { Self.flux(weight($0)) }
        case .sum:
            return Match(
                count: found.count,
                values: data.map { column in found.reduce(0) { $0 + value($1.row, column) } })
        case .magnitudeSum:
            return Match(
                count: found.count,
                values: data.map { column in
                    // SExtractor's value for fluxes below the range of single precision.
                    let flux = found.reduce(0) { $0 + Self.flux(value($1.row, column)) }
                    return flux > 1e-38 ? -2.5 * Elementary.log10(flux) : 99
                })
        }
    }

    private static func flux(_ magnitude: Double) -> Double { Elementary.exp10(-0.4 * magnitude) }
}

extension SkyScanResult {
    /// Returns the match of each source, or nil without a list.
    package func matches(_ association: Association?, _ wcs: CelestialWCS?) -> [Association.Match]? {
        association?.matches(x: sources.x, y: sources.y, wcs)
    }

    /// Returns the indices of the sources that a catalogue with SExtractor's columns has, or nil for all.
    /// - Parameters:
    ///   - settings: settings with the list of associated positions.
    ///   - image: header of the image.
    /// - Returns: Ascending indices into `sources`.
    public func selectedSources(_ settings: SExtractorSettings, of image: ImageSummary) -> [Int]? {
        guard let association = settings.association, association.selection != .all else { return nil }
        return matches(association, try? CelestialWCS(header: image.header)).flatMap(association.selected)
    }
}
