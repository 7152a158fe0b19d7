import Testing

import CommandLineKit

@Suite struct HelpTextTests {
    @Test("a command's help begins with an example and shows flags, defaults and variables")
    func shape() {
        let band = Option.value(
            "band", short: "b", .integer("ROWS", 1...9), default: 4, layers: .prefix("SKYFARM_"), help: "Rows of a band"
        )
        let name = Option.list("a-name-too-long-to-fit", .word("WORD"), help: "Some words")
        let spec = CommandSpec(
            name: "cut", summary: "Cut an image",
            examples: [.init(line: "skyfarm cut a.fits", explanation: "Cut it into bands of four rows each.")],
            arguments: [
                ArgumentSpec(name: "IMAGE", help: "The image"),
                ArgumentSpec(name: "MASK", help: "Mask", isRequired: false),
            ],
            sections: [OptionSection(title: "Options", options: [band.spec, name.spec])])
        let expected = """
              skyfarm cut a.fits
                  Cut it into bands of four rows
                  each.

            cut: Cut an image.

            Usage: skyfarm cut [OPTION]... IMAGE [MASK]

            Arguments:
              IMAGE                     The image
              MASK                      Mask

            Options:
              -b, --band ROWS           Rows of a
                                        band
                                        (default: 4)
                                        [SKYFARM_BAND]
                  --a-name-too-long-to-fit WORD
                                        Some words;
                                        may be
                                        repeated

            """
        var program = ProgramSpec.cutter
        program.name = "skyfarm"
        #expect(program.helpText(of: spec, width: 40) == expected)
    }

    @Test("the overview lists commands, options and exit codes")
    func overview() {
        let text = ProgramSpec.cutter.helpText(width: 80)
        #expect(text.hasPrefix("  cutter cut a.fits\n      Cut an image.\n\ncutter: Cut images.\n"))
        for line in ["cut                       Cut an image", "-V, --version             Show the version"] {
            #expect(text.contains("\n  \(line)\n"))
        }
        #expect(text.contains("\n  9                         blunt\n"))
    }

    @Test(
        "the distance of two words counts slips of the hand",
        arguments: [("", "", 0), ("a", "", 1), ("scna", "scan", 1), ("bnad", "band", 1), ("kitten", "sitting", 3)])
    func distance(left: String, right: String, expected: Int) {
        #expect(editDistance(left, right) == expected)
        #expect(editDistance(right, left) == expected)
    }
}
