import Foundation
import SkyFITS
import SkyReport

/// What a page shows of an image of a file. Its rows are read once, so that it takes the memory of a megapixel.
struct ShownImage {
    let image: FITSImage
    let preview: Preview
    let sample: ImageSample
    /// The mask of the image; nil without one.
    private(set) var marks: MaskMarks?

    var size: Int { image.width * image.height }
    var median: Double? { sample.value(at: 0.5) }

    /// Reads an image.
    /// - Parameters:
    ///   - location: the image.
    ///   - side: longest side of its picture.
    ///   - values: number of values from which its level is found.
    /// - Throws: ``ImageError``.
    init(_ location: ImageLocation, side: Int, values: Int = 1 << 20) throws {
        try self.init(FITSImage(location), side: side, values: values)
    }

    private init(_ image: FITSImage, side: Int, values: Int) throws {
        var builder = PreviewBuilder(width: image.width, height: image.height, limit: side)
        var sample = ImageSample(width: image.width, height: image.height, limit: values)
        try image.readStrips { _, rows in
            builder.add(rows: rows)
            sample.add(rows)
        }
        sample.finish()
        (self.image, preview, self.sample) = (image, builder.finish(), sample)
    }

    /// Reads the mask that accompanies the image.
    /// - Throws: ``ImageError``.
    mutating func readMask() throws {
        guard let mask = companion("MASK"), mask.width == image.width, mask.height == image.height else { return }
        var marks = MaskMarks(width: mask.width, height: mask.height, factor: preview.factor)
        try mask.readStrips { marks.add(rows: $1) }
        self.marks = marks
    }

    /// The image that accompanies this one in a role, as its scatter.
    /// - Throws: ``ImageError``.
    func shown(_ role: String, side: Int) throws -> ShownImage? {
        try companion(role).map { try ShownImage($0, side: side, values: 1 << 20) }
    }

    private func companion(_ role: String) -> FITSImage? {
        for number in image.hduNumber + 1...image.hduNumber + 2 {
            let location = ImageLocation(path: image.location.path, selector: .number(number))
            guard let other = try? FITSImage(location), let own = other.header.text(HDU.companionKeyword) else { break }
            if own == role { return other }
        }
        return nil
    }

    /// The pictures of so many files fit a page.
    ///
    /// - Parameters:
    ///   - files: number of files.
    ///   - images: number of images of each.
    ///   - sides: the least and the greatest longest side.
    /// - Returns: the longest side of each picture.
    static func side(files: Int, images: Int = 1, within sides: ClosedRange<Int>) -> Int {
        // A pixel of noise takes a byte, or 1.4 as text.
        let side = min(
            sides.upperBound, max(sides.lowerBound, Int((Double(pageShare) / 1.4 / Double(files)).squareRoot())))
        return max(48, Int(Double(side) / Double(images).squareRoot()))
    }

    /// Bytes of a page that the pictures of masters may take, and those of frames.
    static let pageShare = 9 << 20

    // MARK: - Words

    /// A number with five digits; a dash for none.
    static func words(_ number: Double?) -> String { number.map { String(format: "%.5g", $0) } ?? "–" }

    /// A share in percent.
    static func words(share: Double) -> String {
        if share == 0 { return "0 %" }
        return share < 0.0001 ? "< 0.01 %" : String(format: "%.2f %%", share * 100)
    }

    /// A number of pixels, and their share of all.
    static func words(_ count: Int, of all: Int) -> String {
        count == 0 ? "0" : "\(count) (\(words(share: Double(count) / Double(max(1, all)))))"
    }
}
