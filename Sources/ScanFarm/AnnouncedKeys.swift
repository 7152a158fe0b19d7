package import Foundation
package import ScanDiscovery
package import ScanSecurity

extension KeyRing {
    /// The fingerprints of the keys that are accepted at `time`, as a node announces them: joined by `+`.
    package func announcement(at time: Date) -> String {
        // As many as fit into the 64 characters of the announcement.
        keys(at: time).prefix(5).map(\.fingerprint.description).joined(separator: "+")
    }
}

extension NodeAdvertisement {
    /// The fingerprints of the keys that the node claims to accept; invalid ones are left out.
    package var keys: [KeyFingerprint] {
        (keyFingerprint ?? "").split(separator: "+").compactMap { KeyFingerprint($0) }
    }
}
