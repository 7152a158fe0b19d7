import ScanNetwork
import Testing

@Suite("the report of a failure")
struct CodedFailureTests {
    private func decoded(_ bytes: [UInt8]) -> CodedFailure { bytes.withUnsafeBytes(CodedFailure.init(decoding:)) }

    @Test("is decoded unchanged")
    func roundTrip() {
        for report in [
            CodedFailure(cause: "out of memory", log: []),
            CodedFailure(cause: "", log: ["desk connected from 10.0.0.1:5"]),
            CodedFailure(cause: "größer als 1 µm", log: ["one", "", "three", "four", "five"]),
        ] {
            #expect(decoded(report.encoded) == report)
        }
    }

    @Test("has a cause of one line, and the last five lines of 200 characters")
    func bounds() {
        let sent = CodedFailure(
            cause: "first\nsecond\r\nthird", log: (0..<9).map { String(repeating: "\($0)é", count: 300) })
        let report = decoded(sent.encoded)
        #expect(report.cause == "first second third")
        #expect(report.log == (4..<9).map { String(repeating: "\($0)é", count: 100) })
        let long = CodedFailure(cause: String(repeating: "x", count: 10_000), log: ["y"])
        #expect(decoded(long.encoded) == CodedFailure(cause: String(repeating: "x", count: 4096), log: ["y"]))
    }

    @Test("of a node that sends any bytes is bounded and printable")
    func distrust() {
        let flood = decoded([UInt8](repeating: 10, count: 1 << 20))
        #expect(flood == CodedFailure(cause: "", log: Array(repeating: "", count: 5)))
        let endless = decoded([UInt8](repeating: 0x41, count: 1 << 20))
        #expect(endless.cause.count < 10_000 && endless.log.isEmpty)
        let wide = decoded(Array("cause\n".utf8) + [UInt8](repeating: 0x42, count: 1 << 20))
        #expect(wide.log == [String(repeating: "B", count: 200)])
        let steering = decoded(Array("\u{1b}[2Jboo\n\u{202e}x\rskyfarm: all is well".utf8) + [0xff])
        #expect(steering.cause == "\u{fffd}[2Jboo")
        #expect(steering.log == ["\u{fffd}x\u{fffd}skyfarm: all is well\u{fffd}"])
    }
}
