import Foundation
import Testing

import ScanBasics

@Suite("A tree of folders") struct FolderTreeTests {
    private final class Folder {
        let path = NSTemporaryDirectory() + "skyfarm-tree-\(UUID().uuidString)"

        init(_ files: [String]) throws {
            for file in files {
                let name = "\(path)/\(file)"
                let folder = (name as NSString).deletingLastPathComponent
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
                try Data().write(to: URL(filePath: name))
            }
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }

        func link(_ name: String, to target: String) { symlink(target, "\(path)/\(name)") }

        func below(_ paths: [String]) -> [String] { paths.map { String($0.dropFirst(path.count + 1)) } }
    }

    @Test("has folders and files in the order of their bytes, without hidden ones")
    func order() throws {
        let folder = try Folder([
            "b/x.fits", "a-1/y.fits", "a/z.fits", "a/B.fits", "é/e.fits", ".hidden/h.fits", "a/.h.fits",
        ])
        let tree = FolderTree(below: folder.path)
        #expect(folder.below(tree.files) == ["a-1/y.fits", "a/B.fits", "a/z.fits", "b/x.fits", "é/e.fits"])
        #expect(
            folder.below(Array(tree.folders.dropFirst())) == ["a", "a-1", "b", "é"] && tree.folders[0] == folder.path)
        #expect(tree.unreadable.isEmpty)
        #expect(FolderTree(below: folder.path + "/none").unreadable == [folder.path + "/none"])
    }

    @Test("ends at links in a circle, and has each folder once: under its own name, else under that of the first link")
    func links() throws {
        let folder = try Folder(["in/a/x.fits", "in/b/y.fits", "out/z.fits", "out/deep/w.fits"])
        for (name, target) in [
            ("in/a/up", ".."), ("in/a/self", "."), ("in/a/other", "../b"), ("in/b/other", "../a"),
            ("in/away", "../out"),
            ("in/again", "../out/deep"), ("out/back", "../in"), ("in/lost", "nowhere"), ("in/loop", "loop"),
        ] {
            folder.link(name, to: target)
        }
        folder.link("in/file.fits", to: "a/x.fits")
        let tree = FolderTree(below: folder.path + "/in")
        #expect(
            folder.below(tree.files) == [
                "in/a/x.fits", "in/again/w.fits", "in/away/z.fits", "in/b/y.fits", "in/file.fits",
            ])
        // A link to the folder itself is the folder.
        folder.link("entry", to: "in")
        #expect(folder.below(FolderTree(below: folder.path + "/entry").files).first == "entry/a/x.fits")
    }

    @Test("names folders that cannot be read")
    func unreadable() throws {
        let folder = try Folder(["a/x.fits", "b/y.fits"])
        chmod(folder.path + "/a", 0)
        defer { chmod(folder.path + "/a", 0o700) }
        let tree = FolderTree(below: folder.path)
        // The superuser reads all folders.
        let files = geteuid() == 0 ? ["a/x.fits", "b/y.fits"] : ["b/y.fits"]
        #expect(folder.below(tree.files) == files)
        #expect(folder.below(tree.unreadable) == (geteuid() == 0 ? [] : ["a"]))
    }

    @Test(
        "patterns with ** match any folders, also none, but no hidden ones",
        arguments: [
            ("/n/**/x.fits", "/n/x.fits", true), ("/n/**/x.fits", "/n/a/b/x.fits", true),
            ("/n/**/x.fits", "/n/a/.b/x.fits", false), ("/n/**/x.fits", "/n/ax.fits", false),
            ("/n/**", "/n/a/b", true), ("/n/**", "/n", false), ("/**/a/**/*.fits", "/b/a/c/d.fits", true),
            ("/**/a/**/*.fits", "/b/c/d.fits", false), ("/n/*/x.fits", "/n/a/b/x.fits", false),
            ("/n/**/../x", "/n/../x", false), ("/n/**.fits", "/n/a.fits", true), ("/n/**.fits", "/n/a/b.fits", false),
        ])
    func matching(pattern: String, path: String, matches: Bool) {
        #expect(ShellPattern.matches(path: path, pattern: pattern) == matches)
    }

    @Test("a pattern of many ** is refused, and one of many folders is matched at once")
    func hostile() {
        #expect(ShellPattern.components(of: String(repeating: "/**/a", count: 9)) == nil)
        #expect(ShellPattern.components(of: "/**/**/**/a") == ["**", "a"])
        let names = Array(repeating: "a", count: 2000)
        #expect(!ShellPattern.matches(names, ["**", "a", "**", "a", "**", "a", "**", "b"]))
    }

    @Test("a search finds the paths as the pattern begins, relative ones too")
    func search() throws {
        let folder = try Folder(["n/x.fits", "n/a/x.fits", "n/a/b/y.fits", "m/x.fits"])
        func found(_ pattern: String) -> [String] {
            folder.below(ShellPattern.paths(matching: "\(folder.path)/\(pattern)"))
        }
        #expect(found("n/**/x.fits") == ["n/a/x.fits", "n/x.fits"])
        #expect(found("*/**/[xy].fits") == ["m/x.fits", "n/a/b/y.fits", "n/a/x.fits", "n/x.fits"])
        #expect(found("n/**/b/**") == ["n/a/b/y.fits"] && found("none/**/x.fits").isEmpty)
        #expect(found("n/*.fits") == ["n/x.fits"])
    }
}
