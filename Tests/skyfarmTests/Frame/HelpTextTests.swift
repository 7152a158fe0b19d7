import Testing

@testable import skyfarm

@Suite struct HelpTextTests {
    @Test("a command's help begins with an example and shows flags, defaults and variables")
    func shape() {
        let band = Option.value(
            "band", short: "b", .integer("ROWS", 1...9), default: 4, layers: .all, help: "Rows of a band")
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
        #expect(spec.helpText(width: 40) == expected)
    }

    @Test("every command's help begins with an example and keeps to the width", arguments: [60, 80, 100])
    func all(width: Int) {
        for command in Skyfarm.commands {
            let text = command.spec.helpText(width: width)
            #expect(text.hasPrefix("  skyfarm \(command.spec.name)"))
            let usage = command.spec.examples.map(\.line.count).max() ?? 0
            #expect(text.split(separator: "\n").allSatisfy { $0.count <= max(width, usage + 2) })
        }
    }

    @Test("the overview names every command and exit code")
    func overview() {
        let text = overviewText(Skyfarm.specs, width: 80)
        #expect(text.hasPrefix("  skyfarm scan "))
        for command in Skyfarm.commands { #expect(text.contains("\n  \(command.spec.name) ")) }
        for code in ExitCode.allCases { #expect(text.contains("\n  \(code.rawValue) ")) }
    }

    @Test(
        "the distance of two words counts slips of the hand",
        arguments: [("", "", 0), ("a", "", 1), ("scna", "scan", 1), ("bnad", "band", 1), ("kitten", "sitting", 3)])
    func distance(left: String, right: String, expected: Int) {
        #expect(editDistance(left, right) == expected)
        #expect(editDistance(right, left) == expected)
    }
}
