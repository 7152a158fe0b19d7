/// How a process computes. The engine compares fingerprints and does not know what they are made of.
public struct Arithmetic: Codable, Equatable, Sendable {
    /// Equal in processes whose scans of equal tasks give equal outputs, to the last bit.
    public var fingerprint: String
    /// What its scans use, for users: names, each with a version or a checksum, separated by commas.
    public var libraries: String

    /// The arithmetic of a process.
    public init(fingerprint: String, libraries: String) {
        (self.fingerprint, self.libraries) = (fingerprint, libraries)
    }

    /// Fit for a user, as it comes from a peer.
    var printable: Arithmetic {
        Arithmetic(
            fingerprint: String(fingerprint.printable.prefix(64)), libraries: String(libraries.printable.prefix(96)))
    }
}

extension NodeInfo {
    /// Why a coordinator of that arithmetic and this software refuses the node: its outputs could differ, or it does
    /// not report how it computes. Nil if it computes alike.
    package func difference(from own: Arithmetic, software: String = Skyfarm.version) -> ConnectError? {
        if arithmetic?.fingerprint == own.fingerprint { return nil }
        let cure = "install the same skyfarm and libraries on both, or use the node with --allow-different-nodes"
        guard let arithmetic else {
            return ConnectError(
                .differentArithmetic,
                "does not report its arithmetic, which may differ (skyfarm \(self.software) there, \(software) on the "
                    + "coordinator): \(cure)")
        }
        let mine = own.libraries.split(separator: ", ")
        let others = arithmetic.libraries.split(separator: ", ").filter { !mine.contains($0) }
        let names = others.compactMap { $0.split(separator: " ").first }.joined(separator: ", ")
        return ConnectError(
            .differentArithmetic,
            "computes differently\(names.isEmpty ? "" : " (\(names))"): its arithmetic is \(arithmetic.fingerprint) "
                + "(skyfarm \(self.software), \(arithmetic.libraries)), the coordinator's \(own.fingerprint) (skyfarm "
                + "\(software), \(own.libraries)): \(cure)")
    }
}
