internal import SkyFITS

extension IslandExtraction {
    /// Sources of the islands at `indices`, with photometry.
    /// - Throws: `CancellationError`.
    borrowing func batch(ofIslands indices: [Int]) throws -> SourceBatch {
        try window.checkCancellation()
        var batch = SourceBatch()
        batch.sources = table(of: indices.map { islands[$0].objects })
        for index in indices {
            let island = islands[index]
            batch.keyRow += Array(repeating: island.key.row, count: island.objects.count)
            batch.keyColumn += Array(repeating: island.key.column, count: island.objects.count)
        }
        addCleanInputs(ofIslands: indices, to: &batch)
        if parameters.needsPixels {
            batch.pixels = runs(of: indices.map { islands[$0].objects })
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
        withArrays { arrays in
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

    /// The sums of the samples of these rows of the image. The window must hold them in full width, with
    /// ``CoarseImage/reach`` rows of the image above and below.
    borrowing func coarseImage(rows: Range<Int>) -> CoarseImage {
        var coarse = CoarseImage(image: window.image, rows: rows)
        let (rect, pixels, mask) = (window.rect, window.pixels, window.mask)
        coarse.add(rows: rows, width: rect.width, noise: window.globalNoise) { row in
            guard rect.y.contains(row) else { return nil }
            let start = (row - rect.y.lowerBound) * rect.width
            return CoarseRow(samples: pixels + start, mask: mask.map { UnsafePointer($0 + start) })
        }
        return coarse
    }

    /// Calls `body` with each pixel of an island, in image coordinates, until it returns false.
    borrowing func forEachPixel(of island: Island, _ body: (_ x: Int, _ y: Int) -> Bool) {
        withArrays { arrays in
            let offsets = pixelOffsets
            for position in offsets[island.objects.lowerBound]..<offsets[island.objects.upperBound] {
                let (row, column) = Int(arrays.pixels[position])
                    .quotientAndRemainder(dividingBy: window.rect.width)
                if !body(column + window.rect.x.lowerBound, row + window.rect.y.lowerBound) { return }
            }
        }
    }

    /// The pixels of the objects of `ranges`.
    private borrowing func runs(of ranges: [Range<Int>]) -> PixelRuns {
        var runs = PixelRuns()
        withArrays { arrays in
            for object in ranges.joined() {
                let pixels = (pixelOffsets[object]..<pixelOffsets[object + 1]).map { arrays.pixels[$0] }
                runs.append(ascending: pixels.sorted(), in: window.rect)
            }
        }
        return runs
    }

    /// One pixel of each 8-connected part of an island within `rows`, in raster order.
    ///
    /// Near the edge of a window SEP's detections differ from those in the whole image: islands separate in the image
    /// may touch there. A part in rows away from the edge never joins two islands, so one pixel represents its island.
    package borrowing func parts(of island: Island, in rows: Range<Int>) -> [(x: Int, y: Int)] {
        let (columns, rows) = (island.box.x, island.box.y.clamped(to: rows))
        if rows.isEmpty { return [] }
        var isOpen = [Bool](repeating: false, count: columns.count * rows.count)
        forEachPixel(of: island) { x, y in
            if rows.contains(y) { isOpen[(y - rows.lowerBound) * columns.count + x - columns.lowerBound] = true }
            return true
        }
        var parts: [(x: Int, y: Int)] = []
        var waiting: [Int] = []
        for first in isOpen.indices where isOpen[first] {
            parts.append((first % columns.count + columns.lowerBound, first / columns.count + rows.lowerBound))
            isOpen[first] = false
            waiting.append(first)
            while let place = waiting.popLast() {
                let (row, column) = place.quotientAndRemainder(dividingBy: columns.count)
                for nextRow in max(0, row - 1)...min(rows.count - 1, row + 1) {
                    for nextColumn in max(0, column - 1)...min(columns.count - 1, column + 1) {
                        let next = nextRow * columns.count + nextColumn
                        guard isOpen[next] else { continue }
                        isOpen[next] = false
                        waiting.append(next)
                    }
                }
            }
        }
        return parts
    }
}

extension PreparedPixels {
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
