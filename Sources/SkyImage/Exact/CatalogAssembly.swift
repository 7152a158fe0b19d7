/// Assembles the catalogue: sorts and cleans the sources, and plans windows for apertures that were cut.
package struct CatalogAssembly: Sendable {
    /// The sources that survive cleaning, in SEP's order. Their photometry is complete once ``open`` is empty.
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
    /// Deterministic. Sources share a window if it has at most `pixelLimit` pixels, and at most ``strayLimit`` more
    /// than the sources' boxes together.
    package func windows(pixelLimit: Int = 4_000_000) -> [ApertureWindow] {
        let boxes = (0..<open.count).map { (box: open.box($0), index: Int(open.index[$0])) }
            .sorted {
                ($0.box.y.lowerBound, $0.box.x.lowerBound, $0.index)
                    < ($1.box.y.lowerBound, $1.box.x.lowerBound, $1.index)
            }
        var windows: [ApertureWindow] = []
        // The last windows that overlap the rows of the remaining boxes, with the number of their boxes' pixels.
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

    /// Most pixels of a shared window beyond those of its boxes: sending and preparing them takes about as long as one
    /// more task.
    package static let strayLimit = 1 << 15

    /// Most windows that are considered for a source.
    private static let reachingLimit = 64

    /// Adds the measurements of one of this assembly's windows. The result must be valid for the window.
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

    /// Most rounds. Two are enough: the first finds the Kron radius, the second has all pixels that it requires.
    package static let roundLimit = 4

    /// Ends the measurement of the sources that are still open: their values are kept and flagged as cut.
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
