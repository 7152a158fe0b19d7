public import Foundation

/// The keys that a machine accepts: the current one and, until they expire, the keys it replaced.
///
/// During a rotation the machines replace their keys one after the other. Until the old key expires, machines with the
/// old and the new key accept each other.
public struct KeyRing: Sendable, Equatable {
    /// A replaced key with its time of expiry.
    public struct Retired: Sendable, Equatable {
        /// The key that was replaced.
        public var key: ClusterKey
        /// The key is accepted before this time.
        public var expiry: Date

        /// Creates an entry for a key that is accepted before `expiry`.
        public init(key: ClusterKey, expiry: Date) {
            self.key = key
            self.expiry = expiry
        }
    }

    /// The key that this machine offers first.
    public let current: ClusterKey
    /// Replaced keys, the most recent first.
    public let retired: [Retired]

    /// Creates a ring. Retired keys equal to the current key or to an earlier element are dropped.
    public init(current: ClusterKey, retired: [Retired] = []) {
        self.current = current
        self.retired = retired.reduce(into: []) { kept, entry in
            if entry.key != current, !kept.contains(where: { $0.key == entry.key }) { kept.append(entry) }
        }
    }

    /// Returns the keys accepted at `time`, the current one first.
    public func keys(at time: Date) -> [ClusterKey] {
        [current] + retired.filter { time < $0.expiry }.map(\.key)
    }

    /// Returns the keys to offer, in this order, to a node that announces `fingerprints`: those it announces, or all
    /// keys if it announces none of them.
    public func keys(for fingerprints: [KeyFingerprint], at time: Date) -> [ClusterKey] {
        let all = keys(at: time)
        let announced = all.filter { fingerprints.contains($0.fingerprint) }
        return announced.isEmpty ? all : announced
    }

    /// Returns the ring with `key` as the current key. The replaced key is accepted before `expiry`; if `expiry` is
    /// nil, all replaced keys are dropped. Keys that have expired at `time` are dropped.
    public func replacing(with key: ClusterKey, keepingOldUntil expiry: Date?, at time: Date) -> KeyRing {
        guard let expiry else { return KeyRing(current: key) }
        let kept = retired.filter { time < $0.expiry }
        return KeyRing(current: key, retired: [Retired(key: current, expiry: expiry)] + kept)
    }
}
