import CommandLineKit
import Testing

import ScanFleet

@Suite struct HostListTests {
    @Test("hosts and lists, without repetition, in order")
    func order() throws {
        let list = try HostList(["a", "me@b", "@farm", "a"]) { name in
            name == "farm" ? "# the dome\nc  a # twice\n\nd\n" : nil
        }
        #expect(list.hosts == ["a", "me@b", "c", "d"])
    }

    @Test("a list that cannot be read, or is empty, is an input error")
    func lists() {
        for (text, words) in [(nil, "cannot be read"), ("# none\n", "names no host")] as [(String?, String)] {
            let error = #expect(throws: CommandError.self) { try HostList(["@farm"]) { _ in text } }
            #expect(error?.code == .input && error?.description.contains(words) == true)
        }
    }

    @Test("what ssh would take for an option is refused", arguments: ["-oProxyCommand=x", "", "a b"])
    func options(word: String) {
        #expect(throws: CommandError.self) { try HostList([word]) }
        #expect(throws: CommandError.self) { try HostList(["@farm"]) { _ in "-v\n" } }
    }
}
