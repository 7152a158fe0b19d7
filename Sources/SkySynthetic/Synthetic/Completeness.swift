/// Completeness and contamination of a catalogue, in comparison with the known truth.
///
/// Sources are matched one to one within a radius, nearest pairs first.
public struct Completeness: Codable, Equatable, Sendable {
    /// Number of true sources at or above the required signal-to-noise ratio.
    public var expected: Int
    /// Number of expected sources that the catalogue contains.
    public var recovered: Int
    /// Number of rows of the catalogue.
    public var detected: Int
    /// Number of rows that match no true source, however faint it is.
    public var spurious: Int

    /// Ratio of recovered to expected sources; 1 if none is expected.
    public var share: Double { expected == 0 ? 1 : Double(recovered) / Double(expected) }

    /// Ratio of spurious to detected sources; 0 for an empty catalogue.
    public var spuriousShare: Double { detected == 0 ? 0 : Double(spurious) / Double(detected) }

    /// A position in an image, with the signal-to-noise ratio of its source.
    public struct Position: Equatable, Sendable {
        /// Column, 0-based.
        public var x: Double
        /// Row, 0-based.
        public var y: Double
        /// Signal-to-noise ratio; not used for a catalogue.
        public var signalToNoise: Double

        /// Creates a position, by default with a signal-to-noise ratio of 0.
        public init(x: Double, y: Double, signalToNoise: Double = 0) {
            self.x = x
            self.y = y
            self.signalToNoise = signalToNoise
        }
    }

    /// Compares `catalogue` with `truth`. True sources with a signal-to-noise ratio of at least `minimum` are expected;
    /// matched pairs are at most `radius` pixels apart.
    public init(truth: [Position], catalogue: [Position], radius: Double, minimum: Double) {
        let partner = Self.pair(truth, catalogue, radius: radius)
        expected = truth.count { $0.signalToNoise >= minimum }
        recovered = zip(truth, partner).count { $0.signalToNoise >= minimum && $1 != nil }
        detected = catalogue.count
        spurious = catalogue.count - partner.count { $0 != nil }
    }

    /// Returns, for each position of `left`, the index of its match in `right`, or nil.
    private static func pair(_ left: [Position], _ right: [Position], radius: Double) -> [Int?] {
        struct Cell: Hashable {
            var column: Int
            var row: Int
        }
        // If cells are as wide as the radius, all candidates are in the same cell or one of its eight neighbours.
        func cell(_ position: Position) -> Cell {
            Cell(column: Int((position.x / radius).rounded(.down)), row: Int((position.y / radius).rounded(.down)))
        }
        let grid = Dictionary(grouping: right.indices) { cell(right[$0]) }
        var candidates: [(distance: Double, left: Int, right: Int)] = []
        for (index, position) in left.enumerated() {
            let middle = cell(position)
            for row in middle.row - 1...middle.row + 1 {
                for column in middle.column - 1...middle.column + 1 {
                    for other in grid[Cell(column: column, row: row)] ?? [] {
                        let (dx, dy) = (right[other].x - position.x, right[other].y - position.y)
                        let square = dx * dx + dy * dy
                        if square <= radius * radius { candidates.append((square, index, other)) }
                    }
                }
            }
        }
        candidates.sort { ($0.distance, $0.left, $0.right) < ($1.distance, $1.left, $1.right) }
        var partner = [Int?](repeating: nil, count: left.count)
        var isTaken = [Bool](repeating: false, count: right.count)
        for candidate in candidates where partner[candidate.left] == nil && !isTaken[candidate.right] {
            partner[candidate.left] = candidate.right
            isTaken[candidate.right] = true
        }
        return partner
    }
}
