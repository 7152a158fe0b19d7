internal import CFITSIO
package import SkyFITS

/// The headers of the tables in a FITS catalogue.
package struct FITSTableHeaders {
    private var tables: [Set<String>] = []

    /// Reads the headers of the file at `path`.
    /// - Throws: ``ImageError`` if it is not a FITS file.
    package init(of path: String) throws(ImageError) {
        let file = try FITSFile(path: path)
        // The primary HDU has no table.
        var number = 1
        while let hdu = try Self.move(file, to: number) {
            if case .binaryTable = hdu.content { tables.append(Set(FITSLibrary.run { Self.cards(of: file.handle) })) }
            number += 1
        }
    }

    package var count: Int { tables.count }

    /// Whether the header of a table has all these entries, with equal values and comments.
    package func holds(_ entries: [HeaderEntry], table index: Int) -> Bool {
        guard let memory = FITSMemoryFile() else { return false }
        memory.call { handle, status in
            ffcrim(handle, BYTE_IMG, 0, nil, status)
        }
        var own = Set(FITSLibrary.run { Self.cards(of: memory.handle) })
        entries.forEach(memory.write)
        let wanted = Set(FITSLibrary.run { Self.cards(of: memory.handle) })
        own.formIntersection(wanted)
        return wanted.count > own.count && wanted.subtracting(own).isSubset(of: tables[index])
    }

    private static func move(_ file: FITSFile, to number: Int) throws(ImageError) -> HDU? {
        let result = FITSLibrary.run {
            Result { () throws(ImageError) in try file.move(to: number) }
        }
        return try result.get()
    }

    private static func cards(of handle: UnsafeMutablePointer<fitsfile>) -> [String] {
        var text: UnsafeMutablePointer<CChar>?
        var (count, status): (Int32, Int32) = (0, 0)
        ffhdr2str(handle, 0, nil, 0, &text, &count, &status)
        guard status == 0, let text else { return [] }
        defer { fffree(text, &status) }
        let header = FITSHeader(
            bytes: Array(UnsafeRawBufferPointer(start: text, count: Int(count) * FITSHeader.cardLength)))
        return (0..<header.count).map { header[$0] }
    }
}
