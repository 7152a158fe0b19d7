import SkyScan
import Testing

@Suite struct NodeImageNameTests {
    @Test("a node and an absolute path, with whatever follows it")
    func names() {
        #expect(NodeImageName("alpha:/data/a.fits[2]")?.node == "alpha")
        #expect(NodeImageName("alpha:/data/a.fits[2]")?.path == "/data/a.fits[2]")
        #expect(NodeImageName("a.b-2:/d/*:?.fits")?.path == "/d/*:?.fits")
    }

    @Test(
        "other names are those of files here",
        arguments: [
            "a.fits", "/data/a:/b.fits", "a:b.fits", ":/a.fits", "http://host/a.fits", "./a:/b.fits", "",
        ])
    func others(text: String) { #expect(NodeImageName(text) == nil) }
}
