public import Foundation
internal import ScanCluster

/// The key files of one user on one machine: the current key, and beside it, in `*.old`, the keys it replaced.
///
/// The files must belong to the user and be closed to others, or they are refused: a key that others could read or
/// replace protects nothing.
public struct KeyStore: Sendable {
    /// Path of the current key.
    public let path: String

    /// The store whose current key is at `path`.
    public init(path: String) { self.path = path }

    /// The store of the user who runs this process.
    /// - Throws: as ``defaultPath(environment:)``.
    public static func user() throws(KeyError) -> KeyStore {
        KeyStore(path: try defaultPath(environment: ProcessInfo.processInfo.environment))
    }

    /// Where a user's key is by default: `$XDG_CONFIG_HOME/skyfarm/cluster.key`, or the same below `~/.config`.
    /// - Throws: ``KeyError/Code/unusable`` if `environment` names neither that folder nor a home.
    public static func defaultPath(environment: [String: String]) throws(KeyError) -> String {
        guard let folder = UserFolder.configuration.path(environment) else {
            throw KeyError(.unusable, "no place for the cluster key: set HOME or XDG_CONFIG_HOME")
        }
        return folder + "/cluster.key"
    }

    /// Path of the keys that were replaced.
    public var retiredPath: String { path + ".old" }

    /// The keys accepted here; makes the current key if there is none yet. Of several processes that start at once,
    /// one makes it and all get the same.
    /// - Throws: ``KeyError`` if a file cannot be used, or others could read or replace it.
    public func ring() throws(KeyError) -> KeyRing {
        guard let key = try currentKey() else { return KeyRing(current: try create(), retired: try retiredKeys()) }
        return KeyRing(current: key, retired: try retiredKeys())
    }

    /// The keys accepted here.
    /// - Throws: ``KeyError/Code/missing`` if there is no key yet, and as ``ring()``.
    public func existingRing() throws(KeyError) -> KeyRing {
        guard let key = try currentKey() else {
            throw KeyError(
                .missing, "there is no cluster key at \(path): make one with 'skyfarm key new' or copy your cluster's")
        }
        return KeyRing(current: key, retired: try retiredKeys())
    }

    /// Makes `key` the current one. The key it replaces is accepted before `expiry`; if that is nil, it and all that
    /// were replaced earlier are forgotten at once.
    /// - Throws: ``KeyError`` if a file cannot be used or written; then the current key is still the old one.
    @discardableResult
    public func replace(
        with key: ClusterKey, keepingOldUntil expiry: Date?, at time: Date
    ) throws(KeyError) -> KeyRing {
        guard let current = try currentKey() else {
            let ring = KeyRing(current: key, retired: expiry == nil ? [] : try retiredKeys())
            try write(ring)
            return ring
        }
        guard current != key || expiry == nil else { return try existingRing() }
        // Forgetting must work also where the old keys cannot be read.
        let old = KeyRing(current: current, retired: expiry == nil ? [] : try retiredKeys())
        let ring = old.replacing(with: key, keepingOldUntil: expiry, at: time)
        try write(ring)
        return ring
    }

    /// The old keys first: a crash in between leaves the current key in both files, which does no harm.
    private func write(_ ring: KeyRing) throws(KeyError) {
        try SecretFile.makeFolder(of: path)
        if ring.retired.isEmpty {
            try SecretFile.remove(retiredPath)
        } else {
            try SecretFile.write(ring.retiredText(), to: retiredPath, replacing: true)
        }
        try SecretFile.write(ring.current.exportText() + "\n", to: path, replacing: true)
    }

    private func currentKey() throws(KeyError) -> ClusterKey? {
        guard let text = try SecretFile.read(path) else { return nil }
        return try parse(path) { () throws(KeyError) in try ClusterKey(text: text) }
    }

    private func retiredKeys() throws(KeyError) -> [KeyRing.Retired] {
        guard let text = try SecretFile.read(retiredPath) else { return [] }
        return try parse(retiredPath) { () throws(KeyError) in try KeyRing.retired(text: text) }
    }

    private func parse<Value>(_ path: String, _ body: () throws(KeyError) -> Value) throws(KeyError) -> Value {
        do {
            return try body()
        } catch {
            throw KeyError(
                error.code,
                "\(path): \(error.message); or move the file away and import the key with 'skyfarm key import'")
        }
    }

    private func create() throws(KeyError) -> ClusterKey {
        try SecretFile.makeFolder(of: path)
        let key = try ClusterKey.random()
        if try SecretFile.write(key.exportText() + "\n", to: path, replacing: false) { return key }
        // Another process was first.
        guard let key = try currentKey() else {
            throw KeyError(.unusable, "\(path) was removed while it was made: try again")
        }
        return key
    }
}
