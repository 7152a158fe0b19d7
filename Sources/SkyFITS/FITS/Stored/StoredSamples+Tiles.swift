internal import CFITSIO

extension StoredSamples {
    /// Returns the tiles that cover a window, in whole rows of tiles, since dithering depends on a tile's number.
    func tilePiece(of window: PixelRect) -> StoredPiece? {
        guard let table, let check = image.tileCheck, check.tileArea <= StoredPiece.tileLimit(area: window.area)
        else { return nil }
        let layout = table.layout
        let tiles = layout.tiles(rows: window.y)
        var rows = [UInt8](repeating: 0, count: tiles.count * table.rowLength)
        let start = table.start + tiles.lowerBound * table.rowLength
        let isRead: Void? = rows.withUnsafeMutableBytes { bytes in
            try? read(start..<start + bytes.count, into: bytes)
        }
        let columns = window.x.lowerBound / layout.tileWidth...(window.x.upperBound - 1) / layout.tileWidth
        guard isRead != nil, let heap = collect(&rows, tiles, columns) else { return nil }
        let firstRow = tiles.lowerBound / layout.tilesPerRow * layout.tileHeight
        let endRow = min(layout.height, tiles.upperBound / layout.tilesPerRow * layout.tileHeight)
        guard let header = header(tiles, height: endRow - firstRow, heap: heap.byteCount) else { return nil }
        return StoredPiece(
            head: header + rows, ranges: heap.ranges, column: window.x.lowerBound, row: window.y.lowerBound - firstRow)
    }

    /// Byte ranges of the file that form a new heap.
    private struct Heap {
        var ranges: [Range<Int>] = []
        var byteCount = 0

        mutating func add(_ range: Range<Int>) {
            byteCount += range.count
            if let last = ranges.last, last.upperBound == range.lowerBound {
                ranges[ranges.count - 1] = last.lowerBound..<range.upperBound
            } else {
                ranges.append(range)
            }
        }
    }

    /// Changes rows of the table so that they refer to a new heap with only the tiles of `columns`.
    /// - Returns: the new heap, or nil if a row refers to bytes outside the heap.
    private func collect(_ rows: inout [UInt8], _ tiles: Range<Int>, _ columns: ClosedRange<Int>) -> Heap? {
        guard let table else { return nil }
        var heap = Heap()
        let isSound = rows.withUnsafeMutableBytes { bytes in
            for (index, tile) in tiles.enumerated() {
                for column in table.columns {
                    let place = index * table.rowLength + column.offset
                    let entry = Descriptor(bytes, at: place, isLong: column.isLong)
                    guard columns.contains(tile % table.layout.tilesPerRow), entry.count > 0 else {
                        Descriptor(count: 0, offset: 0).write(bytes, at: place, isLong: column.isLong)
                        continue
                    }
                    let (length, overflow) = entry.count.multipliedReportingOverflow(by: column.elementSize)
                    guard !overflow, entry.offset >= 0, length <= table.heap.count,
                        entry.offset <= table.heap.count - length
                    else { return false }
                    Descriptor(count: entry.count, offset: heap.byteCount)
                        .write(bytes, at: place, isLong: column.isLong)
                    let first = table.heap.lowerBound + entry.offset
                    heap.add(first..<first + length)
                    guard heap.byteCount <= Int(Int32.max) else { return false }
                }
            }
            return true
        }
        return isSound ? heap : nil
    }

    /// Returns the headers of a piece: an empty primary HDU, and that of the table.
    private func header(_ tiles: Range<Int>, height: Int, heap: Int) -> [UInt8]? {
        guard let table else { return nil }
        var changed = ["ZNAXIS2": "\(height)"]
        if let seed = table.ditherSeed {
            changed["ZDITHER0"] = "\((seed - 1 + tiles.lowerBound) % TileTable.ditherSeedCount + 1)"
        }
        // Cards are replaced in place, because CFITSIO requires an order.
        var kept: [ArraySlice<UInt8>] = []
        var found: Set<String> = []
        for card in cards {
            let keyword = Self.keyword(card)
            if let value = changed[keyword] {
                kept.append(Self.card(keyword, value))
                found.insert(keyword)
            } else if changed.keys.contains(where: keyword.uppercased().hasPrefix) {
                // The card has a form in which it would not be recognised as one to be replaced.
                return nil
            } else {
                kept.append(card)
            }
        }
        for (keyword, value) in changed where !found.contains(keyword) { kept.append(Self.card(keyword, value)) }
        let primary = Self.blocks([
            Self.card("SIMPLE", "T"), Self.card("BITPIX", "8"), Self.card("NAXIS", "0"), Self.card("EXTEND", "T"),
        ])
        let fixed = [
            Self.card("XTENSION", "'BINTABLE'"), Self.card("BITPIX", "8"), Self.card("NAXIS", "2"),
            Self.card("NAXIS1", "\(table.rowLength)"), Self.card("NAXIS2", "\(tiles.count)"),
            Self.card("PCOUNT", "\(heap)"), Self.card("GCOUNT", "1"), Self.card("TFIELDS", "\(table.columnCount)"),
        ]
        return primary + Self.blocks(fixed + kept)
    }
}

/// A descriptor of a variable-length column: number and heap offset of its elements, in big-endian order.
private struct Descriptor {
    var count: Int
    var offset: Int

    init(count: Int, offset: Int) { (self.count, self.offset) = (count, offset) }

    init(_ bytes: UnsafeMutableRawBufferPointer, at place: Int, isLong: Bool) {
        if isLong {
            count = Int(Int64(bigEndian: bytes.loadUnaligned(fromByteOffset: place, as: Int64.self)))
            offset = Int(Int64(bigEndian: bytes.loadUnaligned(fromByteOffset: place + 8, as: Int64.self)))
        } else {
            count = Int(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self)))
            offset = Int(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: place + 4, as: UInt32.self)))
        }
    }

    func write(_ bytes: UnsafeMutableRawBufferPointer, at place: Int, isLong: Bool) {
        if isLong {
            bytes.storeBytes(of: Int64(count).bigEndian, toByteOffset: place, as: Int64.self)
            bytes.storeBytes(of: Int64(offset).bigEndian, toByteOffset: place + 8, as: Int64.self)
        } else {
            bytes.storeBytes(of: UInt32(count).bigEndian, toByteOffset: place, as: UInt32.self)
            bytes.storeBytes(of: UInt32(offset).bigEndian, toByteOffset: place + 4, as: UInt32.self)
        }
    }
}
