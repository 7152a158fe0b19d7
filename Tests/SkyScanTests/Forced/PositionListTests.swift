import Foundation
import SkyCatalogue
import SkyExtraction
import SkyFITS
import SkyScan
import Testing

@Suite("lists of positions")
struct PositionListTests {
    private let files: SkyFile

    init() throws { files = try SkyFile() }

    private static let header = [
        HeaderEntry("CTYPE1", .text("RA---TAN")), HeaderEntry("CTYPE2", .text("DEC--TAN")),
        HeaderEntry("CRVAL1", .real(150)), HeaderEntry("CRVAL2", .real(2)), HeaderEntry("CRPIX1", .real(50)),
        HeaderEntry("CRPIX2", .real(40)), HeaderEntry("CDELT1", .real(-0.0001)), HeaderEntry("CDELT2", .real(0.0001)),
    ]

    @Test("right ascension and declination count before pixels, and these before pixels from 1, in any case")
    func precedence() throws {
        let list = try PositionList(csv: "# stars\nX,y,DEC,Ra\r\n1,2,3,4\n\n5,6,7,8\n", name: "a.csv")
        #expect(list.frame == .celestial && list.first == [4, 8] && list.second == [3, 7])
        let pixels = try PositionList(csv: "x_image,x,y_image,y\n1,2,3,4\n", name: "a.csv")
        #expect(pixels.frame == .pixels && pixels.first == [2] && pixels.second == [4])
        let fromOne = try PositionList(csv: "name, x_image , y_image\nstar, 1.5 ,3\n", name: "a.csv")
        #expect(fromOne.frame == .imagePixels && fromOne.first == [1.5] && fromOne.second == [3])
        #expect(try pixels.checksum() != fromOne.checksum())
    }

    @Test("jobs of different lists, apertures or limits are different jobs")
    func identity() throws {
        func id(_ change: (inout ForcedRequest) -> Void) throws -> String {
            var (parameters, request) = (ScanParameters(), ForcedRequest())
            request.list = .max
            change(&request)
            parameters.forced = request
            return try JobIdentity(files: ["a.fits"], settings: [:], parameters: parameters, software: "test").id
        }
        let ids = try [id { _ in }, id { $0.list = .max - 1 }, id { $0.apertures = [5, 6] }, id { $0.limit = 5 }]
        #expect(Set(ids).count == 4)
    }

    @Test("a FITS table gives the positions of its columns; a file without them is refused")
    func table() throws {
        func write(_ names: [String]) throws -> String {
            let columns = names.enumerated().map { index, name in
                CatalogueTable.Column(name, description: "", .double([1.25 + Double(index), 7 + Double(index)]))
            }
            let path = files.path("list.fits")
            try CatalogueOutput.write(
                CatalogueTable(columns: columns), to: [CatalogueOutput(path: path, overwrite: true)])
            return path
        }
        let list = try PositionList(path: write(["flux", "ALPHA_J2000", "DELTA_J2000"]))
        #expect(list.frame == .celestial && list.first == [2.25, 8] && list.second == [3.25, 9])
        #expect(throws: ScanSetupError.self) { try PositionList(path: write(["flux", "x"])) }
        #expect(throws: ScanSetupError.self) { try PositionList(path: files.path("none.csv")) }
    }

    @Test("celestial positions are placed by the header, and lead back")
    func placed() throws {
        let plain = try files.image("plain.fits", width: 90, height: 80) { x, y in Float(x + y) }
        let path = try files.image(width: 90, height: 80, header: Self.header) { x, y in Float(x + y) }
        let summary = try ImageReader(image: path).summary
        let list = try PositionList(csv: "ra,dec\n150.0,2.0\n150.001,2.002\n330,-2\n", name: "a.csv")
        let error = #expect(throws: ScanSetupError.self) { try list.placed(in: ImageReader(image: plain).summary) }
        #expect(error?.description.contains("plain.fits") == true)
        let places = try list.placed(in: summary)
        #expect(abs(places.x[0] - 49) < 1e-6 && abs(places.y[0] - 39) < 1e-6)
        // What is behind the projection has no place.
        #expect(places.x[2].isNaN && places.y[2].isNaN)
        let (ra, dec) = try CelestialWCS(header: summary.header).coordinates(x: places.x, y: places.y)
        #expect(abs(ra[1] - 150.001) < 1e-9 && abs(dec[1] - 2.002) < 1e-9)
        let fromOne = try PositionList(csv: "x_image,y_image\n1,2\n", name: "a.csv").placed(in: summary)
        #expect(fromOne == PlacedPositions(x: [0], y: [1]))
    }
}
