public import ScanBasics

/// A service to announce.
public struct ServiceAdvertisement: Hashable, Sendable {
    /// Name of the instance, 1 to 63 bytes of UTF-8.
    public var name: String
    /// TCP port in host byte order.
    public var port: UInt16
    /// Announced facts, readable by everyone on the network.
    public var txt: TXTRecord

    /// Creates an announcement without validating it.
    public init(name: String, port: UInt16, txt: TXTRecord) {
        self.name = name
        self.port = port
        self.txt = txt
    }

    /// Maximum length of an instance name in bytes (RFC 6763, section 4.1.1).
    public static let maximumNameLength = 63

    /// Returns a name that no other node has: `name`, truncated if necessary, and eight digits of the identity.
    ///
    /// Otherwise one of two equal names would be renamed, which takes seconds and does not always work.
    public static func instanceName(_ name: String, of id: SystemID) -> String {
        let suffix = "-" + id.description.prefix(8)
        var kept = ""
        for character in name {
            if kept.utf8.count + character.utf8.count + suffix.utf8.count > maximumNameLength { break }
            kept.append(character)
        }
        return kept + suffix
    }

    /// Returns the name of the node that an instance announces: the name of the instance without the digits of the
    /// identity, which are those of `id` if it is known. A daemon may have renamed the instance, as to `alpha-1f0c2d3e #2`.
    public static func nodeName(ofInstance instance: String, of id: SystemID? = nil) -> String {
        let digits = id.map { String($0.description.prefix(8)) }
        let match = instance.wholeMatch(of: /(.+)-([0-9a-f]{8})(?: #[0-9]+| \([0-9]+\))?/)
        guard let match, digits == nil || String(match.2) == digits else { return instance.printable }
        return String(match.1).printable
    }

    /// Rejects an announcement that a daemon would accept but other machines could not resolve.
    /// - Throws: ``DiscoveryError`` with code `invalid`.
    package func validate() throws(DiscoveryError) {
        guard (1...Self.maximumNameLength).contains(name.utf8.count), !name.utf8.contains(0) else {
            throw DiscoveryError(
                .invalid,
                "the name to announce has \(name.utf8.count) bytes; choose one of 1 to \(Self.maximumNameLength)")
        }
        guard port != 0 else { throw DiscoveryError(.invalid, "port 0 cannot be announced") }
        _ = try txt.encoded()
    }
}
