import Foundation
import ScanBasics
import Testing

@Suite("The absolute name of a file") struct AbsolutePathTests {
    @Test(
        "is that of its URL, whether or not it needs to be made shorter",
        arguments: [
            "/a/b.fits", "a.fits", "a/b.fits", "./a", "../a", "a/../b", "/a//b", "/a/./b", "a/", "/", "~/a", "a/~b",
            "-x",
            "/a/.hidden/b", "a b/ü.fits", "/a/b/",
        ])
    func equal(name: String) {
        #expect(
            AbsolutePath.of(name) == URL(filePath: name, directoryHint: .notDirectory).standardizedFileURL.path)
    }
}
