import Foundation
import SkyTestSupport
import Testing

import SkyExtraction
import SkyFITS
import SkyMeasurement

@Suite("convolution kernels")
struct ConvolutionKernelTests {
    @Test("a .conv file is read")
    func parsing() throws {
        let kernel = try ConvolutionKernel(
            parsing: "CONV NORM\n# 5x3 of a made-up shape\n 1 2 3 2 1\r\n2\t4.5 6 4 -2\n\n1 2 3 2 1e-1\n")
        #expect(kernel.width == 5 && kernel.height == 3)
        #expect(kernel.values == [1, 2, 3, 2, 1, 2, 4.5, 6, 4, -2, 1, 2, 3, 2, 0.1])
    }

    @Test(
        "files that are no usable kernel are refused in one line",
        arguments: [
            "", "# only a comment", "CONV NORM", "1 2 1\n2 4 2\n1 2 1", "conv norm\n1", "CONV NARM\n1",
            "CONV NORM\n1 2 1\n1 2\n1 2 1", "CONV NORM\n1 x 1", "CONV NORM\nnan", "CONV NORM\n0",
            "CONV NORM\n" + String(repeating: "1 ", count: 33), "CONV NORM\n3e38 3e38 3e38",
        ])
    func refusal(text: String) {
        let error = #expect(throws: ScanSetupError.self) { try ConvolutionKernel(parsing: text) }
        #expect(error?.description.contains("\n") == false)
    }

    // As source-extractor 2.25 filters an image with them.
    @Test(
        "what source-extractor takes besides: commas, comments behind, words after NORM, no NORM",
        arguments: [
            "CONV NORM\n1, 2, 1\n2,4,2\n1 2 1;\n", "CONV NORM 3 3 # shape\n1 2 1 # a\n2 4 2\n\n1 2 1\n",
            "CONV\n1 2 1\n2 4 2\n1 2 1",
        ])
    func variants(text: String) throws { #expect(try ConvolutionKernel(parsing: text) == .standard) }

    @Test("an even kernel has its centre behind the middle: zeros follow")
    func even() throws {
        let wide = try ConvolutionKernel(parsing: "CONV NORM\n1 2 3 4\n")
        #expect(wide.width == 5 && wide.height == 1 && wide.values == [1, 2, 3, 4, 0])
        let both = try ConvolutionKernel(parsing: "CONV NORM\n1 2\n3 4\n")
        #expect(both.width == 3 && both.height == 3 && both.values == [1, 2, 0, 3, 4, 0, 0, 0, 0])
    }

    @Test("CONV NONORM leaves the values as they are, on the wire, too")
    func unnormalised() throws {
        let kernel = try ConvolutionKernel(parsing: "CONV NONORM\n1 2 1\n")
        #expect(!kernel.isNormalized && kernel.factors == [1, 2, 1])
        let bytes = try JSONEncoder().encode(kernel)
        #expect(try JSONDecoder().decode(ConvolutionKernel.self, from: bytes) == kernel)
        var image = TestImage(width: 40, height: 40, pixels: (0..<1600).map { Float($0 % 7) })
        for row in 18...22 { for column in 18...22 { image.pixels[row * 40 + column] += 900 } }
        var parameters = ScanParameters()
        parameters.kernel = kernel
        func peak() throws -> Float {
            let scan = try SerialScan(width: 40, height: 40, parameters: parameters)
            return try #require(try image.withView(scan.run).sources.cpeak.max())
        }
        let plain = try peak()
        parameters.kernel = try ConvolutionKernel(parsing: "CONV NORM\n1 2 1\n")
        #expect(try plain == 4 * peak())
    }

    @Test("normalised values have the absolute sum 1")
    func normalisation() throws {
        let kernel = try ConvolutionKernel(width: 3, height: 1, values: [-1, 2, -1])
        #expect(kernel.factors == [-0.25, 0.5, -0.25])
    }

    @Test("a kernel that came over the wire is checked too")
    func decoding() throws {
        let bytes = try JSONEncoder().encode(ConvolutionKernel.standard)
        #expect(try JSONDecoder().decode(ConvolutionKernel.self, from: bytes) == .standard)
        let broken = String(decoding: bytes, as: UTF8.self).replacing("\"width\":3", with: "\"width\":2")
        #expect(throws: ScanSetupError.self) {
            try JSONDecoder().decode(ConvolutionKernel.self, from: Data(broken.utf8))
        }
    }
}
