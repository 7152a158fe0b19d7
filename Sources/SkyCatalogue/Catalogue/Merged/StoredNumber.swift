/// A numeric type of a FITS table column.
enum StoredNumber: Hashable {
    case int16, int32, int64, float, double

    /// Parses a TFORM; nil if it is not one number per row.
    init?(form: String) {
        switch form {
        case "I", "1I": self = .int16
        case "J", "1J": self = .int32
        case "K", "1K": self = .int64
        case "E", "1E": self = .float
        case "D", "1D": self = .double
        default: return nil
        }
    }

    /// Size of a number in bytes.
    var size: Int {
        switch self {
        case .int16: 2
        case .int32, .float: 4
        case .int64, .double: 8
        }
    }

    /// Returns the big-endian numbers at `offset` in each row of `rowLength` bytes.
    func values(in bytes: [UInt8], offset: Int, rowLength: Int) -> CatalogueTable.Values {
        func load<Word: FixedWidthInteger, Value>(_ value: (Word) -> Value) -> [Value] {
            bytes.withUnsafeBytes { bytes in
                stride(from: offset, to: bytes.count, by: rowLength).map { place in
                    value(Word(bigEndian: bytes.loadUnaligned(fromByteOffset: place, as: Word.self)))
                }
            }
        }
        return switch self {
        case .int16: .int16(load { (word: Int16) in word })
        case .int32: .int32(load { (word: Int32) in word })
        case .int64: .int64(load { (word: Int64) in word })
        case .float: .float(load { Float(bitPattern: $0) })
        case .double: .double(load { Double(bitPattern: $0) })
        }
    }

    /// Returns the values of a column that an image lacks: NaN, or 0 for integers.
    func none(count: Int) -> CatalogueTable.Values {
        switch self {
        case .int16: .int16(Array(repeating: 0, count: count))
        case .int32: .int32(Array(repeating: 0, count: count))
        case .int64: .int64(Array(repeating: 0, count: count))
        case .float: .float(Array(repeating: .nan, count: count))
        case .double: .double(Array(repeating: .nan, count: count))
        }
    }
}
