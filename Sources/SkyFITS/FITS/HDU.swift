/// Number, name and content of an HDU, according to its header.
package struct HDU {
    package enum Content {
        case image(axes: [Int])
        case asciiTable
        case binaryTable
        case empty
    }

    /// Number of the HDU; 0 is the primary HDU.
    package var number: Int
    package var name: String?
    package var version: Int
    package var content: Content
    /// Whether it accompanies an image of the file, as a mask or a number of frames per pixel, and is no image of the sky:
    /// Skyfarm writes the card ``companionKeyword`` into such an HDU.
    package var isCompanion = false
    /// Byte range of its data in the file, without the padding of the last block.
    package var data = 0..<0

    /// The keyword that tells what an HDU that accompanies an image holds.
    package static let companionKeyword = "SKYFROLE"

    /// Offset of the first byte after its last block.
    package var end: Int {
        let block = FITSMemoryFile.blockLength
        return (data.upperBound + block - 1) / block * block
    }

    /// Width and height if this is a single 2-D image, whose further axes have length 1; nil otherwise.
    package var size: (width: Int, height: Int)? { planeCount == 1 ? planeSize : nil }

    /// Width and height of each plane; nil if it has no 2-D image.
    var planeSize: (width: Int, height: Int)? {
        guard case .image(let axes) = content, axes.count >= 2, axes[0] > 0, axes[1] > 0 else { return nil }
        return (axes[0], axes[1])
    }

    /// Whether it holds no image, whichever planes are chosen: a table, a spectrum or other data of one axis, or nothing.
    var isOtherData: Bool { if case .image(let axes) = content { axes.count < 2 } else { true } }

    /// Number of 2-D images in the HDU: the product of the lengths of its further axes.
    var planeCount: Int {
        guard case .image(let axes) = content, axes.count >= 2 else { return 0 }
        return axes.dropFirst(2).reduce(1) { product, length in
            let (count, overflow) = product.multipliedReportingOverflow(by: max(0, length))
            return overflow ? .max : count
        }
    }

    /// Whether its planes are the colours of a camera: red, green and blue.
    private var isColour: Bool {
        guard case .image(let axes) = content, axes.count >= 3 else { return false }
        return axes[2] == 3 && planeCount == 3
    }

    /// Returns the planes that `choice` selects as images; nil stands for the only one.
    package func planes(_ choice: PlaneChoice) -> [Int?] {
        guard planeSize != nil, !isCompanion else { return [] }
        let count = planeCount
        if count == 1 { return [nil] }
        switch choice {
        case .colours: return isColour ? [1, 2, 3] : []
        case .all: return (0..<min(count, PlaneChoice.limit)).map { $0 + 1 }
        case .number(let plane): return plane <= count ? [plane] : []
        }
    }

    package func matches(_ selector: ImageLocation.Selector) -> Bool {
        switch selector {
        case .firstImage: size != nil && !isCompanion
        case .plane(let plane, .firstImage): !isCompanion && planeSize != nil && plane <= planeCount
        case .plane(_, let hdu): matches(hdu)
        case .number(let number): number == self.number
        case .name(let name, let version):
            name.uppercased() == self.name?.uppercased() && version ?? self.version == self.version
        }
    }

    /// Description such as "HDU 1 (SCI): 2-D image 100x200".
    package var words: String {
        let kind =
            switch content {
            case .image(let axes): "\(axes.count)-D image \(axes.map(String.init).joined(separator: "x"))"
            case .asciiTable: "ASCII table"
            case .binaryTable: "binary table"
            case .empty: "no data"
            }
        // A damaged header may contain any characters, such as escape sequences of a terminal.
        let title =
            name.map(FITSMemoryFile.printable).map { version == 1 ? " (\($0))" : " (\($0),\(version))" } ?? ""
        return "HDU \(number)\(title): \(kind)"
    }

    /// Returns advice on using a plane if an HDU of the file at `path` has several, or an empty text.
    static func advice(_ all: [HDU], path: String, isFrame: Bool = false) -> String {
        let cube = all.first { $0.planeSize != nil && $0.planeCount > 1 }
        if cube != nil, isFrame { return "; write its planes to files of their own, each of them a frame" }
        return cube.map { "; select a plane, as in '\(path)[\($0.number)][1]', or scan all with --plane all" } ?? ""
    }

    /// Returns a list of HDUs in one line, truncated if too long.
    package static func words(_ all: [HDU]) -> String {
        let shown = 8
        let list = all.prefix(shown).map(\.words).joined(separator: "; ")
        return all.count > shown ? "\(list); and \(all.count - shown) more" : list
    }
}
