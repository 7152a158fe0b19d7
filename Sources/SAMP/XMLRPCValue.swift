internal import ScanBasics

/// An XML-RPC value, restricted to the types of SAMP.
package enum XMLRPCValue: Equatable, Sendable {
    case text(String)
    case list([XMLRPCValue])
    case map([String: XMLRPCValue])

    package var text: String? { if case .text(let text) = self { text } else { nil } }

    package var list: [XMLRPCValue]? { if case .list(let list) = self { list } else { nil } }

    /// Returns the value of a key of a map.
    package subscript(_ key: String) -> XMLRPCValue? { if case .map(let map) = self { map[key] } else { nil } }

    /// The XML element `value`.
    package var xml: String {
        switch self {
        case .text(let text): "<value><string>\(Self.escaped(text))</string></value>"
        case .list(let list): "<value><array><data>\(list.map(\.xml).joined())</data></array></value>"
        case .map(let map):
            "<value><struct>"
                + map.sorted { $0.key < $1.key }.map { key, value in
                    "<member><name>\(Self.escaped(key))</name>\(value.xml)</member>"
                }.joined() + "</struct></value>"
        }
    }

    /// Returns the XML document of a method call.
    package static func call(_ method: String, _ parameters: [XMLRPCValue]) -> String {
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<methodCall><methodName>\(escaped(method))</methodName><params>"
            + parameters.map { "<param>\($0.xml)</param>" }.joined() + "</params></methodCall>\n"
    }

    /// Escapes text. A bare carriage return needs a reference, because XML parsers replace it.
    private static func escaped(_ text: String) -> String { text.escapedForXML(["\r": "&#13;"]) }
}
