internal import CExpat

/// A parser of XML-RPC responses.
///
/// Expat reports elements and text. A document type declaration, which could define entities, is refused.
package struct XMLRPCReader {
    /// A value whose end tag has not been read.
    private enum Open {
        case value(XMLRPCValue?)
        case list([XMLRPCValue])
        case map([String: XMLRPCValue], name: String)
    }

    private static let depth = 64
    private var open: [Open] = []
    private var text = ""
    private var result: XMLRPCValue?
    private var isFault = false
    private var isMalformed = false

    /// Returns the value of a response.
    /// - Throws: ``SAMPError``: `refused` with the server's message if the response is a fault, `malformed` if it is
    ///   invalid.
    package static func value(of document: [UInt8]) throws(SAMPError) -> XMLRPCValue {
        guard let parser = XML_ParserCreate(nil) else { throw SAMPError(.malformed, "no memory for a reader of XML") }
        defer { XML_ParserFree(parser) }
        var reader = XMLRPCReader()
        let status = withUnsafeMutablePointer(to: &reader) { pointer in
            XML_SetUserData(parser, pointer)
            XML_SetElementHandler(
                parser, { context, name, _ in Self.from(context)?.pointee.begin(Self.string(name)) },
                { context, name in Self.from(context)?.pointee.end(Self.string(name)) })
            XML_SetCharacterDataHandler(parser) { context, start, count in
                let bytes = UnsafeRawBufferPointer(start: start, count: Int(count))
                Self.from(context)?.pointee.text += String(decoding: bytes, as: UTF8.self)
            }
            XML_SetStartDoctypeDeclHandler(parser) { context, _, _, _, _ in
                Self.from(context)?.pointee.isMalformed = true
            }
            return document.withUnsafeBytes { bytes in
                XML_Parse(parser, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count), 1)
            }
        }
        guard status == XML_STATUS_OK, !reader.isMalformed, let result = reader.result else {
            throw SAMPError(.malformed, "the answer is not one of XML-RPC")
        }
        if reader.isFault {
            throw SAMPError(.refused, result["faultString"]?.text ?? "a fault without a reason")
        }
        return result
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<XMLRPCReader>? {
        context?.assumingMemoryBound(to: XMLRPCReader.self)
    }

    private static func string(_ name: UnsafePointer<CChar>?) -> String { name.map { String(cString: $0) } ?? "" }

    private mutating func begin(_ element: String) {
        switch element {
        case "value": open.append(.value(nil))
        case "array": open.append(.list([]))
        case "struct": open.append(.map([:], name: ""))
        case "fault": isFault = true
        default: break
        }
        text = ""
        if open.count > Self.depth { isMalformed = true }
    }

    private mutating func end(_ element: String) {
        switch element {
        case "name":
            if case .map(let members, _)? = open.last { open[open.count - 1] = .map(members, name: text) }
        case "array", "struct":
            switch open.popLast() {
            case .list(let list): set(.list(list))
            case .map(let map, _): set(.map(map))
            case .value, nil: isMalformed = true
            }
        case "value":
            guard case .value(let value)? = open.popLast() else { return isMalformed = true }
            // A value without a type is a string.
            add(value ?? .text(text))
        case "methodResponse", "params", "param", "fault", "member", "data": break
        default: set(.text(text))
        }
    }

    /// Sets the content of the open value.
    private mutating func set(_ content: XMLRPCValue) {
        guard case .value(nil)? = open.last else { return isMalformed = true }
        open[open.count - 1] = .value(content)
    }

    /// Adds a complete value to the enclosing list or map, or makes it the result. The collection is moved out of the
    /// array, so that it is not copied for each of its elements.
    private mutating func add(_ value: XMLRPCValue) {
        switch open.popLast() {
        case .list(var list):
            list.append(value)
            open.append(.list(list))
        case .map(var members, let name):
            members[name] = value
            open.append(.map(members, name: ""))
        case .value: isMalformed = true
        case nil: result = value
        }
    }
}
