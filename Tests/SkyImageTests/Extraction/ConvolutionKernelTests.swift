import Foundation
import Testing

@testable import SkyImage

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
            "", "# only a comment", "CONV NORM", "CONV NONORM\n1", "1 2 1\n2 4 2\n1 2 1", "CONV NORM\n1 2",
            "CONV NORM\n1\n2", "CONV NORM\n1 2 1\n1 2\n1 2 1", "CONV NORM\n1 x 1", "CONV NORM\nnan", "CONV NORM\n0",
            "CONV NORM\n" + String(repeating: "1 ", count: 33), "CONV NORM\n3e38 3e38 3e38",
        ])
    func refusal(text: String) {
        let error = #expect(throws: ScanSetupError.self) { try ConvolutionKernel(parsing: text) }
        #expect(error?.description.contains("\n") == false)
    }

    @Test("normalised values have the absolute sum 1")
    func normalisation() throws {
        let kernel = try ConvolutionKernel(width: 3, height: 1, values: [-1, 2, -1])
        #expect(kernel.normalized == [-0.25, 0.5, -0.25])
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
