package import Foundation
package import ScanDiscovery
package import ScanSecurity

extension KeyRing {
    /// Returns the fingerprints of the keys that are accepted at `time`, joined by `+`, as a node announces them.
    package func announcement(at time: Date) -> String {
        // Limited to the number of fingerprints that fit into the 64 characters of the announcement.
        keys(at: time).prefix(5).map(\.fingerprint.description).joined(separator: "+")
    }
}

extension NodeAdvertisement {
    /// Fingerprints of the keys that the node claims to accept, without invalid ones.
    package var keys: [KeyFingerprint] {
        (keyFingerprint ?? "").split(separator: "+").compactMap { KeyFingerprint($0) }
    }
}
