import ProgramTask
import Testing

/// Results of functions as lines of JSON.
@Suite("values as JSON") struct PythonValueTests {
    private func problem(_ text: String) -> String? {
        PythonValue.problem(of: PythonValue.form(json: Array(text.utf8)))
    }

    @Test(
        "what Python writes can be a line",
        arguments: [
            "null", "true", "false", "0", "-1", "1.5e-07", "1e+16", "NaN", "Infinity", "-Infinity", "\"\"", "[]", "{}",
            #""\u001b\"\\ \ud83d/""#, "[1, [2.0, {}], null]", #"{"a": [1, {"b": "c"}], "": -0.0}"#,
            String(repeating: "[", count: 100) + String(repeating: "]", count: 100),
        ])
    func accepted(text: String) { #expect(problem(text) == nil) }

    @Test(
        "what could end the line, control a terminal, or is no value cannot",
        arguments: [
            "", " ", "1 2", "1}\n{\"value\":2", "[1,\n2]", "\"\u{1b}]0;x\u{7}\"", "\"\u{7f}\"", "\"\u{9b}2J\"", "\"é\"",
            "nul", "nan", "+1", "01", "1.", ".5", "1e", "--1", "-", "[1,]", "[,]", "[1", "{1:2}", "{\"a\"}",
            "{\"a\":1,}", "\"", #""\x41""#, #""\u12g4""#, #""\"#, "[1]]", "\t1", String(repeating: "[", count: 100_000),
        ])
    func refused(text: String) { #expect(problem(text) == "the result is malformed") }

    @Test(
        "values without the form cannot",
        arguments: [[], [0], Array("SKYVAL1\n".utf8) + [UInt8](repeating: 255, count: 16)])
    func formless(bytes: [UInt8]) { #expect(PythonValue.problem(of: bytes) == "the result is malformed") }
}
