/// The form of values that `_values.py` defines, as far as this program makes and reads it: those without arrays. Pure.
package enum PythonValue {
    private static let magic = Array("SKYVAL1\n".utf8)
    private static let alignment = 64

    /// The form of a value that is this JSON.
    package static func form(json: [UInt8]) -> [UInt8] {
        let arrays = Array("[]".utf8)
        var bytes = magic
        for count in [json.count, arrays.count] {
            withUnsafeBytes(of: UInt64(count).littleEndian) { bytes += $0 }
        }
        bytes += json + arrays
        bytes += [UInt8](repeating: 0, count: (alignment - bytes.count % alignment) % alignment)
        return bytes
    }

    /// The reason for which a value cannot be written as JSON in a line; nil if it can.
    package static func problem(of form: [UInt8]) -> String? {
        guard let (text, hasArrays) = json(of: form), PythonText.isValue(text) else { return "the result is malformed" }
        return hasArrays ? "the result has arrays: call the function by skyfarm.map of the Python package" : nil
    }

    /// The JSON of a value, with null in the place of each array, and whether there are arrays. The JSON is not checked.
    /// - Returns: nil if the bytes do not have the form.
    package static func json(of form: [UInt8]) -> (text: ArraySlice<UInt8>, hasArrays: Bool)? {
        let start = magic.count + 16
        guard form.count >= start, form.starts(with: magic) else { return nil }
        func number(at offset: Int) -> UInt64 {
            form[offset..<offset + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
        let (first, second) = (number(at: magic.count), number(at: magic.count + 8))
        guard first <= form.count - start, second <= form.count - start - Int(first) else { return nil }
        let end = start + Int(first)
        return (form[start..<end], !form[end..<end + Int(second)].elementsEqual("[]".utf8))
    }
}
