/// How high the bands of an image are, and whether those at its ends are low.
///
/// Low bands: the first and the last quarter of the bands' number, halved. A pass in either direction ends with them, so
/// that no slot is idle for long at its end (guided self-scheduling, Polychronopoulos and Kuck 1987).
struct BandHeights: Equatable {
    /// Rows of a band: a multiple of the mesh height.
    let rows: Int
    /// Rows of a low band.
    let lowRows: Int
    let isTapered: Bool

    /// Bands of `rows` rows, rounded up to a multiple of `mesh`.
    init(rows: Int, mesh: Int, isTapered: Bool) {
        self.rows = (rows + mesh - 1) / mesh * mesh
        lowRows = ((self.rows + 1) / 2 + mesh - 1) / mesh * mesh
        self.isTapered = isTapered
    }

    /// The heights with which `slots` equal slots are expected to finish first.
    ///
    /// An image of up to ``BandPlan/wholePixelCount`` pixels is one band. In larger images a band has, before the rounding, at
    /// most about 12 million pixels (48 MB): one slot gets as few bands as that allows, and the fewest seams. More slots
    /// get more and lower bands, until the rows at which bands overlap, and are extracted twice, outweigh that. With a
    /// halo above the default, bands may have up to eight times its rows.
    init(width: Int, height: Int, mesh: Int, halo: Int, slots: Int) {
        if width <= BandPlan.wholePixelCount / height {
            self.init(rows: height, mesh: mesh, isTapered: false)
            return
        }
        let fewestRows = halo > BandPlan.defaultHalo ? 8 * halo : 64
        let most = max(fewestRows, 12_000_000 / width - 2 * halo)
        let fewest = (height - 1) / most + 1
        let limit = max(fewest, min((height - 1) / fewestRows + 1, 4 * max(1, slots)))
        var best: (heights: BandHeights, duration: Double)?
        var count = fewest
        while count <= limit {
            for isTapered in [false, true] {
                let heights = BandHeights(rows: (height - 1) / count + 1, mesh: mesh, isTapered: isTapered)
                let isTall = heights.rows >= Self.tall * halo && heights.lowRows < heights.rows
                if isTapered, !isTall || slots < 2 || heights.tallCount(ofHeight: height) < slots { continue }
                let duration = heights.duration(width: width, height: height, halo: halo, slots: max(1, slots))
                if duration < best?.duration ?? .infinity { best = (heights, duration) }
            }
            // All numbers up to 64, and a few hundred of any.
            count += max(1, count / 32)
        }
        self = best?.heights ?? BandHeights(rows: most, mesh: mesh, isTapered: false)
    }

    // Rows from which a band may be halved, in halos: each half then reads at most a quarter more rows than it owns, and
    // extracts about an eighth more.
    private static let tall = 16

    // The cost of a band beside its own rows. A row of its neighbours costs 0.7 of the time of a row if the band
    // extracts it, and 0.4 if the band only reads it. Dispatching the tasks of a band takes as long as so many pixels.
    private static let haloCost = 0.7 + 0.4
    private static let taskPixels = 60_000.0

    /// Number of low bands at each end of an image.
    func lowCount(ofHeight height: Int) -> Int { isTapered ? (height + rows - 1) / rows / 4 : 0 }

    private func tallCount(ofHeight height: Int) -> Int {
        (height - 2 * lowCount(ofHeight: height) * lowRows + rows - 1) / rows
    }

    /// The expected duration of a pass, in the time that a slot needs for a row: all slots are busy until the last bands,
    /// during which a slot is idle for half a band in the mean.
    private func duration(width: Int, height: Int, halo: Int, slots: Int) -> Double {
        let extra = Self.haloCost * Double(halo) + Self.taskPixels / Double(width)
        let (low, tall) = (2 * lowCount(ofHeight: height), tallCount(ofHeight: height))
        func time(_ rows: Int) -> Double { Double(min(rows, height)) + extra }
        let rounds = Double((tall + slots - 1) / slots) * time(rows)
        let work = Double(height) + extra * Double(low + tall)
        let idle = (1 - 1 / Double(slots)) / 2
        return max(rounds, work / Double(slots)) + idle * time(isTapered ? lowRows : rows)
    }
}
