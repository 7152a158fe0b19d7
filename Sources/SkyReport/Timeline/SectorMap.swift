internal import SkyImage

/// What became of each sector of a step: who scanned it, how long that took and what was found.
public struct SectorMap: Codable, Equatable, Sendable {
    /// One sector.
    public struct Sector: Codable, Equatable, Sendable {
        /// What became of a sector.
        public enum State: String, Codable, Sendable {
            /// It waits, or an attempt at it came to nothing.
            case waiting
            /// It is scanned now.
            case running
            /// It is done.
            case done
            /// An earlier run of the scan did it.
            case resumed
            /// It was given up.
            case failed
        }

        /// First column, first row, columns and rows.
        public var rect: [Int]
        /// What became of it.
        public var state: State
        /// Index of the system that scanned it.
        public var system: Int?
        /// Seconds of the scan.
        public var seconds: Double?
        /// Sources whose barycentre lies in it.
        public var sources: Int
    }

    /// In the order of rows.
    public var sectors: [Sector]

    /// The sectors of a step whose sectors do not overlap, with the sources at these rows; columns are not looked at.
    public init(_ timeline: ScanTimeline, step: String, sourceRows: [Double] = []) {
        var sectors: [PixelRect: Sector] = [:]
        for rect in timeline.resumed[step] ?? [] { sectors[rect] = Sector(rect, .resumed) }
        for attempt in timeline.attempts where attempt.step == step {
            guard let rect = attempt.sector else { continue }
            var sector = sectors[rect] ?? Sector(rect, .waiting)
            switch attempt.outcome {
            case .done: (sector.state, sector.system, sector.seconds) = (.done, attempt.system, attempt.seconds)
            case .running: if sector.state == .waiting { (sector.state, sector.system) = (.running, attempt.system) }
            case .failed: sector.state = .failed
            case .retried, .lost, .returned, .superseded: break
            }
            sectors[rect] = sector
        }
        self.sectors = sectors.sorted { $0.key.y.lowerBound < $1.key.y.lowerBound }.map(\.value)
        count(sourceRows)
    }

    private mutating func count(_ rows: [Double]) {
        let starts = sectors.map { Double($0.rect[1]) - 0.5 }
        for row in rows where row.isFinite && !starts.isEmpty {
            // The last sector that begins at or before the row.
            var (low, high) = (0, starts.count)
            while high - low > 1 {
                let middle = (low + high) / 2
                if starts[middle] <= row { low = middle } else { high = middle }
            }
            sectors[low].sources += 1
        }
    }
}

extension SectorMap.Sector {
    fileprivate init(_ rect: PixelRect, _ state: State) {
        self.init(
            rect: rect.sides, state: state, sources: 0)
    }
}
