package import SkyFITS

/// Assembles the catalogue: sorts and cleans the sources, and plans windows for apertures that were cut.
package struct CatalogAssembly: Sendable {
    /// The sources that survive cleaning, in SEP's order. Their photometry is complete once ``open`` is empty.
    package private(set) var sources: SourceTable
    /// Sources whose apertures must be measured in larger windows.
    package private(set) var open: OpenApertures
    /// The pixels of ``sources``, if the parameters need them.
    package let pixels: PixelRuns
    /// The pixels of sources that cleaning removed, with the survivors that they are due to.
    package let absorbed: PixelRuns
    /// Whether each run of ``absorbed`` belongs to no aperture, as in SExtractor: the row at which an island ended whose
    /// source a source before it removed.
    package let hidden: [Bool]
    /// All pixels above the threshold, if the parameters request them.
    package let detected: PixelRuns
    /// Number of the island of each of ``sources``, from 1 in key order.
    package var parents: [Int32] = []
    /// Sources that cleaning removed.
    package var removed = 0

    /// Assembles the sources of all bands and windows, given in any order.
    package init(_ batch: SourceBatch, parameters: ScanParameters) {
        let order = batch.keyOrder()
        let cleaned = parameters.clean.map { parameter in
            let cleaner = SourceCleaner(batch, order: order, parameter: parameter)
            return parameters.measurements == nil ? cleaner.clean() : cleaner.merge()
        }
        let kept = cleaned.map { order.selecting($0.survivors) } ?? order
        if parameters.needsPixels {
            let absorbers = cleaned?.absorbers ?? []
            let lastRows = absorbers.enumerated().map { position, absorber in
                absorber.flatMap { $0 < position ? batch.keyRow[order[position]] : nil }
            }
            (absorbed, hidden) = batch.pixels.absorbed(
                order, survivors: kept, absorbers: absorbers, hiddenRows: lastRows)
        } else {
            (absorbed, hidden) = (PixelRuns(), [])
        }
        detected = batch.detected
        let remaining = batch.selecting(kept)
        parents = parameters.measurements == nil ? [] : batch.islandNumbers(order).selecting(kept)
        sources = remaining.sources
        open = remaining.open
        pixels = remaining.pixels
        removed = batch.count - remaining.count
    }

    /// Sources that were detected in another image, with their pixels, and all pixels that were detected there.
    package init(
        _ sources: SourceTable, pixels: PixelRuns, absorbed: PixelRuns, hidden: [Bool], detected: PixelRuns
    ) {
        (self.sources, self.pixels, self.absorbed) = (sources, pixels, absorbed)
        (self.hidden, self.detected, open) = (hidden, detected, OpenApertures())
    }

    /// The windows in which open apertures are measured.
    ///
    /// Deterministic. Sources share a window if it has at most `pixelLimit` pixels, and at most ``strayLimit`` more
    /// than the sources' boxes together; and if it is not much larger than the largest of these boxes, since its pixels
    /// are then read for that one anyway. The sources of a window above `pixelLimit` are divided among `slots`.
    package func windows(pixelLimit: Int = 4_000_000, slots: Int = 1) -> [ApertureWindow] {
        open.grouped(pixelLimit: pixelLimit).flatMap { rect, indices in
            let parts = rect.area > pixelLimit ? open.divided(indices, of: rect, slots: slots) : [indices]
            return parts.map { ApertureWindow(rect: rect, of: $0, sources) }
        }
    }

    /// Most pixels of a shared window beyond those of its boxes: sending and preparing them takes about as long as one
    /// more task.
    package static let strayLimit = 1 << 15

    /// Adds the measurements of one of this assembly's windows. The result must be valid for the window.
    package mutating func add(_ result: ApertureResult, of window: ApertureWindow) {
        open.replace(window.index, by: result.open)
        for (position, index) in window.index.enumerated() {
            sources.photometry.copy(from: result.photometry, position, to: Int(index))
        }
    }

    /// Replaces the photometry of all sources.
    package mutating func setPhotometry(_ photometry: Photometry) { sources.photometry = photometry }

    /// Most rounds. Two are enough: the first finds the Kron radius, the second has all pixels that it requires.
    package static let roundLimit = 4

    /// Ends the measurement of the sources that are still open: their values are kept and flagged as cut.
    package mutating func close() {
        for index in open.index.map(Int.init) { sources.photometry.flagAsCut(index) }
        open = OpenApertures()
    }
}

extension OpenApertures {
    /// Most windows that are considered for a source.
    private static var reachingLimit: Int { 64 }

    /// Most pixels of a window that is shared because of a large box: far below those that are scanned at once.
    private static var sharedLimit: Int { 64_000_000 }

    /// The boxes in groups with a rectangle that holds them, and the sources of each: see
    /// ``CatalogAssembly/windows(pixelLimit:)``.
    package func grouped(pixelLimit: Int) -> [(rect: PixelRect, indices: [Int])] {
        let boxes = (0..<count).map { (box: box($0), index: Int(index[$0])) }
            .sorted {
                ($0.box.y.lowerBound, $0.box.x.lowerBound, $0.index)
                    < ($1.box.y.lowerBound, $1.box.x.lowerBound, $1.index)
            }
        var windows: [(rect: PixelRect, indices: [Int])] = []
        // The last windows that overlap the rows of the remaining boxes, with the number of their boxes' pixels.
        var reaching: [(place: Int, needed: Int, largest: Int)] = []
        for (box, index) in boxes {
            reaching.removeAll { windows[$0.place].rect.y.upperBound <= box.y.lowerBound }
            var best: (position: Int?, stray: Int) = (nil, CatalogAssembly.strayLimit + 1)
            for (position, (place, needed, largest)) in reaching.enumerated() {
                let area = windows[place].rect.union(box).area
                let stray = area - needed - box.area
                let limit = max(pixelLimit, min(max(largest, box.area) / 4 * 5, Self.sharedLimit))
                if area <= limit, stray < best.stray { best = (position, stray) }
            }
            if let position = best.position {
                let place = reaching[position].place
                windows[place].rect = windows[place].rect.union(box)
                windows[place].indices.append(index)
                reaching[position].needed += box.area
                reaching[position].largest = max(reaching[position].largest, box.area)
            } else {
                if reaching.count == Self.reachingLimit { reaching.removeFirst() }
                reaching.append((windows.count, box.area, box.area))
                windows.append((box, [index]))
            }
        }
        return windows
    }
}

extension OpenApertures {
    /// Sources that share the window `rect`, in at most `slots` parts of about the same number of pixels to measure. A part
    /// has no fewer of them than the window, which is read and prepared once for each.
    fileprivate func divided(_ indices: [Int], of rect: PixelRect, slots: Int) -> [[Int]] {
        var areas: [Int: Int] = [:]
        for position in 0..<count { areas[Int(index[position])] = box(position).area }
        let total = indices.reduce(0) { $0 + (areas[$1] ?? 0) }
        let count = min(slots, total / max(1, rect.area))
        if count < 2 { return [indices] }
        var parts = [(area: Int, places: [Int])](repeating: (0, []), count: count)
        // The largest first, each to the part that has least.
        let order = indices.indices.sorted { (areas[indices[$1]] ?? 0, $0) < (areas[indices[$0]] ?? 0, $1) }
        for place in order {
            let least = parts.indices.min { parts[$0].area < parts[$1].area } ?? 0
            parts[least].area += areas[indices[place]] ?? 0
            parts[least].places.append(place)
        }
        return parts.map { $0.places.sorted().map { indices[$0] } }
    }
}

extension ApertureWindow {
    fileprivate init(rect: PixelRect, of indices: [Int], _ table: SourceTable) {
        self.rect = rect
        index = indices.map(Int32.init)
        x = table.x.selecting(indices)
        y = table.y.selecting(indices)
        a = table.a.selecting(indices)
        b = table.b.selecting(indices)
        theta = table.theta.selecting(indices)
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
