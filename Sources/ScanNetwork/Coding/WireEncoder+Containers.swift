/// The encoder that one value gets, for its position in the message.
struct ValueEncoder: Encoder {
    let encoder: WireEncoder
    let level: Int
    let position: Int

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(
            KeyedEncoding(encoder, encoder.message.beginContainer(.keyed, level: level, position: position)))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        UnkeyedEncoding(encoder, encoder.message.beginContainer(.unkeyed, level: level, position: position))
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        SingleValueEncoding(encoder: encoder, level: level, position: position)
    }
}

struct KeyedEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
    private let encoder: WireEncoder
    private let level: Int
    private let serial: Int

    init(_ encoder: WireEncoder, _ container: (level: Int, serial: Int)) {
        self.encoder = encoder
        (level, serial) = container
    }

    var codingPath: [any CodingKey] { [] }

    private func put(_ key: some CodingKey) -> WireEncoder {
        encoder.message.enter(level, serial, key: key.stringValue)
        return encoder
    }

    mutating func encodeNil(forKey key: Key) throws { put(key).message.putNil() }
    mutating func encode(_ value: Bool, forKey key: Key) throws { put(key).message.put(value) }
    mutating func encode(_ value: String, forKey key: Key) throws { put(key).message.put(value) }
    mutating func encode(_ value: Double, forKey key: Key) throws { put(key).message.put(value) }
    mutating func encode(_ value: Float, forKey key: Key) throws { put(key).message.put(value) }
    mutating func encode(_ value: Int, forKey key: Key) throws { put(key).message.put(signed: Int64(value)) }
    mutating func encode(_ value: Int8, forKey key: Key) throws { put(key).message.put(signed: Int64(value)) }
    mutating func encode(_ value: Int16, forKey key: Key) throws { put(key).message.put(signed: Int64(value)) }
    mutating func encode(_ value: Int32, forKey key: Key) throws { put(key).message.put(signed: Int64(value)) }
    mutating func encode(_ value: Int64, forKey key: Key) throws { put(key).message.put(signed: Int64(value)) }
    mutating func encode(_ value: UInt, forKey key: Key) throws { put(key).message.put(unsigned: UInt64(value)) }
    mutating func encode(_ value: UInt8, forKey key: Key) throws { put(key).message.put(unsigned: UInt64(value)) }
    mutating func encode(_ value: UInt16, forKey key: Key) throws { put(key).message.put(unsigned: UInt64(value)) }
    mutating func encode(_ value: UInt32, forKey key: Key) throws { put(key).message.put(unsigned: UInt64(value)) }
    mutating func encode(_ value: UInt64, forKey key: Key) throws { put(key).message.put(unsigned: UInt64(value)) }

    mutating func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        try put(key).encodeValue(value, level: level)
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        KeyedEncodingContainer(
            KeyedEncoding<Nested>(encoder, put(key).message.beginContainer(.keyed, level: level, position: nil)))
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        UnkeyedEncoding(encoder, put(key).message.beginContainer(.unkeyed, level: level, position: nil))
    }

    mutating func superEncoder() -> any Encoder {
        ValueEncoder(encoder: encoder, level: level, position: put(SuperKey()).message.promiseValue())
    }

    mutating func superEncoder(forKey key: Key) -> any Encoder {
        ValueEncoder(encoder: encoder, level: level, position: put(key).message.promiseValue())
    }
}

/// The key under which a superclass encodes itself unless told otherwise.
struct SuperKey: CodingKey {
    var stringValue: String { "super" }
    var intValue: Int? { nil }

    init() {}
    init?(stringValue: String) { nil }
    init?(intValue: Int) { nil }
}

/// A container without keys.
protocol ValuesEncoding {
    var level: Int { get }
    /// The encoder, ready for the next value.
    mutating func next() -> WireEncoder
}

extension ValuesEncoding {
    mutating func encodeNil() throws { next().message.putNil() }
    mutating func encode(_ value: Bool) throws { next().message.put(value) }
    mutating func encode(_ value: String) throws { next().message.put(value) }
    mutating func encode(_ value: Double) throws { next().message.put(value) }
    mutating func encode(_ value: Float) throws { next().message.put(value) }
    mutating func encode(_ value: Int) throws { next().message.put(signed: Int64(value)) }
    mutating func encode(_ value: Int8) throws { next().message.put(signed: Int64(value)) }
    mutating func encode(_ value: Int16) throws { next().message.put(signed: Int64(value)) }
    mutating func encode(_ value: Int32) throws { next().message.put(signed: Int64(value)) }
    mutating func encode(_ value: Int64) throws { next().message.put(signed: Int64(value)) }
    mutating func encode(_ value: UInt) throws { next().message.put(unsigned: UInt64(value)) }
    mutating func encode(_ value: UInt8) throws { next().message.put(unsigned: UInt64(value)) }
    mutating func encode(_ value: UInt16) throws { next().message.put(unsigned: UInt64(value)) }
    mutating func encode(_ value: UInt32) throws { next().message.put(unsigned: UInt64(value)) }
    mutating func encode(_ value: UInt64) throws { next().message.put(unsigned: UInt64(value)) }

    mutating func encode<Value: Encodable>(_ value: Value) throws { try next().encodeValue(value, level: level) }
}

struct UnkeyedEncoding: UnkeyedEncodingContainer, ValuesEncoding {
    private let encoder: WireEncoder
    let level: Int
    private let serial: Int
    private(set) var count = 0

    init(_ encoder: WireEncoder, _ container: (level: Int, serial: Int)) {
        self.encoder = encoder
        (level, serial) = container
    }

    var codingPath: [any CodingKey] { [] }

    mutating func next() -> WireEncoder {
        encoder.message.enter(level, serial)
        count += 1
        return encoder
    }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        KeyedEncodingContainer(
            KeyedEncoding<Nested>(encoder, next().message.beginContainer(.keyed, level: level, position: nil)))
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        UnkeyedEncoding(encoder, next().message.beginContainer(.unkeyed, level: level, position: nil))
    }

    mutating func superEncoder() -> any Encoder {
        ValueEncoder(encoder: encoder, level: level, position: next().message.promiseValue())
    }
}

struct SingleValueEncoding: SingleValueEncodingContainer, ValuesEncoding {
    let encoder: WireEncoder
    let level: Int
    let position: Int

    var codingPath: [any CodingKey] { [] }

    func next() -> WireEncoder {
        encoder.message.beginValue(position: position)
        return encoder
    }
}
