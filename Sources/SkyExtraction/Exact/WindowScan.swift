package import SkyFITS

/// Islands that a window cuts, one element per reported pixel; struct of arrays.
package struct CutIslands: Codable, Equatable, Sendable {
    /// Boxes in image coordinates that the next window should contain: first column, end column, first row, end row.
    package var xmin: [Int32] = [], xend: [Int32] = [], ymin: [Int32] = [], yend: [Int32] = []
    /// A pixel of the island that identifies it in the next window.
    package var pixelX: [Int32] = [], pixelY: [Int32] = []

    package init() {}

    package var count: Int { pixelX.count }

    package func box(_ index: Int) -> PixelRect {
        PixelRect(x: Int(xmin[index])..<Int(xend[index]), y: Int(ymin[index])..<Int(yend[index]))
    }

    package mutating func append(box: PixelRect, pixelX x: Int, y: Int) {
        xmin.append(Int32(box.x.lowerBound))
        xend.append(Int32(box.x.upperBound))
        ymin.append(Int32(box.y.lowerBound))
        yend.append(Int32(box.y.upperBound))
        pixelX.append(Int32(x))
        pixelY.append(Int32(y))
    }

    /// Refuses reports whose columns are inconsistent or lie outside the image.
    /// - Throws: ``ScanSetupError``.
    package func validate(in image: PixelRect) throws(ScanSetupError) {
        let lengths = [xmin.count, xend.count, ymin.count, yend.count, pixelY.count]
        guard lengths.allSatisfy({ $0 == count }), zip(xmin, xend).allSatisfy(<), zip(ymin, yend).allSatisfy(<),
            (0..<count).allSatisfy({
                image.contains(box($0)) && image.contains(x: Int(pixelX[$0]), y: Int(pixelY[$0]))
            })
        else { throw ScanSetupError("the reports of cut islands do not fit the image") }
    }
}

/// The result of a scan of one window.
package struct WindowResult: Codable, Equatable, Sendable {
    /// Sources of the accepted islands, in key order.
    package var batch = SourceBatch()
    /// Islands that must be extracted again in a larger window.
    package var cut = CutIslands()

    package init() {}

    /// Refuses a result that no scan of this image can produce.
    /// - Throws: ``ScanSetupError``.
    package func validate(in image: PixelRect) throws(ScanSetupError) {
        try batch.validate(in: image)
        try cut.validate(in: image)
    }
}

/// The part common to both scans of pass 2: extraction, selection of islands, inputs of the cleaning, photometry.
struct WindowScan: ~Copyable {
    private let window: ScanWindow
    private let catalog: ExtractedCatalog
    private let parameters: ScanParameters
    let islands: [Island]

    /// Extracts the sources of the first `rows` rows of `view`; of all rows if nil. Sources are wanted of the islands of
    /// `selection` alone.
    /// - Throws: ``ScanSetupError``, ``MemoryError``; `CancellationError` as ``PixelView/isCancelled`` says.
    init(
        _ view: PixelView, extracting rows: Int? = nil, background: BackgroundSlice, parameters: ScanParameters,
        selection: IslandSelection
    ) throws {
        try parameters.validate()
        try background.validate(for: parameters)
        let window = try ScanWindow.subtracting(background, from: view)
        window.hideMaskedPixels(from: FaultsOfSEP.areKept ? (parameters.activeKernel?.height ?? 1) / 2 : 0)
        // The extraction takes most of the time.
        try window.checkCancellation()
        let catalog = try ExtractedCatalog(
            window, rows: rows ?? window.rect.height, parameters: parameters, selection: selection)
        islands = catalog.islands(in: window.rect)
        self.window = window
        self.catalog = catalog
        self.parameters = parameters
    }

    /// Sources of the islands at `indices`, with photometry.
    /// - Throws: `CancellationError`.
    borrowing func batch(ofIslands indices: [Int]) throws -> SourceBatch {
        try window.checkCancellation()
        var batch = SourceBatch()
        batch.sources = catalog.table(of: indices.map { islands[$0].objects }, in: window.rect)
        for index in indices {
            let island = islands[index]
            batch.keyRow += Array(repeating: island.key.row, count: island.objects.count)
            batch.keyColumn += Array(repeating: island.key.column, count: island.objects.count)
        }
        addCleanInputs(ofIslands: indices, to: &batch)
        if parameters.needsPixels {
            batch.pixels = catalog.runs(of: indices.map { islands[$0].objects }, in: window.rect)
        }
        if parameters.measurements != nil {
            // Measured once all sources are known.
            batch.sources.photometry = Photometry(unmeasured: batch.sources.count, flag: 0)
            return batch
        }
        try window.measureAll(&batch.sources, open: &batch.open, parameters: parameters)
        return batch
    }

    private borrowing func addCleanInputs(ofIslands indices: [Int], to batch: inout SourceBatch) {
        catalog.withArrays { arrays in
            for index in indices {
                let objects = islands[index].objects
                batch.abcor += UnsafeBufferPointer(start: arrays.abcor + objects.lowerBound, count: objects.count)
                batch.mthresh += UnsafeBufferPointer(start: arrays.mthresh + objects.lowerBound, count: objects.count)
            }
        }
    }

    /// The pixels of `rect` above the threshold, as one entry.
    borrowing func detections(in rect: PixelRect) -> PixelRuns {
        var offsets: [Int32] = []
        if parameters.filter != .matched {
            PixelOwners.forEachDetection(in: window, parameters) { row, column in
                let (x, y) = (column + window.rect.x.lowerBound, row + window.rect.y.lowerBound)
                if rect.contains(x: x, y: y) { offsets.append(Int32(row * window.rect.width + column)) }
            }
        }
        var runs = PixelRuns()
        runs.append(ascending: offsets, in: window.rect)
        return runs
    }

    /// Calls `body` with each pixel of an island, in image coordinates, until it returns false.
    borrowing func forEachPixel(of island: Island, _ body: (_ x: Int, _ y: Int) -> Bool) {
        catalog.withArrays { arrays in
            let offsets = catalog.pixelOffsets
            for position in offsets[island.objects.lowerBound]..<offsets[island.objects.upperBound] {
                let (row, column) = Int(arrays.pixels[position])
                    .quotientAndRemainder(dividingBy: window.rect.width)
                if !body(column + window.rect.x.lowerBound, row + window.rect.y.lowerBound) { return }
            }
        }
    }
}

extension ScanWindow {
    /// Measures all sources of a table; those that need pixels outside the window are added to `open`.
    /// - Throws: `CancellationError`.
    borrowing func measureAll(
        _ table: inout SourceTable, open: inout OpenApertures, parameters: ScanParameters
    ) throws {
        var photometry = Photometry()
        for index in 0..<table.count {
            try checkCancellation()
            let target = ApertureTarget(
                x: table.x[index], y: table.y[index], a: table.a[index], b: table.b[index], theta: table.theta[index])
            let measurement = measure(target, parameters: parameters)
            photometry.append(measurement)
            if !rect.contains(measurement.needed) { open.append(index: index, box: measurement.needed) }
        }
        table.photometry = photometry
    }
}
