import Foundation
import SkyTestSupport
import Testing

import ScanBasics
import SkyFITS

/// A folder with files, and what lies beside it.
@Suite("confined folders") struct ConfinedFoldersTests {
    let scene: TemporaryFolder
    /// Without links: the temporary folder may be behind one.
    let base: String
    let folders: ConfinedFolders

    init() throws {
        scene = try TemporaryFolder()
        let path = try #require(realpath(scene.path, nil))
        defer { free(path) }
        base = String(cString: path)
        for folder in ["in/night/deep", "in/.skyfarm/jobs", "out"] {
            try FileManager.default.createDirectory(atPath: "\(base)/\(folder)", withIntermediateDirectories: true)
        }
        for file in ["in/a.fits", "in/night/b.fits", "in/night/deep/c.fits", "in/.skyfarm/jobs/d.fits", "out/e.fits"] {
            _ = try scene.write(Array("text".utf8), file)
        }
        for (name, target) in [("in/link.fits", "../out/e.fits"), ("in/linked", "../out"), ("alias", "in")] {
            try FileManager.default.createSymbolicLink(atPath: "\(base)/\(name)", withDestinationPath: target)
        }
        #expect(mkfifo("\(base)/in/pipe.fits", 0o600) == 0)
        folders = try ConfinedFolders(["\(base)/alias"])
    }

    @Test("a path is below them by its components, with each name of the folder")
    func places() throws {
        for path in ["\(base)/in/a.fits", "\(base)/alias/a.fits", "\(base)//in/./a.fits"] {
            let place = try #require(folders.place(path), "\(path)")
            #expect(place.path == "\(base)/in/a.fits" && place.rest == "a.fits" && place.lastName == "a.fits")
        }
        for path in [
            "a.fits", "\(base)/in/../out/e.fits", "\(base)/in/night/../a.fits", "\(base)/inn/a.fits",
            "\(base)/out/e.fits",
            "\(base)/in/.skyfarm/jobs/d.fits", "\(base)/in/night/.SKYFARM/x", "/", "", "\(base)/in/\0",
            "\(base)/in/" + String(repeating: "x/", count: 3000),
        ] {
            #expect(folders.place(path) == nil, "\(path)")
        }
    }

    @Test("a relative path names a place below each folder, and none above or in what Skyfarm keeps there")
    func relative() throws {
        let folders = try ConfinedFolders(["\(base)/in", "\(base)/out"])
        #expect(
            folders.places(below: "night//./b.fits").map(\.path) == [
                "\(base)/in/night/b.fits", "\(base)/out/night/b.fits",
            ])
        for path in [
            "../out/e.fits", "night/../../out/e.fits", ".skyfarm/jobs/d.fits", ".Skyfarm-incoming/1.part", "", "a\0",
        ] {
            #expect(folders.places(below: path).isEmpty, "\(path)")
        }
        #expect(folders.place("\(base)/in/.skyfarm-incoming/1.part") == nil)
    }

    @Test("regular files are opened, and nothing else; no link is followed, and a pipe blocks nobody")
    func opening() throws {
        let file = try #require(folders.place("\(base)/in/night/deep/c.fits")).open()
        #expect(try file.bytes(at: 1, count: 100) == Array("ext".utf8))
        for name in ["link.fits", "linked/e.fits", "linked", "pipe.fits", "night", "none.fits", "a.fits/x"] {
            let place = try #require(folders.place("\(base)/in/\(name)"))
            #expect(throws: ConfinedPath.Refusal.self, "\(name)") { try place.open() }
        }
        #expect(throws: ConfinedPath.Refusal.self) { try #require(folders.place("\(base)/in/linked")).openFolder() }
    }

    @Test("a folder for a new file is made below them, not where a link leads")
    func parents() throws {
        _ = try #require(folders.place("\(base)/in/new/er/x.csv")).openParent(isMade: true)
        #expect(FileManager.default.fileExists(atPath: "\(base)/in/new/er"))
        #expect(throws: ConfinedPath.Refusal.self) {
            try #require(folders.place("\(base)/in/linked/new/x.csv")).openParent(isMade: true)
        }
        #expect(!FileManager.default.fileExists(atPath: "\(base)/out/new"))
    }

    @Test("a pattern finds the files below them, by the name that it gives the folder, and looks nowhere else")
    func patterns() throws {
        func found(_ pattern: String, limit: Int = 1000) -> [String] {
            var search = ConfinedSearch(limit: limit)
            return folders.paths(matching: pattern, &search).map { String($0.dropFirst(base.count)) }
        }
        #expect(found("\(base)/in/*.fits") == ["/in/a.fits"])
        #expect(found("\(base)/alias/*/*.fits") == ["/alias/night/b.fits"])
        #expect(found("\(base)/*/[n]*/deep/?.fits") == ["/alias/night/deep/c.fits", "/in/night/deep/c.fits"])
        #expect(found("\(base)/in/**/?.fits") == ["/in/a.fits", "/in/night/b.fits", "/in/night/deep/c.fits"])
        #expect(found("/**/deep/*") == ["/alias/night/deep/c.fits", "/in/night/deep/c.fits"])
        #expect(found("\(base)/in/**/out/*") == [] && found("/**/../*") == [])
        #expect(found("/**/a" + String(repeating: "/**/a", count: 20)) == [])
        for pattern in [
            "\(base)/out/*", "\(base)/in/../out/*", "\(base)/in/linked/*", "/*/*", "/proc/*", "*.fits",
            "\(base)/in/.s*/*/*",
        ] {
            #expect(found(pattern) == [], "\(pattern)")
        }
        var search = ConfinedSearch(limit: 3)
        #expect(folders.paths(matching: "\(base)/in/*/*", &search).isEmpty || search.isExhausted)
        #expect(search.isExhausted)
        var cancelled = ConfinedSearch { true }
        _ = folders.paths(matching: "\(base)/in/*", &cancelled)
        #expect(cancelled.isExhausted)
    }

    @Test(
        "a folder that cannot be read is named, and the files of the others are found",
        .enabled(if: Unprivileged.isPossible, "root may read everything"))
    func unreadable() throws {
        let (deep, files) = ("\(base)/in/night/deep", ["\(base)/in/a.fits", "\(base)/in/night/b.fits"])
        let readable = ReadableFiles(below: folders)
        chmod(deep, 0)
        defer { chmod(deep, 0o755) }
        let found = try Unprivileged.run { try readable.paths(matching: "\(base)/in/**/?.fits") }
        #expect(found.paths == files && found.unreadable == [deep])
        let tree = try Unprivileged.run { try readable.files(below: "\(base)/in") }
        #expect(tree.paths == files && tree.unreadable == [deep])
        #expect(tree.folders == ["\(base)/in", "\(base)/in/night"])
        #expect(throws: ImageError.self) { try Unprivileged.run { try readable.names(in: deep) } }
    }

    @Test("a confined file is written into the folder that was opened, whatever its name leads to by then")
    func writing() throws {
        let path = "\(base)/in/night/x.csv"
        let place = try #require(folders.place(path))
        let file = try AtomicFile(path: path, at: place, overwrite: false)
        // Somebody who may write there puts a link in the folder's place.
        try FileManager.default.moveItem(atPath: "\(base)/in/night", toPath: "\(base)/in/moved")
        try FileManager.default.createSymbolicLink(atPath: "\(base)/in/night", withDestinationPath: "../out")
        try file.write(Array("rows".utf8))
        try file.commit()
        #expect(try String(contentsOfFile: "\(base)/in/moved/x.csv", encoding: .utf8) == "rows")
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(base)/out") == ["e.fits"])
        #expect(throws: OutputError.self) { try AtomicFile(path: path, at: place, overwrite: false) }
        for name in ["link.fits", "pipe.fits"] {
            let place = try #require(folders.place("\(base)/in/\(name)"))
            #expect(throws: OutputError.self, "\(name)") { try AtomicFile(path: name, at: place, overwrite: true) }
        }
    }

    @Test("a file that a library creates by name is in a folder that only this user can enter until it has its own")
    func lending() throws {
        let path = "\(base)/in/check.fits"
        let file = try AtomicFile(path: path, at: nil, overwrite: false, hasName: true)
        guard case .name(let name) = try file.lend() else {
            Issue.record("the library need not create a file")
            return
        }
        var status = stat()
        #expect(
            stat((name as NSString).deletingLastPathComponent + "/.", &status) == 0 && status.st_mode & 0o777 == 0o700)
        #expect(access(name, F_OK) != 0)
        try Data("samples".utf8).write(to: URL(fileURLWithPath: name))
        try file.takeBack()
        try file.commit()
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "samples")
        let left = try FileManager.default.contentsOfDirectory(atPath: "\(base)/in").filter { $0.hasSuffix(".part") }
        #expect(left == [])
    }
}
