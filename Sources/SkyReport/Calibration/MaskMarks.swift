/// Where the mask of an image is set, reduced to the pixels of its preview as its rows are read.
package struct MaskMarks {
    /// A bit of the mask, and what a preview shows of it. Of several marks of a pixel, the last one is shown.
    package enum Mark: UInt8, CaseIterable, Sendable { case bad = 1, saturated, cosmicRay }

    /// Number of pixels with each bit: bad, saturated, cosmic ray, without a value.
    package private(set) var counts = [0, 0, 0, 0]
    /// The raw value of the mark of each pixel of the preview; 0 for none.
    package private(set) var marks: [UInt8]
    /// Number of pixels of each square that are bad or have no value.
    private var bad: [Int32]
    private let width: Int
    private let factor: Int
    private let columns: Int
    private var row = 0

    /// Begins the marks of an image, of which a pixel of the preview has `factor` by `factor` pixels.
    package init(width: Int, height: Int, factor: Int) {
        (self.width, self.factor, columns) = (width, factor, (width + factor - 1) / factor)
        let size = columns * ((height + factor - 1) / factor)
        marks = [UInt8](repeating: 0, count: size)
        bad = [Int32](repeating: 0, count: size)
    }

    /// Adds the next rows of the mask.
    package mutating func add(rows: UnsafeBufferPointer<Float>) {
        for start in stride(from: 0, to: rows.count, by: width) {
            for column in 0..<width where rows[start + column] != 0 {
                let value = rows[start + column]
                guard (0...255).contains(value) else { continue }
                add(UInt8(value), at: row / factor * columns + column / factor)
            }
            row += 1
        }
    }

    private mutating func add(_ bits: UInt8, at place: Int) {
        for bit in counts.indices where bits >> UInt8(bit) & 1 == 1 { counts[bit] += 1 }
        var mark: Mark?
        if bits & 9 != 0 {
            bad[place] += 1
            // A column through the square is shown, a single pixel of many is not.
            if bad[place] >= factor { mark = .bad }
        }
        if bits & 2 != 0 { mark = .saturated }
        if bits & 4 != 0 { mark = .cosmicRay }
        if let mark, mark.rawValue > marks[place] { marks[place] = mark.rawValue }
    }
}

extension MaskMarks.Mark {
    /// Red, green and blue: of Okabe and Ito's palette, which suits colour-vision deficiencies.
    package var colour: [UInt8] {
        switch self {
        case .bad: [0x56, 0xb4, 0xe9]
        case .saturated: [0xf0, 0xe4, 0x42]
        case .cosmicRay: [0xff, 0x5a, 0x1f]
        }
    }

    /// The name in legends.
    package var name: String {
        switch self {
        case .bad: "Bad pixel or no value"
        case .saturated: "Saturated"
        case .cosmicRay: "Cosmic ray"
        }
    }
}

extension Preview {
    /// Encodes the preview as a PNG file with the marks of its pixels in colours, with the last row on top.
    package func png(_ marks: [UInt8]) -> [UInt8] {
        precondition(marks.count == pixels.count, "marks are those of the pixels")
        // The brightest shades are white, whose places in the palette the marks have.
        let lightest = UInt8(255 - MaskMarks.Mark.allCases.count)
        let palette = (0...lightest).flatMap { [$0, $0, $0].map { UInt8(Int($0) * 255 / Int(lightest)) } }
        let shades = zip(stretch.shades(pixels), marks).map { shade, mark in
            mark == 0 ? min(shade, lightest) : lightest + mark
        }
        return PNG.encode(
            shades, palette: palette + MaskMarks.Mark.allCases.flatMap(\.colour), width: width, height: height)
    }
}
