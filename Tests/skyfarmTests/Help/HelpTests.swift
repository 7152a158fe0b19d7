import CommandLineKit
import Testing
import skyfarm

@Suite struct HelpTests {
    @Test("every command's help begins with an example and keeps to the width", arguments: [60, 80, 100])
    func all(width: Int) {
        for command in Skyfarm.program.commands {
            let text = Skyfarm.program.helpText(of: command, width: width)
            #expect(text.hasPrefix("  skyfarm \(command.name)"))
            let usage = command.examples.map(\.line.count).max() ?? 0
            #expect(text.split(separator: "\n").allSatisfy { $0.count <= max(width, usage + 2) })
        }
    }

    @Test("the overview names every command and exit code")
    func overview() {
        let text = Skyfarm.program.helpText(width: 80)
        #expect(text.hasPrefix("  skyfarm scan "))
        for command in Skyfarm.program.commands { #expect(text.contains("\n  \(command.name) ")) }
        for code in ExitCode.all { #expect(text.contains("\n  \(code.rawValue) ")) }
    }
}
