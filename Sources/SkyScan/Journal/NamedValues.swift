/// The parts of an encodable value by descriptive names, such as "mesh width". Derived from its encoding, so that no
/// property can be left out.
///
/// `JSONEncoder` would take a millisecond for this, as long as the extraction of a small image.
package struct NamedValues {
    private final class Storage {
        var values: [String: String] = [:]

        /// The values of an array are joined in order.
        func put(_ text: String, _ name: String) {
            values[name] = values[name].map { "\($0) \(text)" } ?? text
        }
    }

    package let byName: [String: String]

    /// Encodes `value` and collects its parts.
    /// - Throws: `EncodingError` if a number is not finite.
    package init(of value: some Encodable) throws {
        let storage = Storage()
        try value.encode(to: Encoding(storage: storage, name: ""))
        byName = storage.values
    }

    private struct Encoding: Encoder {
        let storage: Storage
        let name: String
        var codingPath: [any CodingKey] { [] }
        var userInfo: [CodingUserInfoKey: Any] { [:] }

        func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
            KeyedEncodingContainer(Keyed(encoding: self))
        }

        func unkeyedContainer() -> any UnkeyedEncodingContainer { Unnamed(encoding: self) }

        func singleValueContainer() -> any SingleValueEncodingContainer { Unnamed(encoding: self) }

        func named(_ key: some CodingKey) -> Encoding {
            let words = key.stringValue.map { $0.isUppercase ? " \($0.lowercased())" : String($0) }.joined()
            return Encoding(storage: storage, name: name.isEmpty ? words : "\(name) \(words)")
        }
    }

    private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let encoding: Encoding
        var codingPath: [any CodingKey] { [] }

        // Nil values are left out.
        func encodeNil(forKey key: Key) {}

        func encode(_ value: some Encodable, forKey key: Key) throws {
            try value.encode(to: encoding.named(key))
        }

        func nestedContainer<Nested>(
            keyedBy type: Nested.Type, forKey key: Key
        ) -> KeyedEncodingContainer<Nested> { encoding.named(key).container(keyedBy: type) }

        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
            encoding.named(key).unkeyedContainer()
        }

        func superEncoder() -> any Encoder { encoding }

        func superEncoder(forKey key: Key) -> any Encoder { encoding.named(key) }
    }

    /// Encodes a single value, or the values of an array. Strings and numbers encode themselves as single values of
    /// their types, so that no cast is needed: the runtime's look-up of a conformance takes 50 us per type.
    private struct Unnamed: UnkeyedEncodingContainer, SingleValueEncodingContainer {
        let encoding: Encoding
        var codingPath: [any CodingKey] { [] }
        private(set) var count = 0

        init(encoding: Encoding) { self.encoding = encoding }

        mutating func encodeNil() { encode("none") }

        mutating func encode(_ value: String) {
            count += 1
            encoding.storage.put(value, encoding.name)
        }

        mutating func encode(_ value: Bool) { encode("\(value)") }

        mutating func encode(_ value: some BinaryInteger & Encodable) { encode("\(value)") }

        mutating func encode(_ value: Double) throws {
            guard value.isFinite else {
                let problem = "\(encoding.name) is \(value), which is not finite"
                throw EncodingError.invalidValue(value, .init(codingPath: [], debugDescription: problem))
            }
            encode(Int(exactly: value).map { "\($0)" } ?? "\(value)")
        }

        mutating func encode(_ value: Float) throws { try encode(Double(value)) }

        mutating func encode(_ value: some Encodable) throws {
            count += 1
            try value.encode(to: encoding)
        }

        func nestedContainer<Nested>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
            encoding.container(keyedBy: type)
        }

        func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoding.unkeyedContainer() }

        func superEncoder() -> any Encoder { encoding }
    }
}
