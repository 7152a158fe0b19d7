import Testing

import ScanBasics

@Suite struct AbsolutePathTests {
    @Test(
        "the folder of a path has no last component",
        arguments: [
            ("/a/b", "/a"), ("/a/b/", "/a"), ("/a//b", "/a"), ("/a", "/"), ("/", "/"), ("a", ""), ("a/b/c", "a/b"),
            ("", ""), ("/a/\u{301}b", "/a"), ("a/\u{301}b", "a"), ("/\u{301}b", "/"),
        ])
    func folder(path: String, folder: String) { #expect(AbsolutePath.folder(of: path) == folder) }
}
