/// The decoder that one value's type gets.
struct ValueDecoder: Decoder {
    let message: WireMessage
    let offset: Int
    let depth: Int

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(try KeyedDecoding(message, at: offset, depth: depth))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try UnkeyedDecoding(message, at: offset, depth: depth)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        SingleValueDecoding(message: message, offset: offset, depth: depth)
    }
}

/// A keyed container. A class because reading moves a cursor, and the protocol's functions do not mutate. Keys are
/// nearly always requested in the order in which they were written, so the next one is looked for first.
final class KeyedDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let message: WireMessage
    private let start: Int
    private let end: Int
    private let depth: Int
    private var cursor: Int

    init(_ message: WireMessage, at offset: Int, depth: Int) throws {
        let range = try message.container(.keyed, at: offset, depth: depth)
        self.message = message
        (start, end, cursor) = (range.lowerBound, range.upperBound, range.lowerBound)
        self.depth = depth
    }

    var codingPath: [any CodingKey] { [] }

    var allKeys: [Key] {
        var keys: [Key] = []
        var offset = start
        // A malformed entry ends the list; reading the entry itself then reports the error.
        while offset < end, keys.count <= message.keyCount, let key = try? message.key(at: &offset),
            (try? message.skipValue(at: &offset)) != nil
        {
            if let key = Key(stringValue: key) { keys.append(key) }
        }
        return keys
    }

    func contains(_ key: Key) -> Bool { (try? find(key.stringValue)) != nil }

    func decodeNil(forKey key: Key) throws -> Bool { try message.isNil(at: locate(key)) }
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try read(key) { try message.bool(at: &$0) } }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try read(key) { try message.string(at: &$0) } }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try read(key) { try message.double(at: &$0) } }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try read(key) { try message.float(at: &$0) } }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try read(key) { try message.integer(at: &$0) } }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try read(key) { try message.integer(at: &$0) } }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try read(key) { try message.integer(at: &$0) } }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try read(key) { try message.integer(at: &$0) } }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try read(key) { try message.integer(at: &$0) } }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try read(key) { try message.integer(at: &$0) } }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try read(key) { try message.integer(at: &$0) } }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 {
        try read(key) { try message.integer(at: &$0) }
    }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 {
        try read(key) { try message.integer(at: &$0) }
    }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 {
        try read(key) { try message.integer(at: &$0) }
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        let offset = try locate(key)
        return try read(key) { [message, depth] in try message.value(type, at: &$0, in: offset, depth: depth) }
    }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        guard let offset = try find(key.stringValue), try !message.isNil(at: offset) else { return nil }
        return try decode(type, forKey: key)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        KeyedDecodingContainer(try KeyedDecoding<Nested>(message, at: locate(key), depth: depth + 1))
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try UnkeyedDecoding(message, at: locate(key), depth: depth + 1)
    }

    func superDecoder() throws -> any Decoder { try superDecoder(named: SuperKey().stringValue) }

    func superDecoder(forKey key: Key) throws -> any Decoder { try superDecoder(named: key.stringValue) }

    private func superDecoder(named name: String) throws -> any Decoder {
        guard let offset = try find(name) else { throw WireError("no value for the key '\(name)'") }
        return ValueDecoder(message: message, offset: offset, depth: depth + 1)
    }

    private func locate(_ key: Key) throws -> Int {
        guard let offset = try find(key.stringValue) else {
            throw WireError("no value for the key '\(key.stringValue)'")
        }
        return offset
    }

    private func read<Value>(_ key: Key, _ body: (inout Int) throws -> Value) throws -> Value {
        var offset = try locate(key)
        let value = try body(&offset)
        cursor = offset
        return value
    }

    /// Offset of a key's value; leaves the cursor at its entry.
    private func find(_ name: String) throws -> Int? {
        if let found = try find(name, from: cursor, to: end) { return found }
        return try find(name, from: start, to: cursor)
    }

    private func find(_ name: String, from: Int, to limit: Int) throws -> Int? {
        var offset = from
        var entries = 0
        while offset < limit {
            let entry = offset
            // Each key occurs once. A container that repeats keys would be searched again and again.
            entries += 1
            guard entries <= message.keyCount else { throw WireError("a container has a key twice") }
            if try message.key(at: &offset) == name {
                cursor = entry
                return offset
            }
            try message.skipValue(at: &offset)
        }
        return nil
    }
}

struct UnkeyedDecoding: UnkeyedDecodingContainer {
    private let message: WireMessage
    private let start: Int
    private let end: Int
    private let depth: Int
    private var offset: Int
    private(set) var currentIndex = 0

    init(_ message: WireMessage, at offset: Int, depth: Int) throws {
        let range = try message.container(.unkeyed, at: offset, depth: depth)
        self.message = message
        (start, end, self.offset) = (range.lowerBound, range.upperBound, range.lowerBound)
        self.depth = depth
    }

    var codingPath: [any CodingKey] { [] }
    var isAtEnd: Bool { offset >= end }

    /// Counts the values one by one; synthesized code does not call it.
    var count: Int? {
        var count = 0
        var offset = start
        while offset < end {
            if (try? message.skipValue(at: &offset)) == nil { return nil }
            count += 1
        }
        return count
    }

    private mutating func read<Value>(_ body: (WireMessage, inout Int) throws -> Value) throws -> Value {
        if isAtEnd { throw WireError("an array ends early") }
        // A value that cannot be decoded stays the next one.
        var next = offset
        let value = try body(message, &next)
        offset = next
        currentIndex += 1
        return value
    }

    mutating func decodeNil() throws -> Bool {
        if isAtEnd { throw WireError("an array ends early") }
        guard try message.isNil(at: offset) else { return false }
        offset += 1
        currentIndex += 1
        return true
    }
    mutating func decode(_ type: Bool.Type) throws -> Bool { try read { try $0.bool(at: &$1) } }
    mutating func decode(_ type: String.Type) throws -> String { try read { try $0.string(at: &$1) } }
    mutating func decode(_ type: Double.Type) throws -> Double { try read { try $0.double(at: &$1) } }
    mutating func decode(_ type: Float.Type) throws -> Float { try read { try $0.float(at: &$1) } }
    mutating func decode(_ type: Int.Type) throws -> Int { try read { try $0.integer(at: &$1) } }
    mutating func decode(_ type: Int8.Type) throws -> Int8 { try read { try $0.integer(at: &$1) } }
    mutating func decode(_ type: Int16.Type) throws -> Int16 { try read { try $0.integer(at: &$1) } }
    mutating func decode(_ type: Int32.Type) throws -> Int32 { try read { try $0.integer(at: &$1) } }
    mutating func decode(_ type: Int64.Type) throws -> Int64 { try read { try $0.integer(at: &$1) } }
    mutating func decode(_ type: UInt.Type) throws -> UInt { try read { try $0.integer(at: &$1) } }
    mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try read { try $0.integer(at: &$1) } }
    mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try read { try $0.integer(at: &$1) } }
    mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try read { try $0.integer(at: &$1) } }
    mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try read { try $0.integer(at: &$1) } }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let depth = depth
        return try read { message, offset in try message.value(type, at: &offset, in: offset, depth: depth) }
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        let depth = depth + 1
        return KeyedDecodingContainer(
            try read { message, offset in
                defer { try? message.skipValue(at: &offset) }
                return try KeyedDecoding<Nested>(message, at: offset, depth: depth)
            })
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let depth = depth + 1
        return try read { message, offset in
            defer { try? message.skipValue(at: &offset) }
            return try UnkeyedDecoding(message, at: offset, depth: depth)
        }
    }

    mutating func superDecoder() throws -> any Decoder {
        let depth = depth + 1
        return try read { message, offset in
            let start = offset
            try message.skipValue(at: &offset)
            return ValueDecoder(message: message, offset: start, depth: depth)
        }
    }
}

struct SingleValueDecoding: SingleValueDecodingContainer {
    let message: WireMessage
    let offset: Int
    let depth: Int

    var codingPath: [any CodingKey] { [] }

    private func read<Value>(_ body: (inout Int) throws -> Value) throws -> Value {
        var offset = offset
        return try body(&offset)
    }

    func decodeNil() -> Bool { (try? message.isNil(at: offset)) ?? false }
    func decode(_ type: Bool.Type) throws -> Bool { try read { try message.bool(at: &$0) } }
    func decode(_ type: String.Type) throws -> String { try read { try message.string(at: &$0) } }
    func decode(_ type: Double.Type) throws -> Double { try read { try message.double(at: &$0) } }
    func decode(_ type: Float.Type) throws -> Float { try read { try message.float(at: &$0) } }
    func decode(_ type: Int.Type) throws -> Int { try read { try message.integer(at: &$0) } }
    func decode(_ type: Int8.Type) throws -> Int8 { try read { try message.integer(at: &$0) } }
    func decode(_ type: Int16.Type) throws -> Int16 { try read { try message.integer(at: &$0) } }
    func decode(_ type: Int32.Type) throws -> Int32 { try read { try message.integer(at: &$0) } }
    func decode(_ type: Int64.Type) throws -> Int64 { try read { try message.integer(at: &$0) } }
    func decode(_ type: UInt.Type) throws -> UInt { try read { try message.integer(at: &$0) } }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try read { try message.integer(at: &$0) } }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try read { try message.integer(at: &$0) } }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try read { try message.integer(at: &$0) } }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try read { try message.integer(at: &$0) } }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try read { try message.value(type, at: &$0, in: offset, depth: depth) }
    }
}
