import Foundation
import ScanBasics
import SkyFITS
import Testing

import ImageScanning

@Suite("folder of pages") struct PageFolderTests {
    @Test("pages are named after stem and HDU, and never alike")
    func names() {
        var names = PageNames()
        #expect(names.name("a/m.fits.fz", hdu: 1) == "m.1" && names.name("a/m.fits.fz", hdu: 2) == "m.2")
        #expect(names.name("b/m.fits", hdu: 1) == "m~2.1" && names.name("b/M.fit", hdu: 1) == "M~3.1")
        #expect(names.name("a/m.fits.fz", hdu: 1) == "m.1" && names.name("index.fits", hdu: 0) == "index.0")
        #expect(names.name("m~2.fits", hdu: 1) == "m~2~2.1")
    }

    @Test("of watched folders pages are named after stem and folder, and nothing is kept")
    func watched() {
        var names = PageNames(watching: ["in", "/data/in"])
        #expect(names.name("in/m.fits.fz", hdu: 1) == "m.1" && names.name("/data/in/m.fits", hdu: 1) == "m~2.1")
        #expect(names.name("in/m.fits", hdu: 2) == "m.2")
    }

    @Test("pages of folders below watched ones are never alike")
    func below() {
        var names = PageNames(watching: (1...12).map { "w\($0)" })
        let paths =
            ["w1/2/m.fits", "w2/m.fits", "w1/m~c.fits", "w1/c/m.fits", "w1/m~2.fits", "w1/m~1c.fits", "w2/0/m.fits"]
            + ["w10/m.fits", "w9/10/m.fits", "w11/m.fits", "w1/1/m.fits", "w1/c/d/m.fits", "w1/c~1d/m.fits"]
        #expect(Set(paths.map { names.name($0, hdu: 0) }).count == paths.count)
    }

    @Test("pages are replaced only with --overwrite")
    func existing() throws {
        let scene = try Scene()
        let path = scene.path("out/pages")
        let folder = try PageFolder(path, overwrite: false)
        try folder.write("a.0", page: Array("page".utf8), thumbnail: [1])
        try folder.write(index: Array("index".utf8))
        #expect(try scene.bytes("out/pages/a.0.html") == Data("page".utf8))
        #expect(try scene.bytes("out/pages/thumbnails/a.0.png") == Data([1]))
        #expect { _ = try PageFolder(path, overwrite: false) } throws: {
            ($0 as? OutputError)?.code == .exists && "\($0)".contains("a.0.html: exists already")
        }
        _ = try PageFolder(path, overwrite: true)
    }
}
