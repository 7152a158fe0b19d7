import CommandLineKit
import Foundation
import ScanCluster
import ScanNetwork
import Testing

import ImageJobs
import NodeDaemon

@Suite("the store of a node", .timeLimit(.minutes(10))) struct FileStoreTests {
    let scene: Scene
    let store: FileStore

    init() throws {
        scene = try Scene()
        store = try FileStore(scene.path("out"), limit: 64 << 20, clock: EventLoop.shared) { _ in }
    }

    private static let bytes = Array("SIMPLE  = T and what follows".utf8)

    private static func file(_ path: String, _ bytes: [UInt8] = bytes, modified: Int = 1_600_000_000_123_456_789)
        -> StoredFile
    {
        StoredFile(path: path, byteCount: bytes.count, modified: modified)
    }

    private func answer(_ request: StoreRequest) async -> StoreReply { await store.answer(request, of: Self.desk) }
    private static let desk = NodeServer.Peer(address: "10.0.0.1:5000", name: "desk")

    private func begin(_ file: StoredFile, digest: [UInt8]? = nil) async -> StoreReply {
        var request = StoreRequest(.begin)
        (request.file, request.digest) = (file, digest)
        return await answer(request)
    }

    private func piece(_ upload: UInt64, _ bytes: [UInt8], at offset: Int = 0) async -> StoreReply {
        var request = StoreRequest(.piece, of: upload)
        (request.bytes, request.offset) = (bytes, offset)
        return await answer(request)
    }

    private static func digest(_ bytes: [UInt8]) throws -> [UInt8] {
        try ContentDigest.whole([ContentDigest.piece(bytes)])
    }

    /// Sends a file of one piece.
    private func send(_ file: StoredFile, _ bytes: [UInt8]) async throws -> StoreReply {
        let reply = try await begin(file, digest: Self.digest(bytes))
        guard let upload = reply.upload else { return reply }
        let sent = await piece(upload, bytes)
        if sent.error != nil { return sent }
        var commit = StoreRequest(.commit, of: upload)
        commit.digest = try Self.digest(bytes)
        return await answer(commit)
    }

    /// All regular files below the store's folder.
    private var kept: [String] {
        let all = FileManager.default.enumerator(atPath: scene.path("out"))?.allObjects as? [String] ?? []
        return all.filter { $0.contains(".fits") || $0.hasSuffix(".part") }.sorted()
    }

    @Test("has a file with its time of change under its name, once all has arrived")
    func keeps() async throws {
        let file = Self.file("night/a.fits")
        let upload = try #require(await begin(file).upload)
        #expect(kept.allSatisfy { $0.hasSuffix(".part") } && kept.count == 1)
        #expect(await piece(upload, Self.bytes).error == nil && kept.count == 1)
        var commit = StoreRequest(.commit, of: upload)
        commit.digest = try Self.digest(Self.bytes)
        #expect(await answer(commit).state == .kept)
        #expect(kept == ["night/a.fits"])
        #expect(try [UInt8](scene.bytes("out/night/a.fits")) == Self.bytes)
        #expect(InputStamp(scene.path("out/night/a.fits"))?.modified == file.modified)
        var look = StoreRequest(.look)
        look.files = [Self.file("night/b.fits"), file, Self.file("../a.fits"), Self.file("night/a.fits", modified: 5)]
        let found = await answer(look)
        #expect(found.has == [1] && (found.room ?? 0) > 0)
    }

    @Test(
        "Security.md: a store keeps nothing if bytes are missing, changed or none of a FITS file, or if the sender gives up"
    )
    func incomplete() async throws {
        let file = Self.file("night/a.fits")
        for wrong in [nil, try Self.digest([1])] {
            let upload = try #require(await begin(file).upload)
            if wrong != nil { #expect(await piece(upload, Self.bytes).error == nil) }
            var commit = StoreRequest(.commit, of: upload)
            commit.digest = try wrong ?? Self.digest(Self.bytes)
            #expect(await answer(commit).error != nil && kept.isEmpty)
            #expect(await piece(upload, Self.bytes).error != nil)
        }
        let text = Array("#!/bin/sh\nrm -rf /\n".utf8)
        #expect(try await send(Self.file("a.fits", text), text).error?.contains("is no FITS file") == true)
        let upload = try #require(await begin(file).upload)
        _ = await answer(StoreRequest(.abandon, of: upload))
        #expect(kept.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: scene.path("out/night")))
    }

    @Test("Security.md: a store replaces no file, and needs none that it has")
    func existing() async throws {
        let file = Self.file("night/a.fits")
        #expect(try await send(file, Self.bytes).state == .kept)
        #expect(await begin(file).state == .unsure)
        #expect(try await begin(file, digest: Self.digest(Self.bytes)).state == .present)
        // The same bytes with another time of change: by that nodes find the file.
        let touched = Self.file("night/a.fits", modified: 1_700_000_000_000_000_001)
        #expect(try await begin(touched, digest: Self.digest(Self.bytes)).state == .present)
        #expect(InputStamp(scene.path("out/night/a.fits"))?.modified == touched.modified)
        // Others of another and of the same size.
        for other in [Array("SIMPLE  = F, other bytes".utf8), Array("SIMPLE  = F and what follows".utf8)] {
            #expect(try await send(Self.file("night/a.fits", other), other).state == .different)
            #expect(try [UInt8](scene.bytes("out/night/a.fits")) == Self.bytes && kept == ["night/a.fits"])
        }
    }

    @Test("keeps no part of a file whose sender has gone, and others go on")
    func gone() async throws {
        let upload = try #require(await begin(Self.file("night/a.fits")).upload)
        #expect(await piece(upload, Self.bytes).error == nil)
        store.ended(NodeServer.Peer(address: "10.0.0.1:5001", name: "desk"))
        #expect(await answer(StoreRequest(.look)).error == nil && kept.count == 1)
        store.ended(Self.desk)
        #expect(await answer(StoreRequest(.look)).error == nil && kept.isEmpty)
        #expect(await piece(upload, Self.bytes).error != nil)
    }

    @Test("Security.md: a store does not replace a file that appears while another one is sent")
    func appears() async throws {
        let upload = try #require(await begin(Self.file("night/a.fits")).upload)
        #expect(await piece(upload, Self.bytes).error == nil)
        try FileManager.default.createDirectory(atPath: scene.path("out/night"), withIntermediateDirectories: true)
        _ = try scene.write([1, 2], "out/night/a.fits")
        var commit = StoreRequest(.commit, of: upload)
        commit.digest = try Self.digest(Self.bytes)
        #expect(await answer(commit).state == .different)
        #expect(try [UInt8](scene.bytes("out/night/a.fits")) == [1, 2])
    }

    @Test("Security.md: a store follows no link, and no name leads out of its folder")
    func outside() async throws {
        let elsewhere = scene.path("elsewhere")
        try FileManager.default.createDirectory(atPath: elsewhere, withIntermediateDirectories: true)
        _ = try scene.write(Self.bytes, "elsewhere/own.fits")
        try FileManager.default.createSymbolicLink(atPath: scene.path("out/link"), withDestinationPath: elsewhere)
        try FileManager.default.createSymbolicLink(
            atPath: scene.path("out/own.fits"), withDestinationPath: elsewhere + "/own.fits")
        try FileManager.default.createSymbolicLink(
            atPath: scene.path("out/new.fits"), withDestinationPath: elsewhere + "/new.fits")
        let other = Array("SIMPLE  = F".utf8)
        for path in [
            "link/a.fits", "link/own.fits", "own.fits", "new.fits", "../elsewhere/a.fits", elsewhere + "/a.fits",
            "link/../../elsewhere/a.fits", ".skyfarm-incoming/a.fits",
        ] {
            let reply = try await send(Self.file(path, other), other)
            #expect(reply.error != nil && reply.state == nil, "\(path)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: elsewhere) == ["own.fits"])
        #expect(try [UInt8](scene.bytes("elsewhere/own.fits")) == Self.bytes)
    }

    @Test("Security.md: a store takes no more than its limit")
    func limit() async throws {
        var file = Self.file("a.fits")
        file.byteCount = 65 << 20
        #expect(await begin(file).error?.contains("the store is full") == true)
        file.byteCount = 40 << 20
        #expect(await begin(file).upload != nil)
        file.path = "b.fits"
        #expect(await begin(file).error?.contains("the store is full") == true)
        // More bytes than were announced.
        let small = try #require(await begin(Self.file("c.fits")).upload)
        #expect(await piece(small, Self.bytes + [0]).error != nil)
        #expect(await piece(small, Self.bytes).error != nil, "what has failed is dropped")
    }

    @Test("what an earlier process has left of a file is removed; two nodes share no store")
    func leftovers() throws {
        #expect(throws: CommandError.self) { try StoreFolder(scene.path("out")) }
        let folder = scene.path("second")
        try FileManager.default.createDirectory(
            atPath: folder + "/.skyfarm-incoming", withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        let left = try scene.write([1], "second/.skyfarm-incoming/1f.part")
        _ = try StoreFolder(folder)
        #expect(!FileManager.default.fileExists(atPath: left))
        #expect(throws: CommandError.self) { try StoreFolder(scene.path("none")) }
    }
}
