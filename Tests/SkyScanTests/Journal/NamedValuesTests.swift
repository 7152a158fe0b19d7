import SkyExtraction
import Testing

import SkyScan

@Suite struct NamedValuesTests {
    @Test("each property has a name in words, and its value as a user would write it")
    func names() throws {
        var parameters = ScanParameters()
        parameters.threshold = 3
        parameters.apertureRadius = 2.25
        parameters.measurements = MeasurementRequest()
        let values = try NamedValues(of: parameters).byName
        #expect(values["threshold"] == "3" && values["aperture radius"] == "2.25" && values["mesh width"] == "64")
        #expect(values["returns pixels"] == "false" && values["noise"] == "global" && values["clean"] == "1")
        #expect(values["background level"] == nil)
        // The identities of jobs whose journals exist depend on these texts.
        #expect(values["kernel values"] == "1 2 1 2 4 2 1 2 1" && values["kernel width"] == "3")
        parameters.kernel = try ConvolutionKernel(parsing: "CONV NORM\n0.5 1 0.1\n")
        #expect(try NamedValues(of: parameters).byName["kernel values"] == "0.5 1 0.10000000149011612")
        for object in ["kernel ", "measurements "] { #expect(values.keys.contains { $0.hasPrefix(object) }) }
    }

    @Test("values of an array come one after the other, those of arrays of objects under each name")
    func arrays() throws {
        struct Part: Codable { var size: Int, names: [String?] }
        let value = ["many parts": [Part(size: 1, names: ["a", nil]), Part(size: 2, names: ["b"])]]
        #expect(try NamedValues(of: value).byName == ["many parts size": "1 2", "many parts names": "a none b"])
    }

    @Test("a number that is not finite is refused, as it cannot be compared")
    func notFinite() {
        var parameters = ScanParameters()
        parameters.threshold = .nan
        #expect(throws: EncodingError.self) { try NamedValues(of: parameters) }
    }

    @Test("every change of a parameter changes a value")
    func changes() throws {
        let standard = try NamedValues(of: ScanParameters()).byName
        var kernel = ScanParameters()
        kernel.kernel = try ConvolutionKernel(parsing: "CONV NORM\n1 2 1\n2 5 2\n1 2 1\n")
        var clean = ScanParameters()
        clean.clean = nil
        var level = ScanParameters()
        level.backgroundLevel = 0
        for changed in [kernel, clean, level] { #expect(try NamedValues(of: changed).byName != standard) }
    }
}
