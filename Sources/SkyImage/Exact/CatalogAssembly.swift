/// Puts the catalogue together: order, cleaning, and apertures that one window could not show.
package struct CatalogAssembly: Sendable {
    /// The sources that remain, in SEP's order. Complete once ``open`` is empty.
    package private(set) var sources: SourceTable
    /// Sources whose apertures must be measured in larger windows.
    package private(set) var open: OpenApertures
    /// Sources that cleaning removed.
    package let removed: Int

    /// Assembles the sources of all bands and windows, given in any order.
    package init(_ batch: SourceBatch, parameters: ScanParameters) {
        let order = batch.keyOrder()
        let survivors = parameters.clean.map { SourceCleaner(batch, order: order, parameter: $0).survivors() }
        let remaining = batch.selecting(survivors.map(order.selecting) ?? order)
        sources = remaining.sources
        open = remaining.open
        removed = batch.count - remaining.count
    }

    /// The windows in which open apertures are measured.
    ///
    /// Deterministic. A window holds several sources if it then has no more than `pixelLimit` pixels, and no more than
    /// ``strayLimit`` beyond those that the sources' boxes have together.
    package func windows(pixelLimit: Int = 4_000_000) -> [ApertureWindow] {
        let boxes = (0..<open.count).map { (box: open.box($0), index: Int(open.index[$0])) }
            .sorted {
                ($0.box.y.lowerBound, $0.box.x.lowerBound, $0.index)
                    < ($1.box.y.lowerBound, $1.box.x.lowerBound, $1.index)
            }
        var windows: [ApertureWindow] = []
        // The last windows that reach the rows of the boxes that are still to come, with the pixels of their boxes.
        var reaching: [(place: Int, needed: Int)] = []
        for (box, index) in boxes {
            reaching.removeAll { windows[$0.place].rect.y.upperBound <= box.y.lowerBound }
            var best: (position: Int?, stray: Int) = (nil, Self.strayLimit + 1)
            for (position, (place, needed)) in reaching.enumerated() {
                let area = windows[place].rect.union(box).area
                let stray = area - needed - box.area
                if area <= pixelLimit, stray < best.stray { best = (position, stray) }
            }
            if let position = best.position {
                windows[reaching[position].place].add(index, box, sources)
                reaching[position].needed += box.area
            } else {
                if reaching.count == Self.reachingLimit { reaching.removeFirst() }
                reaching.append((windows.count, box.area))
                windows.append(ApertureWindow(index, box, sources))
            }
        }
        return windows
    }

    /// Pixels that take about as long to send and to prepare as one more task.
    package static let strayLimit = 1 << 15

    /// Windows that a source is tried for.
    private static let reachingLimit = 64

    /// Takes in what was measured in a window of this assembly. The result must be valid for the window.
    package mutating func add(_ result: ApertureResult, of window: ApertureWindow) {
        let done = Set(window.index)
        let kept = (0..<open.count).filter { !done.contains(open.index[$0]) }
        var remaining = OpenApertures()
        for position in kept { remaining.append(index: Int(open.index[position]), box: open.box(position)) }
        for position in 0..<result.open.count {
            let index = Int(window.index[Int(result.open.index[position])])
            remaining.append(index: index, box: result.open.box(position))
        }
        open = remaining
        for (position, index) in window.index.enumerated() {
            sources.photometry.copy(from: result.photometry, position, to: Int(index))
        }
    }

    /// Most rounds that sources need: in the first the Kron radius is found, in the second all its pixels are there.
    package static let roundLimit = 4

    /// Gives up on the sources that are still open: their numbers stay, flagged as cut.
    package mutating func close() {
        for index in open.index.map(Int.init) { sources.photometry.flagAsCut(index) }
        open = OpenApertures()
    }
}

extension ApertureWindow {
    fileprivate init(_ index: Int, _ box: PixelRect, _ table: SourceTable) {
        self.init(rect: box)
        add(index, box, table)
    }

    fileprivate mutating func add(_ index: Int, _ box: PixelRect, _ table: SourceTable) {
        rect = rect.union(box)
        self.index.append(Int32(index))
        x.append(table.x[index])
        y.append(table.y[index])
        a.append(table.a[index])
        b.append(table.b[index])
        theta.append(table.theta[index])
    }
}

extension Photometry {
    /// SEP's flag of an aperture that is cut.
    private static var cut: Int16 { 0x10 }

    fileprivate mutating func flagAsCut(_ index: Int) {
        kronFlag[index] |= Self.cut
        flagAuto[index] |= Self.cut
        flagAper[index] |= Self.cut
    }
}
