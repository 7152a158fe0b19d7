import Foundation
import SkyTestSupport
import Testing

import SkyFITS

/// Files below a folder, and everything that is no such file.
@Suite("folders of images")
struct DataFoldersTests {
    let root: TemporaryFolder
    /// Without links: the temporary folder may be behind one.
    let base: String
    let folders: DataFolders

    private static let whole =
        RawFITS() + RawFITS.image(bitpix: 16, axes: [10, 10]) + [UInt8](repeating: 1, count: 200)

    init() throws {
        root = try TemporaryFolder()
        let path = try #require(realpath(root.path, nil))
        defer { free(path) }
        base = String(cString: path)
        for folder in ["data/deep/er", "outside"] {
            try FileManager.default.createDirectory(atPath: "\(base)/\(folder)", withIntermediateDirectories: true)
        }
        for file in ["data/a.fits", "data/deep/er/b.fits", "outside/secret.fits"] {
            _ = try root.write(Self.whole.bytes, file)
        }
        folders = try DataFolders(["\(root.path)/data"])
    }

    private func link(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: "\(base)/data/\(name)", withDestinationPath: target)
    }

    private func expectRefusal(_ path: String, _ words: String = ": ", in folders: DataFolders? = nil) {
        let error = #expect(throws: ImageError.self, "\(path)") {
            try (folders ?? self.folders).image(at: path, hdu: 0)
        }
        #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
        // The name that stands for it while it is open is reported nowhere.
        if !path.hasPrefix("/proc") { #expect(error?.message.contains("/proc/self/fd") == false) }
    }

    @Test("files below them are opened, by the paths that they have")
    func below() throws {
        for path in ["\(base)/data/a.fits", "\(base)/data/deep/er/b.fits"] {
            let image = try folders.image(at: path, hdu: 0)
            #expect(image.width == 10 && image.height == 10)
            let pixels = UnsafeMutableBufferPointer<Float>.allocate(capacity: 100)
            defer { pixels.deallocate() }
            // The name is gone, the file is not.
            try FileManager.default.removeItem(atPath: path)
            try image.read(rows: 0..<10, into: pixels)
            #expect(pixels.allSatisfy { $0 == 257 })
        }
    }

    private func identity(of path: String) throws -> FileIdentity { try #require(folders.identity(at: path)) }

    @Test("a copy is found under the end of its path, the longest end first, if it is the same file")
    func copies() throws {
        let identity = try identity(of: "\(base)/data/deep/er/b.fits")
        for path in ["/home/me/deep/er/b.fits", "/deep/er/b.fits", "\(base)/data/deep/er/b.fits"] {
            #expect(try folders.image(at: path, hdu: 0, identity: identity).width == 10)
            #expect(folders.hasCopy(of: path, size: identity.size, modified: identity.modified))
        }
        // Other files, by path, size, time or header.
        for (path, change) in [
            ("/home/me/er/b.fits", { _ in }), ("/home/deep/er/c.fits", { _ in }),
            ("/home/deep/er/b.fits", { $0.size += 1 }), ("/home/deep/er/b.fits", { $0.modified += 1 }),
            ("/home/deep/er/b.fits", { $0.header ^= 1 }),
        ] as [(String, (inout FileIdentity) -> Void)] {
            var other = identity
            change(&other)
            #expect(throws: ImageError.self, "\(path)") { try folders.image(at: path, hdu: 0, identity: other) }
        }
        #expect(!folders.hasCopy(of: "/deep/er/b.fits", size: identity.size, modified: identity.modified + 1))
    }

    @Test("Security.md: no end of a path leads out of the folders")
    func ends() throws {
        let secret = try DataFolders(["\(root.path)/outside"])
        let identity = try #require(secret.identity(at: "\(base)/outside/secret.fits"))
        try link("link", to: "\(base)/outside")
        for path in [
            "/x/../outside/secret.fits", "/../outside/secret.fits", "\(base)/outside/secret.fits", "/link/secret.fits",
            "/secret.fits", "secret.fits", String(repeating: "/..", count: 40) + "\(base)/outside/secret.fits",
            String(repeating: "/x", count: 3000), "",
        ] {
            #expect(throws: ImageError.self, "\(path)") { try folders.image(at: path, hdu: 0, identity: identity) }
            #expect(!folders.hasCopy(of: path, size: identity.size, modified: identity.modified))
        }
    }

    @Test("a slash at the beginning of a name stands for a folder if there is no such path below one")
    func relative() throws {
        try FileManager.default.createDirectory(atPath: "\(base)/d[a]ta", withIntermediateDirectories: true)
        _ = try root.write(Self.whole.bytes, "d[a]ta/b.fits")
        let folders = try DataFolders(["\(base)/data", "\(base)/d[a]ta"])
        #expect(try folders.resolved("/deep/er/b.fits") == "\(base)/data/deep/er/b.fits")
        #expect(try folders.resolved("/b.fits") == "\(base)/d[a]ta/b.fits")
        #expect(try folders.paths(matching: "/*.fits") == ["/a.fits", "/b.fits"])
        #expect(try folders.paths(matching: "/deep/*/b.f?ts") == ["/deep/er/b.fits"])
        for path in ["/../outside/secret.fits", "/outside/secret.fits", "/etc/passwd", "/../outside/*.fits"] {
            #expect(throws: ImageError.self, "\(path)") { try folders.resolved(path) }
            #expect(throws: ImageError.self, "\(path)") { try folders.paths(matching: path) }
        }
    }

    @Test("paths that lead out, or are none, are refused")
    func paths() {
        for path in [
            "\(base)/outside/secret.fits", "\(base)/data/../outside/secret.fits", "\(base)/data/./a.fits",
            "\(base)/data/deep/../a.fits", "\(base)/data//a.fits", "\(base)/data/a.fits/", "\(base)/data/",
            "\(base)/data", "\(base)/data/a.fits/x", "\(base)/dataa.fits", "data/a.fits", "a.fits", "", "/", "..",
            "/etc/passwd",
            "\(base)/data/a.fits\0", "\(base)/data/none.fits", "\(base)/data/" + String(repeating: "x", count: 300),
            "\(base)/data/" + String(repeating: "x/", count: 3000), "file://\(base)/data/a.fits",
            "\(base)/data/a.fits[0]",
        ] {
            expectRefusal(path)
        }
    }

    @Test("symbolic links are not followed, wherever they lead and whatever part of the path they are")
    func links() throws {
        try link("out.fits", to: "\(base)/outside/secret.fits")
        try link("up.fits", to: "../outside/secret.fits")
        try link("in.fits", to: "a.fits")
        try link("folder", to: "\(base)/outside")
        try link("self", to: "deep")
        for name in ["out.fits", "up.fits", "in.fits", "folder/secret.fits", "self/er/b.fits"] {
            expectRefusal("\(base)/data/\(name)")
        }
        // The folder itself may be named by a link.
        try link("alias", to: "deep")
        let aliased = try DataFolders(["\(base)/data/alias"])
        #expect(try aliased.image(at: "\(base)/data/deep/er/b.fits", hdu: 0).width == 10)
    }

    @Test("a folder that is swapped for a link afterwards leads nowhere else")
    func swapped() throws {
        try FileManager.default.moveItem(atPath: "\(base)/data", toPath: "\(base)/moved")
        try FileManager.default.createSymbolicLink(atPath: "\(base)/data", withDestinationPath: "outside")
        expectRefusal("\(base)/data/secret.fits")
        #expect(try folders.image(at: "\(base)/data/a.fits", hdu: 0).width == 10)
    }

    @Test("pipes, devices, sockets and folders are refused, and not opened")
    func special() throws {
        #expect(mkfifo("\(base)/data/pipe.fits", 0o600) == 0)
        expectRefusal("\(base)/data/pipe.fits", "permission denied")
        expectRefusal("\(base)/data/deep", "permission denied")
        let devices = try DataFolders(["/dev"])
        for name in ["null", "zero", "tty"] { expectRefusal("/dev/\(name)", in: devices) }
        #if os(Linux)
            let watch = inotify_init1(Int32(IN_NONBLOCK))
            defer { close(watch) }
            #expect(inotify_add_watch(watch, "\(base)/data", UInt32(IN_OPEN)) >= 0)
            var events = [UInt8](repeating: 0, count: 4096)
            expectRefusal("\(base)/data/pipe.fits")
            #expect(read(watch, &events, events.count) < 0)
            // That it would have been seen, a file shows.
            _ = try folders.image(at: "\(base)/data/a.fits", hdu: 0)
            #expect(read(watch, &events, events.count) > 0)
        #endif
    }

    @Test("what the system makes up is refused, even where the whole machine is given")
    func system() throws {
        let all = try DataFolders(["/"])
        #expect(try all.image(at: "\(base)/data/a.fits", hdu: 0).width == 10)
        #if os(Linux)
            for path in [
                "/proc/self/environ", "/proc/self/root\(base)/data/a.fits", "/proc/self/fd/0", "/proc/version",
                "/sys/kernel/uevent_seqnum",
            ] {
                expectRefusal(path, in: all)
            }
        #endif
    }

    @Test(
        "a file that this user may not read is refused",
        .enabled(if: Unprivileged.isPossible, "root may read everything"))
    func unreadable() throws {
        #expect(try Unprivileged.run { try folders.image(at: "\(base)/data/a.fits", hdu: 0) }.width == 10)
        chmod("\(base)/data/a.fits", 0)
        Unprivileged.run { expectRefusal("\(base)/data/a.fits", "permission denied") }
    }

    @Test("what is no plain FITS file, or has no such image, is refused in words that name the path")
    func contents() throws {
        let cases: [(String, [UInt8], String)] = [
            ("text.fits", Array("SELECT * FROM users".utf8), "not a FITS file"),
            ("empty.fits", [], "is empty"),
            ("cut.fits", Array(Self.whole.bytes.prefix(2880)), "truncated"),
            ("whole.fits.gz", [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0], "is compressed as a whole"),
        ]
        for (name, bytes, words) in cases {
            _ = try root.write(bytes, "data/\(name)")
            expectRefusal("\(base)/data/\(name)", "\(base)/data/\(name): ")
            expectRefusal("\(base)/data/\(name)", words)
        }
        #expect(throws: ImageError.self) { try folders.image(at: "\(base)/data/a.fits", hdu: 7) }
        #expect(throws: ImageError.self) { try folders.image(at: "\(base)/data/a.fits", hdu: -1) }
        #expect(throws: ImageError.self) { try folders.image(at: "\(base)/data/a.fits", hdu: .max) }
        #expect(throws: ImageError.self) { try folders.image(at: "\(base)/data/a.fits", hdu: .min) }
    }

    @Test("Security.md: what a node says of files outside of its folders does not depend on whether they exist")
    func asked() throws {
        try link("there.fits", to: "../outside/secret.fits")
        try link("none.fits", to: "../outside/none.fits")
        try link("linked", to: "../outside")
        func answer(_ name: String) -> String {
            let path = "\(base)/\(name)"
            let resolved = #expect(throws: ImageError.self) { try folders.resolved(path) }
            let found = #expect(throws: ImageError.self) { try folders.paths(matching: path + "*") }
            return [resolved, found].map { $0?.message.replacing(path, with: "") ?? "" }.joined(separator: "; ")
        }
        for (there, none) in [
            ("outside/secret.fits", "outside/none.fits"), ("data/there.fits", "data/none.fits"),
            ("data/../outside/secret.fits", "data/../outside/none.fits"),
            ("data/linked/secret.fits", "data/linked/none.fits"), ("outside", "nosuch"),
        ] {
            #expect(answer(there) == answer(none), "\(there)")
        }
        #expect(try folders.resolved("\(base)/data/a.fits") == "\(base)/data/a.fits")
        #expect(try folders.paths(matching: "\(base)/data/*.fits") == ["\(base)/data/a.fits"])
    }

    @Test("a folder that is none is named")
    func noFolder() {
        for path in ["\(base)/none", "\(base)/data/a.fits", ""] {
            let error = #expect(throws: ImageError.self) { try DataFolders([path]) }
            #expect(error?.message.hasPrefix("\(path): no folder to read images from: ") == true)
        }
    }
}
