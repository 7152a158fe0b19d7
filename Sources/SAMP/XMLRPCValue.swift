internal import ScanBasics

/// A value of XML-RPC, of the types that SAMP has.
package enum XMLRPCValue: Equatable, Sendable {
    case text(String)
    case list([XMLRPCValue])
    case map([String: XMLRPCValue])

    package var text: String? { if case .text(let text) = self { text } else { nil } }

    package var list: [XMLRPCValue]? { if case .list(let list) = self { list } else { nil } }

    /// The value of a key of a map.
    package subscript(_ key: String) -> XMLRPCValue? { if case .map(let map) = self { map[key] } else { nil } }

    /// The element `value`.
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

    /// The document of a call.
    package static func call(_ method: String, _ parameters: [XMLRPCValue]) -> String {
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<methodCall><methodName>\(escaped(method))</methodName><params>"
            + parameters.map { "<param>\($0.xml)</param>" }.joined() + "</params></methodCall>\n"
    }

    /// A reader of XML replaces a bare carriage return.
    private static func escaped(_ text: String) -> String { text.escapedForXML(["\r": "&#13;"]) }
}
