internal import CFITSIO
import ScanBasics
import SkyFITS

/// A FITS file with one binary table whose rows are not all in memory at once: header, rows and padding.
struct FITSTableStream {
    /// The bytes of the primary HDU and of the table's header.
    let header: [UInt8]
    private let sizes: [Int]
    private let rowCount: Int

    /// Creates the header of a table with `rowCount` rows.
    /// - Parameters:
    ///   - model: a table with the same columns and header, and one row with the longest texts.
    ///   - rowCount: number of rows.
    ///   - name: name for error messages.
    /// - Throws: ``OutputError``.
    init(model: CatalogueTable, rowCount: Int, name: String) throws(OutputError) {
        guard let memory = FITSMemoryFile() else { throw OutputError(.failed, "\(name): not enough memory") }
        FITSTableWriter.append(model, to: memory)
        var (start, end): (Int64, Int64) = (0, 0)
        memory.call { handle, status in
            ffflus(handle, status)
            ffghadll(handle, &start, &end, nil, status)
        }
        var header: [UInt8] = []
        let failure = memory.finish { header = Array($0.prefix(Int(end))) }
        if let failure { throw OutputError(.failed, "\(name): the table cannot be made: \(failure)") }
        Self.set("NAXIS2", to: rowCount, in: &header, from: Int(start))
        (self.header, self.rowCount, sizes) = (header, rowCount, model.columns.map(\.values.elementSize))
    }

    /// Returns the bytes of rows.
    func bytes(of rows: CatalogueTable) -> [UInt8] {
        let length = rows.rowCount * rowLength
        return [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
            FITSTableWriter.store(0..<rows.rowCount, of: rows, sizes, in: UnsafeMutableRawBufferPointer(buffer))
            count = length
        }
    }

    /// The bytes after the last row, which fill the last block.
    var padding: [UInt8] {
        let block = FITSMemoryFile.blockLength
        return [UInt8](repeating: 0, count: (block - rowCount * rowLength % block) % block)
    }

    private var rowLength: Int { sizes.reduce(0, +) }

    /// Sets the integer value of a card in its fixed-format columns.
    private static func set(_ key: String, to value: Int, in header: inout [UInt8], from start: Int) {
        let name = Array(key.utf8) + [UInt8](repeating: UInt8(ascii: " "), count: 8 - key.utf8.count)
        let digits = Array("\(value)".utf8)
        let field = [UInt8](repeating: UInt8(ascii: " "), count: 20 - digits.count) + digits
        for card in stride(from: start, to: header.count, by: FITSHeader.cardLength)
        where header[card..<card + name.count].elementsEqual(name) {
            header.replaceSubrange(card + 10..<card + 30, with: field)
            return
        }
    }
}
