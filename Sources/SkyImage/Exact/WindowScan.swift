/// Islands that a window cuts, one element per reported pixel; struct of arrays.
package struct CutIslands: Codable, Equatable, Sendable {
    /// Boxes in image coordinates that the next window should hold: first column, end column, first row, end row.
    package var xmin: [Int32] = [], xend: [Int32] = [], ymin: [Int32] = [], yend: [Int32] = []
    /// A pixel of the island by which it is found again.
    package var pixelX: [Int32] = [], pixelY: [Int32] = []

    /// None.
    package init() {}

    /// Number of reports.
    package var count: Int { pixelX.count }

    /// Box of report number `index`.
    package func box(_ index: Int) -> PixelRect {
        PixelRect(x: Int(xmin[index])..<Int(xend[index]), y: Int(ymin[index])..<Int(yend[index]))
    }

    /// Adds a report.
    package mutating func append(box: PixelRect, pixelX x: Int, y: Int) {
        xmin.append(Int32(box.x.lowerBound))
        xend.append(Int32(box.x.upperBound))
        ymin.append(Int32(box.y.lowerBound))
        yend.append(Int32(box.y.upperBound))
        pixelX.append(Int32(x))
        pixelY.append(Int32(y))
    }

    /// Refuses reports whose columns do not fit together or lie outside the image.
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

/// What a scan of one window finds.
package struct WindowResult: Codable, Equatable, Sendable {
    /// Sources of the islands that count, in key order.
    package var batch = SourceBatch()
    /// Islands that must be scanned again in a larger window.
    package var cut = CutIslands()

    /// Nothing.
    package init() {}

    /// Refuses a result that cannot come from a scan of this image.
    /// - Throws: ``ScanSetupError``.
    package func validate(in image: PixelRect) throws(ScanSetupError) {
        try batch.validate(in: image)
        try cut.validate(in: image)
    }
}

/// The common part of both scans of pass 2: extract, choose islands, compute what cleaning needs, measure.
struct WindowScan: ~Copyable {
    private let window: ScanWindow
    private let catalog: ExtractedCatalog
    private let parameters: ScanParameters
    /// All islands of the window, in key order.
    let islands: [Island]

    /// Extracts the sources of the first `rows` rows of `view`, or of all.
    /// - Throws: ``ScanSetupError``, ``SEPError``.
    init(
        _ view: PixelView, extracting rows: Int? = nil, background: BackgroundSlice, parameters: ScanParameters
    ) throws {
        try parameters.validate()
        try background.validate(for: parameters)
        try SEPVersion.requireFixedDraw()
        let window = try ScanWindow.subtracting(background, from: view)
        window.hideMaskedPixels(from: (parameters.activeKernel?.height ?? 1) / 2)
        let catalog = try ExtractedCatalog(window, rows: rows ?? window.rect.height, parameters: parameters)
        islands = try catalog.islands(in: window.rect)
        self.window = window
        self.catalog = catalog
        self.parameters = parameters
    }

    /// Sources of the islands at `indices`, measured.
    borrowing func batch(ofIslands indices: [Int]) -> SourceBatch {
        var batch = SourceBatch()
        batch.sources = catalog.table(of: indices.map { islands[$0].objects }, in: window.rect)
        for index in indices {
            let island = islands[index]
            batch.keyRow += Array(repeating: island.key.row, count: island.objects.count)
            batch.keyColumn += Array(repeating: island.key.column, count: island.objects.count)
        }
        addCleanInputs(ofIslands: indices, to: &batch)
        window.measureAll(&batch.sources, open: &batch.open, parameters: parameters)
        return batch
    }

    private borrowing func addCleanInputs(ofIslands indices: [Int], to batch: inout SourceBatch) {
        let offsets = catalog.pixelOffsets
        var reader = CleanInputsReader(window, parameters: parameters)
        catalog.withArrays { arrays in
            for index in indices {
                for object in islands[index].objects {
                    let inputs = reader.inputs(arrays, object, pixels: offsets[object]..<offsets[object + 1])
                    batch.abcor.append(inputs.abcor)
                    batch.mthresh.append(inputs.mthresh)
                }
            }
        }
    }

    /// Calls `body` with each pixel of an island, in image coordinates, until it returns false.
    borrowing func forEachPixel(of island: Island, _ body: (_ x: Int, _ y: Int) -> Bool) {
        catalog.withArrays { arrays in
            for object in island.objects {
                guard let list = arrays.pix[object] else { continue }
                for position in 0..<Int(arrays.npix[object]) {
                    let (row, column) = Int(list[position]).quotientAndRemainder(dividingBy: window.rect.width)
                    if !body(column + window.rect.x.lowerBound, row + window.rect.y.lowerBound) { return }
                }
            }
        }
    }
}

extension ScanWindow {
    /// Measures all sources of a table; those that need more than this window are noted in `open`.
    borrowing func measureAll(_ table: inout SourceTable, open: inout OpenApertures, parameters: ScanParameters) {
        var photometry = Photometry()
        for index in 0..<table.count {
            let target = ApertureTarget(
                x: table.x[index], y: table.y[index], a: table.a[index], b: table.b[index], theta: table.theta[index])
            let measurement = measure(target, parameters: parameters)
            photometry.append(measurement)
            if !rect.contains(measurement.needed) { open.append(index: index, box: measurement.needed) }
        }
        table.photometry = photometry
    }
}
