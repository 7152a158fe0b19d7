/// How much of a known truth a catalogue recovers, and how much of the catalogue is not in the truth.
///
/// Pairs are made one to one, the nearest first, within a radius.
public struct Completeness: Codable, Equatable, Sendable {
    /// Sources of the truth at or above the signal-to-noise asked for.
    public var expected: Int
    /// Those among them that the catalogue holds.
    public var recovered: Int
    /// Rows of the catalogue.
    public var detected: Int
    /// Rows that belong to no source of the truth, however faint.
    public var spurious: Int

    /// Recovered by expected; 1 if none is expected.
    public var share: Double { expected == 0 ? 1 : Double(recovered) / Double(expected) }

    /// Spurious by detected; 0 for an empty catalogue.
    public var spuriousShare: Double { detected == 0 ? 0 : Double(spurious) / Double(detected) }

    /// A place in an image, with how well it can be seen.
    public struct Position: Equatable, Sendable {
        /// Column, 0-based.
        public var x: Double
        /// Row, 0-based.
        public var y: Double
        /// Signal-to-noise; of no importance in a catalogue.
        public var signalToNoise: Double

        /// A place.
        public init(x: Double, y: Double, signalToNoise: Double = 0) {
            self.x = x
            self.y = y
            self.signalToNoise = signalToNoise
        }
    }

    /// Compares `catalogue` with `truth`, of which sources from a signal-to-noise of `minimum` on are expected; pairs are
    /// at most `radius` pixels apart.
    public init(truth: [Position], catalogue: [Position], radius: Double, minimum: Double) {
        let partner = Self.pair(truth, catalogue, radius: radius)
        expected = truth.count { $0.signalToNoise >= minimum }
        recovered = zip(truth, partner).count { $0.signalToNoise >= minimum && $1 != nil }
        detected = catalogue.count
        spurious = catalogue.count - partner.count { $0 != nil }
    }

    /// For each place of `left` the index of its partner in `right`.
    private static func pair(_ left: [Position], _ right: [Position], radius: Double) -> [Int?] {
        struct Cell: Hashable {
            var column: Int
            var row: Int
        }
        // In cells as wide as the radius all candidates lie in a cell or its eight neighbours.
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
