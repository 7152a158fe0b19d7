import ScanBasics
import Testing

@Suite("patterns of files") struct ShellPatternTests {
    @Test(
        "Security.md: a name that a node sends is used only if it matches the pattern that was asked",
        arguments: [
            ("/data/*/a*.fits", "/data/n1/ab.fits", true), ("/data/a.fits", "/data/a.fits", true),
            ("/data/a[1].fits", "/data/a[1].fits", true), ("/data/./a.fits", "/data/a.fits", true),
            ("/data/*.fits", "/data/n1/ab.fits", false), ("/data/*/a.fits", "/data/../a.fits", false),
            ("/data/*", "/data/.ssh", false), ("/data/*", "/data/..", false), ("/data/*", "/data/.", false),
            ("/data/*", "/home/a", false), ("/data/a.fits", "/data/b.fits", false), ("/data/*", "data/a", false),
            ("/data/*", "/data//a", false), ("/data/*", "/data/a/", false), ("/*/*", "/../..", false),
        ])
    func names(pattern: String, name: String, isRight: Bool) {
        #expect(ShellPattern.matches(path: name, pattern: pattern) == isRight)
    }
}
