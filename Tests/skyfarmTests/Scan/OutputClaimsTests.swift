import CommandLineKit
import SkyFITS
import Testing

import ImageScanning

@Suite("names of outputs that depend on the image")
struct OutputClaimsTests {
    private func plan(_ names: [String], _ files: [InputList.File]) throws -> OutputPlan {
        try OutputPlan(names, files: files, overwrite: true)
    }

    private let first = InputList.File(path: "n/a.fits")
    private let second = InputList.File(path: "n/a_b.fits")
    private let images = [("SCI", 1), ("SCI", 2), ("b_SCI", 3)].map { name, number in
        ImageExtension(number: number, name: name)
    }

    @Test("two images of a file, or of two files, with one name are an error; the same image may come again")
    func clashes() throws {
        let plan = try plan(["{stem}_{extname}.fits"], [first, second])
        let claims = OutputClaims()
        try claims.claim([images[0], images[2]], of: first, [plan])
        try claims.claim([images[0], images[2]], of: first, [plan])
        #expect(throws: UsageError.self) { try claims.claim([images[1]], of: first, [plan]) }
        // a.fits has taken a_b_SCI.fits.
        #expect(throws: UsageError.self) { try claims.claim([images[0]], of: second, [plan]) }
        try claims.claim([images[2]], of: second, [plan])
    }

    @Test("names are compared as absolute paths, and across all outputs")
    func paths() throws {
        let plans = [try plan(["out/{stem}{extname}.fits"], [first]), try plan(["./out/aSCI.fits"], [second])]
        let other = try plan(["./out/{stem}{extname}.fits"], [first])
        let claims = OutputClaims()
        try claims.claim([images[0]], of: first, plans)
        #expect(throws: UsageError.self) { try claims.claim([images[1]], of: first, [other]) }
    }

    @Test("a name for all images of a file is of no image; regions have a file each")
    func whole() throws {
        let claims = OutputClaims()
        try claims.claim(images, of: first, [plan(["cats/{stem}.fits", "{stem}.reg"], [first])])
        #expect(
            try plan(["{stem}.reg"], [first]).namesPerImage(images, of: first).map(\.0) == [
                "a.1.reg", "a.2.reg", "a.3.reg",
            ])
        #expect(try plan(["{stem}.fits"], [first]).namesPerImage(images, of: first).isEmpty)
    }
}
