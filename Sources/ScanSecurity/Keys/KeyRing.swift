public import Foundation

/// The keys that a machine accepts: the current one, and for a stated time those it replaced.
///
/// During a rotation machines change their keys one after the other; until the old one expires, each still works with
/// those that have not changed yet.
public struct KeyRing: Sendable, Equatable {
    /// A key that was replaced.
    public struct Retired: Sendable, Equatable {
        /// The key.
        public var key: ClusterKey
        /// It is accepted before this moment.
        public var expiry: Date

        /// A replaced key.
        public init(key: ClusterKey, expiry: Date) {
            self.key = key
            self.expiry = expiry
        }
    }

    /// The key that this machine offers.
    public let current: ClusterKey
    /// Replaced keys, the latest first.
    public let retired: [Retired]

    /// A ring; retired keys equal to the current one or to an earlier retired one are left out.
    public init(current: ClusterKey, retired: [Retired] = []) {
        self.current = current
        self.retired = retired.reduce(into: []) { kept, entry in
            if entry.key != current, !kept.contains(where: { $0.key == entry.key }) { kept.append(entry) }
        }
    }

    /// The keys accepted at `time`, the current one first.
    public func keys(at time: Date) -> [ClusterKey] {
        [current] + retired.filter { time < $0.expiry }.map(\.key)
    }

    /// The keys to offer, in this order, to a node that announces `fingerprints`; all if it announces none of them.
    public func keys(for fingerprints: [KeyFingerprint], at time: Date) -> [ClusterKey] {
        let all = keys(at: time)
        let announced = all.filter { fingerprints.contains($0.fingerprint) }
        return announced.isEmpty ? all : announced
    }

    /// The ring after `key` has become the current one; the replaced key is accepted before `expiry`, or no longer if
    /// that is nil, and then neither is any key replaced before. Keys that have expired at `time` are dropped.
    public func replacing(with key: ClusterKey, keepingOldUntil expiry: Date?, at time: Date) -> KeyRing {
        guard let expiry else { return KeyRing(current: key) }
        let kept = retired.filter { time < $0.expiry }
        return KeyRing(current: key, retired: [Retired(key: current, expiry: expiry)] + kept)
    }
}
