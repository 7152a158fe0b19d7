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
    /// The coarse image of the band's core; nil unless ``ScanParameters/findsTrails``.
    package var coarse: CoarseImage?

    package init() {}

    /// Refuses a result that no scan of this image can produce.
    /// - Throws: ``ScanSetupError``.
    package func validate(in image: PixelRect) throws(ScanSetupError) {
        try batch.validate(in: image)
        try cut.validate(in: image)
    }
}
