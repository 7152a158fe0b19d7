import Foundation
import Testing

import Console

@Suite struct TerminalTests {
    /// A pseudo-terminal of 70 columns, and a pipe.
    final class Descriptors {
        var terminal: Int32 = -1
        var controller: Int32 = -1
        var pipe: [Int32] = [-1, -1]

        init() {
            var size = winsize()
            size.ws_col = 70
            openpty(&controller, &terminal, nil, nil, &size)
            Foundation.pipe(&pipe)
        }

        deinit { for descriptor in [terminal, controller] + pipe { close(descriptor) } }
    }

    @Test("a terminal tells its width anew after it was resized, a pipe has none")
    func width() {
        let descriptors = Descriptors()
        let terminal = Terminal(descriptor: descriptors.terminal)
        #expect(terminal.isTerminal && terminal.width == 70)
        var size = winsize()
        size.ws_col = 33
        _ = ioctl(descriptors.controller, UInt(TIOCSWINSZ), &size)
        #expect(terminal.width == 33)
        let pipe = Terminal(descriptor: descriptors.pipe[1])
        #expect(!pipe.isTerminal && pipe.width == nil)
    }

    @Test("colour and drawing need a terminal that understands them, unless colour is asked for")
    func abilities() {
        let descriptors = Descriptors()
        let terminal = Terminal(descriptor: descriptors.terminal)
        let pipe = Terminal(descriptor: descriptors.pipe[1])
        #expect(terminal.canRedraw(["TERM": "xterm"]) && !terminal.canRedraw(["TERM": "dumb"]))
        #expect(!pipe.canRedraw(["TERM": "xterm"]))
        #expect(terminal.usesColor(.auto, [:]) && terminal.usesColor(.auto, ["NO_COLOR": ""]))
        #expect(!terminal.usesColor(.auto, ["NO_COLOR": "1"]) && !pipe.usesColor(.auto, [:]))
        #expect(pipe.usesColor(.always, ["NO_COLOR": "1"]) && !terminal.usesColor(.never, [:]))
    }

    @Test("the journal is behind a stream whose device and inode JOURNAL_STREAM names")
    func journal() {
        let descriptors = Descriptors()
        var status = stat()
        fstat(descriptors.pipe[1], &status)
        let stream = Terminal(descriptor: descriptors.pipe[1])
        #expect(stream.isJournal(["JOURNAL_STREAM": "\(status.st_dev):\(status.st_ino)"]))
        for other in ["\(status.st_dev):\(status.st_ino + 1)", "\(status.st_ino)", ""] {
            #expect(!stream.isJournal(["JOURNAL_STREAM": other]))
        }
        #expect(!stream.isJournal([:]) && !Terminal(descriptor: -1).isJournal(["JOURNAL_STREAM": "0:0"]))
    }

    @Test("a file never gets colour, even where it is asked for")
    func file() throws {
        let scene = try Scene()
        let descriptor = open(scene.path("log"), O_WRONLY | O_CREAT, 0o600)
        defer { close(descriptor) }
        #expect(!Terminal(descriptor: descriptor).usesColor(.always, [:]))
    }
}
