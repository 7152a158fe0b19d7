import Foundation
import ScanSecurity
import Testing

@Suite("A key store", .timeLimit(.minutes(10)))
struct KeyStoreTests: ~Copyable {
    let folder: String
    let store: KeyStore
    let now = Date(timeIntervalSince1970: 1_800_000_000)

    init() throws {
        var template = Array((NSTemporaryDirectory() + "skyfarm-keys.XXXXXX").utf8CString)
        let made = try #require(mkdtemp(&template))
        folder = String(cString: made)
        store = KeyStore(path: folder + "/config/skyfarm/cluster.key")
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func mode(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.posixPermissions] as? Int)
    }

    private func entries() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder + "/config/skyfarm").sorted()
    }

    @Test("generates a key on first use that only its owner can read, and reads it afterwards")
    func creates() throws {
        let key = try store.ring().current
        #expect(try mode(store.path) == 0o600)
        #expect(try mode(folder + "/config/skyfarm") == 0o700)
        #expect(try mode(folder + "/config") == 0o700)
        #expect(try store.ring() == KeyRing(current: key))
        #expect(try store.existingRing().current == key)
        #expect(try entries() == ["cluster.key"])
        let text = try String(contentsOfFile: store.path, encoding: .utf8)
        #expect(text == key.exportText() + "\n")
    }

    @Test("gives the same key to all processes that start at once", arguments: 0..<20)
    func createsOnce(round: Int) async throws {
        let store = store
        let threads = 16
        let keys = await withTaskGroup(of: ClusterKey?.self) { group in
            for _ in 0..<threads {
                group.addTask {
                    await withCheckedContinuation { continuation in
                        Thread.detachNewThread { continuation.resume(returning: try? store.ring().current) }
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let winner = try #require(keys.first ?? nil)
        #expect(keys.count == threads && keys.allSatisfy { $0 == winner })
        #expect(try entries() == ["cluster.key"])
    }

    @Test("reports a missing key where it must not generate one")
    func missing() throws {
        let error = #expect(throws: KeyError.self) { try store.existingRing() }
        #expect(error?.code == .missing)
        #expect(!FileManager.default.fileExists(atPath: folder + "/config"))
    }

    @Test(
        "refuses a key that others can use, naming the command that helps",
        arguments: [0o604, 0o640, 0o660, 0o602, 0o601])
    func exposed(mode: Int) throws {
        let text = try store.ring().current.exportText()
        for path in [store.path, store.retiredPath] {
            if path == store.retiredPath {
                chmod(store.path, 0o600)
                try "\(text) 2030-01-01T00:00:00Z\n".write(toFile: path, atomically: false, encoding: .utf8)
            }
            chmod(path, mode_t(mode))
            let error = #expect(throws: KeyError.self) { try store.ring() }
            #expect(error?.code == .exposed)
            #expect(error?.message.contains("chmod 600 \(path)") == true)
        }
    }

    @Test("refuses a folder in which others can replace the key")
    func exposedFolder() throws {
        _ = try store.ring()
        chmod(folder + "/config/skyfarm", 0o770)
        let error = #expect(throws: KeyError.self) { try store.ring() }
        #expect(error?.code == .exposed)
        #expect(error?.message.contains("chmod go-w \(folder)/config/skyfarm") == true)
        chmod(folder + "/config/skyfarm", 0o755)
        _ = try store.ring()
    }

    @Test("refuses a key of another user", .enabled(if: geteuid() == 0, "needs root to change a file's owner"))
    func foreign() throws {
        _ = try store.ring()
        try #require(chown(store.path, 65534, 65534) == 0)
        let error = #expect(throws: KeyError.self) { try store.ring() }
        #expect(error?.code == .foreign)
    }

    @Test("lets root use the key of another user", .enabled(if: geteuid() == 0, "needs root"))
    func owner() throws {
        let place = folder + "/config/skyfarm"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        try #require(chown(place, 65534, 65534) == 0 && chmod(place, 0o700) == 0)
        let key = try store.ring().current
        try store.replace(with: .random(), keepingOldUntil: now, at: now - 1)
        for path in [store.path, store.retiredPath] {
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(attributes[.ownerAccountID] as? Int == 65534 && attributes[.groupOwnerAccountID] as? Int == 65534)
            #expect(try mode(path) == 0o600)
        }
        #expect(try store.existingRing().retired.map(\.key) == [key])
        try #require(chown(store.path, 1, 1) == 0)
        let error = #expect(throws: KeyError.self) { try store.ring() }
        #expect(error?.code == .foreign)
    }

    @Test(
        "refuses a file that is cut, empty, long or no key, and does not overwrite it",
        arguments: [0, 1, 50, 88, 100_000])
    func malformed(count: Int) throws {
        let text = try store.ring().current.exportText()
        let broken = String((text + String(repeating: "x", count: 100_000)).prefix(count))
        try broken.write(toFile: store.path, atomically: false, encoding: .utf8)
        chmod(store.path, 0o600)
        let error = #expect(throws: KeyError.self) { try store.ring() }
        #expect(error?.code == .malformed)
        #expect(error?.message.contains(store.path) == true)
        #expect(error?.message.contains(text.suffix(64).prefix(10)) == false)
        #expect(throws: KeyError.self) { try store.replace(with: .random(), keepingOldUntil: now, at: now) }
        #expect(try String(contentsOfFile: store.path, encoding: .utf8) == broken)
    }

    @Test("refuses anything but a regular file without blocking", arguments: ["FIFO", "folder", "device"])
    func noFile(kind: String) throws {
        _ = try store.ring()
        unlink(store.path)
        switch kind {
        case "FIFO": mkfifo(store.path, 0o600)
        case "folder": mkdir(store.path, 0o700)
        default: symlink("/dev/null", store.path)
        }
        let error = #expect(throws: KeyError.self) { try store.ring() }
        #expect(error?.code == .unusable)
    }

    @Test("rotates: the old key is accepted until it expires, across restarts")
    func rotates() throws {
        let old = try store.ring().current
        let new = try ClusterKey.random()
        let ring = try store.replace(with: new, keepingOldUntil: now + 3600, at: now)
        #expect(try store.ring() == ring)
        #expect(ring.keys(at: now) == [new, old])
        #expect(ring.keys(at: now + 3600) == [new])
        #expect(try mode(store.retiredPath) == 0o600)
        #expect(try entries() == ["cluster.key", "cluster.key.old"])
        let newest = try ClusterKey.random()
        #expect(
            try store.replace(with: newest, keepingOldUntil: now + 7200, at: now + 60).keys(at: now + 60)
                == [newest, new, old])
    }

    @Test("deletes all old keys if none is to be kept, also unreadable ones")
    func forgets() throws {
        _ = try store.ring()
        try store.replace(with: .random(), keepingOldUntil: now + 3600, at: now)
        try "broken".write(toFile: store.retiredPath, atomically: false, encoding: .utf8)
        #expect(throws: KeyError.self) { try store.ring() }
        let key = try ClusterKey.random()
        try store.replace(with: key, keepingOldUntil: nil, at: now)
        #expect(try store.ring() == KeyRing(current: key))
        #expect(try entries() == ["cluster.key"])
    }

    @Test("stores a key where there was none, and changes nothing if it is current")
    func imports() throws {
        let key = try ClusterKey.random()
        #expect(try store.replace(with: key, keepingOldUntil: now + 60, at: now) == KeyRing(current: key))
        #expect(try store.replace(with: key, keepingOldUntil: now + 60, at: now) == KeyRing(current: key))
        #expect(try entries() == ["cluster.key"])
    }

    @Test("changes its revision with every change of the files, and only then")
    func revision() throws {
        let none = store.revision
        _ = try store.ring()
        let made = store.revision
        _ = try store.ring()
        #expect(made == store.revision)
        try store.replace(with: .random(), keepingOldUntil: now + 60, at: now)
        let rotated = store.revision
        try store.replace(with: .random(), keepingOldUntil: nil, at: now)
        #expect(Set([none, made, rotated, store.revision]).count == 4)
    }

    @Test(
        "refuses old keys with a broken line",
        arguments: ["x", "KEY", "KEY yesterday", "KEY 2030-01-01T00:00:00Z more"])
    func brokenRetired(line: String) throws {
        let key = try store.ring().current
        let text = line.replacingOccurrences(of: "KEY", with: key.exportText())
        try text.write(toFile: store.retiredPath, atomically: false, encoding: .utf8)
        chmod(store.retiredPath, 0o600)
        let error = #expect(throws: KeyError.self) { try store.ring() }
        #expect(error?.code == .malformed)
    }

    @Test("reports why a key cannot be written")
    func unwritable() throws {
        let error = #expect(throws: KeyError.self) { try KeyStore(path: "/proc/skyfarm/cluster.key").ring() }
        #expect(error?.code == .unusable)
        #expect(error?.message.contains("/proc") == true)
    }

    @Test("is in the folder of the XDG specification")
    func defaultPath() throws {
        #expect(
            try KeyStore.defaultPath(environment: ["XDG_CONFIG_HOME": "/c", "HOME": "/h"]) == "/c/skyfarm/cluster.key")
        #expect(try KeyStore.defaultPath(environment: ["HOME": "/h"]) == "/h/.config/skyfarm/cluster.key")
        #expect(
            try KeyStore.defaultPath(environment: ["XDG_CONFIG_HOME": "c", "HOME": "/h"])
                == "/h/.config/skyfarm/cluster.key")
        for environment in [[:], ["HOME": ""], ["XDG_CONFIG_HOME": ""]] {
            let error = #expect(throws: KeyError.self) { try KeyStore.defaultPath(environment: environment) }
            #expect(error?.code == .unusable)
        }
    }
}
