public import Foundation
public import ScanBasics

/// The key files of one user on one machine: the current key and, in `*.old` beside it, the keys it replaced.
///
/// ``ring()`` returns the accepted keys and creates the first one; ``replace(with:keepingOldUntil:at:)`` rotates the
/// key. ``KeyRing`` holds the rules of rotation, and `SecretFile` reads and writes the files. Files that do not belong
/// to the user, or that others can read or replace, are refused.
public struct KeyStore: Sendable {
    /// Path of the current key.
    public let path: String

    /// Creates a store whose current key is at `path`. Reads no file.
    public init(path: String) { self.path = path }

    /// Returns the store of the user who runs this process.
    /// - Throws: the errors of ``defaultPath(environment:)``.
    public static func user() throws(KeyError) -> KeyStore {
        KeyStore(path: try defaultPath(environment: ProcessInfo.processInfo.environment))
    }

    /// Returns the default path of a user's key: `$XDG_CONFIG_HOME/skyfarm/cluster.key`, or
    /// `~/.config/skyfarm/cluster.key`.
    /// - Throws: ``KeyErrorCode/unusable`` if `environment` has neither a configuration folder nor a home directory.
    public static func defaultPath(environment: [String: String]) throws(KeyError) -> String {
        guard let folder = UserFolder.configuration.path(environment) else {
            throw KeyError(.unusable, "no folder for the cluster key: set HOME or XDG_CONFIG_HOME")
        }
        return folder + "/cluster.key"
    }

    /// Path of the file with the replaced keys.
    public var retiredPath: String { path + ".old" }

    /// Returns the keys accepted on this machine, and generates the current key if there is none. If several processes
    /// start at once, one of them generates the key and all read the same one.
    /// - Throws: ``KeyError`` if a file cannot be used, or if others can read or replace it.
    public func ring() throws(KeyError) -> KeyRing {
        guard let key = try currentKey() else { return KeyRing(current: try create(), retired: try retiredKeys()) }
        return KeyRing(current: key, retired: try retiredKeys())
    }

    /// Returns the keys accepted on this machine without generating one.
    /// - Throws: ``KeyErrorCode/missing`` if there is no key; otherwise the errors of ``ring()``.
    public func existingRing() throws(KeyError) -> KeyRing {
        guard let key = try currentKey() else {
            throw KeyError(
                .missing, "there is no cluster key at \(path): make one with 'skyfarm key new' or copy your cluster's")
        }
        return KeyRing(current: key, retired: try retiredKeys())
    }

    /// Makes `key` the current key. The replaced key is accepted before `expiry`; if `expiry` is nil, all replaced keys
    /// are deleted.
    /// - Throws: ``KeyError`` if a file cannot be read or written; the current key is then unchanged.
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
        // Deleting the old keys must work even if they cannot be read.
        let old = KeyRing(current: current, retired: expiry == nil ? [] : try retiredKeys())
        let ring = old.replacing(with: key, keepingOldUntil: expiry, at: time)
        try write(ring)
        return ring
    }

    /// Writes the old keys first: a crash in between leaves the current key in both files, which is harmless.
    private func write(_ ring: KeyRing) throws(KeyError) {
        try SecretFile.makeFolder(of: path)
        if ring.retired.isEmpty {
            try SecretFile.remove(retiredPath)
        } else {
            try SecretFile.write(ring.retiredText(), to: retiredPath, replacing: true)
        }
        try SecretFile.write(ring.current.fileText, to: path, replacing: true)
    }

    private func currentKey() throws(KeyError) -> ClusterKey? {
        guard let text = try SecretFile.read(path) else { return nil }
        return try parse(path) { () throws(KeyError) in try ClusterKey.read(text) }
    }

    private func retiredKeys() throws(KeyError) -> [KeyRing.Retired] {
        guard let text = try SecretFile.read(retiredPath) else { return [] }
        return try parse(retiredPath) { () throws(KeyError) in try KeyRing.retired(text) }
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
        if try SecretFile.write(key.fileText, to: path, replacing: false) { return key }
        // Another process created the key first.
        guard let key = try currentKey() else {
            throw KeyError(.unusable, "\(path) was removed while it was created: try again")
        }
        return key
    }
}
