/// Decodes the output of ``WireEncoder``. The bytes may come from any peer: whatever they are, the outcome is a value
/// or an error, and no more memory is reserved than they can fill.
package struct WireDecoder {
    package init() {}

    /// The value whose coded form is all of `bytes`.
    /// - Throws: ``WireError``, or what the value's own decoding throws.
    package func decode<Value: Decodable>(_ type: Value.Type, from bytes: UnsafeRawBufferPointer) throws -> Value {
        let message = try WireMessage(bytes)
        var offset = 0
        let value = try message.value(type, at: &offset, in: 0, depth: 0)
        guard offset == message.count else { throw WireError("bytes after the value") }
        return value
    }

    /// The value whose coded form is all of `bytes`.
    package func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
        try bytes.withUnsafeBytes { try decode(type, from: $0) }
    }
}

/// The body of a coded message and its table of keys. Valid as long as the bytes from which it was made.
struct WireMessage {
    private let body: UnsafeRawBufferPointer
    private let keys: [String]

    init(_ bytes: UnsafeRawBufferPointer) throws {
        guard bytes.count >= WireFormat.headerSize else { throw WireError("the message is too short") }
        guard bytes[0] == WireFormat.version else { throw WireError("the coding has version \(bytes[0])") }
        let length = Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 1, as: UInt32.self)))
        guard length <= bytes.count - WireFormat.headerSize else { throw WireError("the message ends early") }
        let end = WireFormat.headerSize + length
        body = UnsafeRawBufferPointer(rebasing: bytes[WireFormat.headerSize..<end])
        keys = try Self.keys(UnsafeRawBufferPointer(rebasing: bytes[end...]))
    }

    private static func keys(_ table: UnsafeRawBufferPointer) throws -> [String] {
        var offset = 0
        let count = try varint(table, at: &offset)
        // Each key takes a byte at least.
        guard count <= table.count - offset else { throw WireError("the table of keys ends early") }
        guard count <= WireFormat.keyLimit else { throw WireError("\(count) keys are too many") }
        var keys: [String] = []
        keys.reserveCapacity(Int(count))
        for _ in 0..<count { keys.append(try string(table, at: &offset)) }
        guard offset == table.count else { throw WireError("bytes after the table of keys") }
        return keys
    }

    var count: Int { body.count }

    /// Number of different keys.
    var keyCount: Int { keys.count }

    // MARK: Values

    /// Reads the value whose coded form begins at `start`, and moves `offset` past it.
    func value<Value: Decodable>(
        _ type: Value.Type, at offset: inout Int, in start: Int, depth: Int
    ) throws -> Value {
        guard depth < WireFormat.decodingDepth else { throw WireError("containers nested too deeply") }
        offset = start
        if let scalar = try scalar(type, at: &offset) { return scalar }
        if let numbers = try numbers(type, at: start) {
            try skipValue(at: &offset)
            return numbers
        }
        try skipValue(at: &offset)
        return try Value(from: ValueDecoder(message: self, offset: start, depth: depth + 1))
    }

    /// A common scalar, for which the type's own decoding would give the same value.
    private func scalar<Value>(_ type: Value.Type, at offset: inout Int) throws -> Value? {
        if Value.self == Int.self { return try integer(at: &offset) as Int as? Value }
        if Value.self == Double.self { return try double(at: &offset) as? Value }
        if Value.self == String.self { return try string(at: &offset) as? Value }
        return nil
    }

    func isNil(at offset: Int) throws -> Bool {
        guard offset < body.count else { throw WireError("the message ends early") }
        return body[offset] == WireFormat.Tag.null.rawValue
    }

    func bool(at offset: inout Int) throws -> Bool {
        switch try tag(at: &offset) {
        case .no: return false
        case .yes: return true
        case let other: throw mismatch("a Bool", other)
        }
    }

    func integer<Integer: FixedWidthInteger>(at offset: inout Int) throws -> Integer {
        let exact: Integer?
        switch try tag(at: &offset) {
        case .signed:
            let zigzag = try Self.varint(body, at: &offset)
            exact = Integer(exactly: Int64(bitPattern: zigzag >> 1) ^ -Int64(bitPattern: zigzag & 1))
        case .unsigned: exact = Integer(exactly: try Self.varint(body, at: &offset))
        case let other: throw mismatch("an integer", other)
        }
        guard let exact else { throw WireError("a number does not fit \(Integer.self)") }
        return exact
    }

    func float(at offset: inout Int) throws -> Float {
        let tag = try tag(at: &offset)
        guard tag == .float else { throw mismatch("a Float", tag) }
        return Float(bitPattern: try fixed(at: &offset))
    }

    func double(at offset: inout Int) throws -> Double {
        let tag = try tag(at: &offset)
        guard tag == .double else { throw mismatch("a Double", tag) }
        return Double(bitPattern: try fixed(at: &offset))
    }

    func string(at offset: inout Int) throws -> String {
        let tag = try tag(at: &offset)
        guard tag == .string else { throw mismatch("a String", tag) }
        return try Self.string(body, at: &offset)
    }

    /// The key of an entry of a keyed container.
    func key(at offset: inout Int) throws -> String {
        let index = try Self.varint(body, at: &offset)
        guard index < UInt64(keys.count) else { throw WireError("a key that is not in the table") }
        return keys[Int(index)]
    }

    /// The bytes of the container that begins at `offset`.
    func container(_ kind: WireFormat.Tag, at offset: Int, depth: Int) throws -> Range<Int> {
        guard depth < WireFormat.decodingDepth else { throw WireError("containers nested too deeply") }
        var start = offset
        let tag = try tag(at: &start)
        guard tag == kind else { throw mismatch(kind == .keyed ? "a keyed container" : "an array", tag) }
        let length = Int(try fixed(at: &start) as UInt32)
        guard length <= body.count - start else { throw WireError("a container ends early") }
        return start..<start + length
    }

    /// Moves `offset` past the value that begins there.
    func skipValue(at offset: inout Int) throws {
        switch try tag(at: &offset) {
        case .null, .no, .yes: break
        case .signed, .unsigned: _ = try Self.varint(body, at: &offset)
        case .float: _ = try fixed(at: &offset) as UInt32
        case .double: _ = try fixed(at: &offset) as UInt64
        case .keyed, .unkeyed: try skip(Int(try fixed(at: &offset) as UInt32), at: &offset)
        case .string, .bytes, .int16s, .int32s, .int64s, .floats, .doubles:
            try skip(Self.length(body, at: &offset), at: &offset)
        }
    }

    private func skip(_ length: Int, at offset: inout Int) throws {
        guard length <= body.count - offset else { throw WireError("the message ends early") }
        offset += length
    }

    private func tag(at offset: inout Int) throws -> WireFormat.Tag {
        guard offset < body.count else { throw WireError("the message ends early") }
        guard let tag = WireFormat.Tag(rawValue: body[offset]) else { throw WireError("unknown tag \(body[offset])") }
        offset += 1
        return tag
    }

    private func mismatch(_ wanted: String, _ found: WireFormat.Tag) -> WireError {
        WireError("\(wanted) was expected where the message has \(found)")
    }

    private func fixed<Integer: FixedWidthInteger & BitwiseCopyable>(at offset: inout Int) throws -> Integer {
        let size = MemoryLayout<Integer>.size
        guard size <= body.count - offset else { throw WireError("the message ends early") }
        defer { offset += size }
        return Integer(littleEndian: body.loadUnaligned(fromByteOffset: offset, as: Integer.self))
    }

    // MARK: Arrays of numbers

    private func numbers<Value>(_ type: Value.Type, at offset: Int) throws -> Value? {
        if Value.self == [UInt8].self { return try numbers(.bytes, at: offset) as [UInt8] as? Value }
        if Value.self == [Double].self { return try numbers(.doubles, at: offset) as [Double] as? Value }
        if Value.self == [Float].self { return try numbers(.floats, at: offset) as [Float] as? Value }
        if Value.self == [Int32].self { return try numbers(.int32s, at: offset) as [Int32] as? Value }
        if Value.self == [Int].self { return try numbers(.int64s, at: offset) as [Int] as? Value }
        if Value.self == [Int64].self { return try numbers(.int64s, at: offset) as [Int64] as? Value }
        if Value.self == [Int16].self { return try numbers(.int16s, at: offset) as [Int16] as? Value }
        return nil
    }

    private func numbers<Element: BitwiseCopyable>(_ wanted: WireFormat.Tag, at start: Int) throws -> [Element] {
        var offset = start
        let tag = try tag(at: &offset)
        guard tag == wanted else { throw mismatch("an array of \(Element.self)", tag) }
        let length = try Self.length(body, at: &offset)
        guard length <= body.count - offset, length % MemoryLayout<Element>.stride == 0 else {
            throw WireError("an array of \(Element.self) has \(length) bytes")
        }
        let source = UnsafeRawBufferPointer(rebasing: body[offset..<offset + length])
        return [Element](unsafeUninitializedCapacity: length / MemoryLayout<Element>.stride) { target, count in
            UnsafeMutableRawBufferPointer(target).copyMemory(from: source)
            count = target.count
        }
    }

    // MARK: Bytes

    private static func varint(_ bytes: UnsafeRawBufferPointer, at offset: inout Int) throws -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while offset < bytes.count {
            let byte = bytes[offset]
            offset += 1
            // The tenth byte has room for one bit.
            if shift == 63, byte > 1 { break }
            value |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        throw WireError("a malformed varint")
    }

    private static func length(_ bytes: UnsafeRawBufferPointer, at offset: inout Int) throws -> Int {
        let length = try varint(bytes, at: &offset)
        guard length <= UInt64(bytes.count) else { throw WireError("a length beyond the end of the message") }
        return Int(length)
    }

    private static func string(_ bytes: UnsafeRawBufferPointer, at offset: inout Int) throws -> String {
        let length = try length(bytes, at: &offset)
        guard length <= bytes.count - offset else { throw WireError("a string ends early") }
        let utf8 = UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + length])
        guard let string = String(validating: utf8, as: UTF8.self) else { throw WireError("a string is not UTF-8") }
        offset += length
        return string
    }
}
