/// A message that is being encoded: its bytes, its table of keys, and the containers that are still open.
struct EncodedMessage: ~Copyable {
    private struct OpenContainer {
        var lengthOffset: Int
        var serial: Int
    }

    private var writer = ByteWriter()
    private var keys: [String] = []
    private var keyIndices: [String: Int] = [:]
    private var open: [OpenContainer] = []
    private var nextSerial = 0
    private var failure: WireError?
    /// Position of a value that a `superEncoder` may still write; -1 if there is none.
    private var promisedValue = -1

    /// Number of bytes so far.
    var count: Int { writer.count }

    /// Clears everything for the next message.
    mutating func begin() {
        writer.clear()
        keys.removeAll(keepingCapacity: true)
        if !keyIndices.isEmpty { keyIndices.removeAll(keepingCapacity: true) }
        open.removeAll(keepingCapacity: true)
        failure = nil
        promisedValue = -1
        writer.put(WireFormat.version)
        writer.put(0 as UInt32)
    }

    /// Appends the table of keys to the value.
    /// - Returns: the message, valid until the next change.
    /// - Throws: ``WireError`` if the value's coded form is not supported.
    mutating func end() throws -> UnsafeRawBufferPointer {
        if let failure { throw failure }
        let bodyLength = writer.count - WireFormat.headerSize
        guard let length = UInt32(exactly: bodyLength) else { throw WireError("a value of \(bodyLength) bytes") }
        writer.patch(length, at: 1)
        writer.put(varint: UInt64(keys.count))
        for key in keys { writer.put(key) }
        return writer.bytes
    }

    /// The bytes are no longer used: large memory is freed.
    mutating func releaseMemory() { writer.clear() }

    // MARK: Containers

    /// Opens a container inside the one at `level`, which must not have been written to since `position`.
    mutating func beginContainer(_ tag: WireFormat.Tag, level: Int, position: Int?) -> (level: Int, serial: Int) {
        if let position { beginValue(position: position) }
        if open.count >= WireFormat.encodingDepth {
            fail("containers nested more than \(WireFormat.encodingDepth) deep")
        }
        writer.put(tag.rawValue)
        open.append(OpenContainer(lengthOffset: writer.count, serial: nextSerial))
        writer.put(0 as UInt32)
        nextSerial += 1
        return (open.count - 1, nextSerial - 1)
    }

    /// Returns to a container: those opened inside it since are complete.
    mutating func enter(_ level: Int, _ serial: Int) {
        close(above: level)
        if level >= open.count || open[level].serial != serial {
            fail("a container was written to after its end")
        }
    }

    /// Returns to a keyed container for the value of `key`.
    mutating func enter(_ level: Int, _ serial: Int, key: String) {
        enter(level, serial)
        writer.put(varint: UInt64(keyIndex(key)))
    }

    /// Checks that nothing was written after `position`, where a value begins.
    mutating func beginValue(position: Int) {
        if writer.count != position { fail("a value was encoded twice, or too late") }
        promisedValue = -1
    }

    /// The value at `position`, in the container at `level`, is complete.
    mutating func endValue(level: Int, position: Int) {
        close(above: level)
        if writer.count == position {
            // A value that encodes nothing, such as a struct without properties.
            writer.put(WireFormat.Tag.keyed.rawValue)
            writer.put(0 as UInt32)
        }
    }

    /// Records that a value is still to be written at the present position.
    mutating func promiseValue() -> Int {
        promisedValue = writer.count
        return writer.count
    }

    private mutating func close(above level: Int) {
        if promisedValue == writer.count { writer.put(WireFormat.Tag.null.rawValue) }
        promisedValue = -1
        while open.count > level + 1, let container = open.popLast() {
            let length = writer.count - container.lengthOffset - 4
            guard let length = UInt32(exactly: length) else { return fail("a container of \(length) bytes") }
            writer.patch(length, at: container.lengthOffset)
        }
    }

    private mutating func fail(_ message: String) {
        if failure == nil { failure = WireError(message) }
    }

    private mutating func keyIndex(_ key: String) -> Int {
        // Few keys: comparing short strings is cheaper than hashing one.
        if keys.count <= 16 {
            if let index = keys.firstIndex(of: key) { return index }
        } else {
            if keyIndices.isEmpty {
                for (index, key) in keys.enumerated() { keyIndices[key] = index }
            }
            if let index = keyIndices[key] { return index }
            keyIndices[key] = keys.count
        }
        keys.append(key)
        return keys.count - 1
    }

    // MARK: Values

    mutating func putNil() { writer.put(WireFormat.Tag.null.rawValue) }

    mutating func put(_ value: Bool) { writer.put((value ? WireFormat.Tag.yes : .no).rawValue) }

    mutating func put(signed value: Int64) {
        writer.put(WireFormat.Tag.signed.rawValue)
        writer.put(varint: UInt64(bitPattern: (value << 1) ^ (value >> 63)))
    }

    mutating func put(unsigned value: UInt64) {
        writer.put(WireFormat.Tag.unsigned.rawValue)
        writer.put(varint: value)
    }

    mutating func put(_ value: Float) {
        writer.put(WireFormat.Tag.float.rawValue)
        writer.put(value)
    }

    mutating func put(_ value: Double) {
        writer.put(WireFormat.Tag.double.rawValue)
        writer.put(value)
    }

    mutating func put(_ value: String) {
        writer.put(WireFormat.Tag.string.rawValue)
        writer.put(value)
    }

    /// Puts a value that needs no container: a common scalar, or an array of numbers.
    /// - Returns: false if `value` is something else.
    mutating func putPlain<Value>(_ value: Value) -> Bool {
        if Value.self == Int.self, let value = value as? Int {
            put(signed: Int64(value))
        } else if Value.self == Double.self, let value = value as? Double {
            put(value)
        } else if Value.self == String.self, let value = value as? String {
            put(value)
        } else {
            return putNumbers(value)
        }
        return true
    }

    private mutating func putNumbers<Value>(_ value: Value) -> Bool {
        if Value.self == [UInt8].self { return put(value as? [UInt8], .bytes) }
        if Value.self == [Double].self { return put(value as? [Double], .doubles) }
        if Value.self == [Float].self { return put(value as? [Float], .floats) }
        if Value.self == [Int32].self { return put(value as? [Int32], .int32s) }
        if Value.self == [Int].self { return put(value as? [Int], .int64s) }
        if Value.self == [Int64].self { return put(value as? [Int64], .int64s) }
        if Value.self == [Int16].self { return put(value as? [Int16], .int16s) }
        return false
    }

    private mutating func put<Element: BitwiseCopyable>(_ numbers: [Element]?, _ tag: WireFormat.Tag) -> Bool {
        guard let numbers else { return false }
        writer.put(tag.rawValue)
        numbers.withUnsafeBytes { bytes in
            writer.put(varint: UInt64(bytes.count))
            writer.put(raw: bytes)
        }
        return true
    }
}
