import Testing

import CommandLineKit

@Suite struct MarkdownReferenceTests {
    @Test(
        "marks of Markdown are escaped outside of code",
        arguments: [
            ("*.fits, A_B [C] <D>", #"\*.fits, A\_B \[C\] \<D\>"#), ("~ $X | `*_`", #"\~ \$X \| `*_`"#),
            (#"a\b"#, #"a\\b"#), ("plain - text.", "plain - text."),
        ])
    func escapes(text: String, expected: String) {
        #expect(MarkdownReference.escaped(text) == expected)
    }
}
