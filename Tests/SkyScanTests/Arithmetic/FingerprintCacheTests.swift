import Foundation
import Testing

import SkyScan

@Suite("Fingerprints that earlier processes have computed", .timeLimit(.minutes(10)))
struct FingerprintCacheTests {
    /// A cache in a new folder, and how often a fingerprint was computed.
    private final class Scene {
        let base = FileManager.default.temporaryDirectory.appending(path: "fingerprints-\(UUID().uuidString)")
        var computed = 0
        var cache: FingerprintCache { FingerprintCache(environment: ["XDG_CACHE_HOME": base.path]) }
        var path: String { base.path + "/skyfarm/arithmetic" }

        deinit { try? FileManager.default.removeItem(at: base) }

        func value(of key: UInt64?, _ value: UInt64) -> UInt64 {
            let values = cache.values(of: key) {
                computed += 1
                return [value, ~value]
            }
            #expect(values == [value, ~value] || values.last == ~values[0])
            return values[0]
        }
    }

    @Test("are computed once per key")
    func once() {
        let scene = Scene()
        for _ in 0..<3 {
            #expect(scene.value(of: 1, 0xabc) == 0xabc)
            #expect(scene.value(of: 2, .max) == .max)
        }
        #expect(scene.computed == 2)
        // Without a key, or a folder, nothing is kept.
        for _ in 0..<2 { #expect(scene.value(of: nil, 5) == 5) }
        #expect(scene.computed == 4)
        #expect(FingerprintCache(environment: [:]).values(of: 1) { [7] } == [7])
    }

    @Test("are kept for sixteen programs, the oldest is dropped")
    func many() {
        let scene = Scene()
        for key: UInt64 in 0..<20 { #expect(scene.value(of: key, key + 100) == key + 100) }
        #expect(scene.computed == 20)
        for key: UInt64 in 4..<20 { #expect(scene.value(of: key, 0) == key + 100) }
        #expect(scene.computed == 20)
        #expect(scene.value(of: 0, 100) == 100)
        #expect(scene.computed == 21)
    }

    @Test("do not count if their line is damaged, or if others may change the file")
    func damaged() throws {
        let scene = Scene()
        #expect(scene.value(of: 1, 0xabc) == 0xabc)
        var text = try String(contentsOfFile: scene.path, encoding: .utf8)
        text = text.replacing("abc", with: "abd")
        try Data((text + "zz\n1 2\n\n").utf8).write(to: URL(filePath: scene.path))
        #expect(scene.value(of: 1, 0xabc) == 0xabc)
        #expect(scene.computed == 2)
        try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: scene.path)
        #expect(scene.value(of: 1, 3) == 3)
        #expect(scene.computed == 3)
    }

    @Test("are computed where the folder cannot be made")
    func unwritable() {
        let cache = FingerprintCache(environment: ["XDG_CACHE_HOME": "/dev/null"])
        #expect(cache.values(of: 1) { [7] } == [7])
    }

    #if os(Linux)
        @Test("have a key that identifies program and processor")
        func key() {
            let own = FingerprintCache.key()
            #expect(own != nil && own == FingerprintCache.key())
            setenv("GLIBC_TUNABLES", "glibc.cpu.hwcaps=-FMA", 1)
            defer { unsetenv("GLIBC_TUNABLES") }
            #expect(FingerprintCache.key() != own)
        }
    #endif
}
