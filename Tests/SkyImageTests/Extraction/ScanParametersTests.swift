import Testing

import SkyExtraction
import SkyFITS

@Suite("scan parameters")
struct ScanParametersTests {
    @Test("the defaults are valid")
    func defaults() throws {
        try ScanParameters().validate()
    }

    static let nonsense: [@Sendable (inout ScanParameters) -> Void] = [
        { $0.threshold = 0 }, { $0.threshold = .nan }, { $0.threshold = 1e300 }, { $0.minArea = 0 },
        { $0.deblendLevels = 0 }, { $0.deblendContrast = 1.5 }, { $0.deblendContrast = .nan }, { $0.clean = 0 },
        { $0.clean = -.infinity }, { $0.meshWidth = 0 }, { $0.meshHeight = -4 }, { $0.meshFilterWidth = 0 },
        { $0.meshFilterHeight = 100 }, { $0.apertureRadius = -1 }, { $0.kronFactor = 0 },
        { $0.kronMinimum = -1 }, { $0.kronMinimum = .nan }, { $0.gain = -1 }, { $0.gain = .infinity },
        { $0.apertureRadius = .infinity },
        { $0.filter = .matched },
    ]

    @Test("invalid parameters are refused in one line", arguments: nonsense.indices)
    func refusal(index: Int) {
        var parameters = ScanParameters()
        Self.nonsense[index](&parameters)
        let error = #expect(throws: ScanSetupError.self) { try parameters.validate() }
        #expect(error?.description.contains("\n") == false)
    }

    @Test("whole numbers are allowed up to their limits and refused beyond")
    func limits() throws {
        typealias Limits = ScanParameters.Limits
        let numbers: [(WritableKeyPath<ScanParameters, Int>, ClosedRange<Int>)] = [
            (\.minArea, Limits.minArea), (\.deblendLevels, Limits.deblendLevels), (\.meshWidth, Limits.mesh),
            (\.meshHeight, Limits.mesh), (\.meshFilterWidth, Limits.meshFilter),
            (\.meshFilterHeight, Limits.meshFilter),
        ]
        for (path, range) in numbers {
            for (value, isAllowed) in [
                (range.lowerBound, true), (range.upperBound, true), (range.lowerBound - 1, false),
                (range.upperBound + 1, false),
            ] {
                var parameters = ScanParameters()
                parameters[keyPath: path] = value
                #expect(((try? parameters.validate()) != nil) == isAllowed, "\(path): \(value)")
            }
        }
    }
}
