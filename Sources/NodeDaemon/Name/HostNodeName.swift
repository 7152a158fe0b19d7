import ScanBasics

/// The names of nodes that were given none: the name of the host, with a suffix if another node has that name. Pure.
package struct HostNodeName: Equatable, Sendable {
    /// The host's name without its domain, restricted to characters that are usual in names of hosts.
    package let host: String
    /// Whether other hosts are likely to have the same name, so that even the first node gets a suffix.
    package let isCommon: Bool

    /// Longest name of a host that is used, in bytes: with all suffixes the name of a DNS-SD instance has at most 63.
    private static let limit = 48
    /// Number of hexadecimal digits of a suffix.
    private static let digits = 4

    package init(hostName: String) {
        let label = hostName.prefix { $0 != "." }
        let kept = label.unicodeScalars.filter { Self.isUsual($0) }.drop { $0 == "-" }.prefix(Self.limit)
        let host = String(String.UnicodeScalarView(kept))
        isCommon = host.isEmpty || host == "localhost"
        self.host = isCommon ? "node" : host
    }

    private static func isUsual(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII
            && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || "-_".unicodeScalars.contains(scalar))
    }

    /// Whether a text is a name that this type makes for the host.
    package func isName(_ text: String) -> Bool {
        if text == host { return !isCommon }
        guard text.hasPrefix(host + "-") else { return false }
        let suffix = text.dropFirst(host.count + 1)
        return suffix.count == Self.digits && suffix.allSatisfy { $0.isASCII && $0.isHexDigit }
    }

    /// Returns the name of the first node of the host: the host's name, unless it is taken or common.
    package func first(taken: Set<String>, using generator: inout some RandomNumberGenerator) -> String {
        isCommon || taken.contains(host) ? further(taken: taken, using: &generator) : host
    }

    /// Returns the name of a further node: the host's name with a random suffix, not one of `taken`.
    package func further(taken: Set<String>, using generator: inout some RandomNumberGenerator) -> String {
        while true {
            let name = "\(host)-\(UInt16.random(in: 0...UInt16.max, using: &generator).hexadecimal)"
            // There are 65,536 names, far more than a folder keeps or a network has.
            if !taken.contains(name) || taken.count > Int(UInt16.max) { return name }
        }
    }
}
