import Foundation
import ScanSecurity
import Testing

import ScanFarm

@Suite("Changes of the key", .timeLimit(.minutes(10)))
final class KeyChangesTests {
    let store: KeyStore
    private let folder = NSTemporaryDirectory() + "skyfarm-keys-\(UUID().uuidString)"

    init() throws {
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        store = KeyStore(path: folder + "/cluster.key")
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    #if os(Linux)
        @Test("arrive at once, without waiting for the next look at the files, and whole")
        func atOnce() async throws {
            let ring = try store.ring()
            var changes = store.changes(of: ring, every: .seconds(3600)).makeAsyncIterator()
            for keepsOld in [false, true] {
                let expiry = keepsOld ? Date.now.addingTimeInterval(3600) : nil
                let new = try store.replace(with: try .random(), keepingOldUntil: expiry, at: .now)
                let seen = await changes.next()
                #expect(seen?.current == new.current && seen?.retired.count == (keepsOld ? 1 : 0))
            }
        }
    #endif

    @Test("arrive by the next look at the files where the folder cannot be watched")
    func polled() async throws {
        let ring = try store.ring()
        // The watch is on a folder that is replaced.
        var changes = store.changes(of: ring, every: .milliseconds(5)).makeAsyncIterator()
        try FileManager.default.moveItem(atPath: folder, toPath: folder + "-old")
        defer { try? FileManager.default.removeItem(atPath: folder + "-old") }
        let other = KeyStore(path: folder + "-old/cluster.key")
        let new = try other.replace(with: try .random(), keepingOldUntil: nil, at: .now)
        try FileManager.default.moveItem(atPath: folder + "-old", toPath: folder)
        #expect(await changes.next()?.current == new.current)
    }
}
