import Foundation

/// Code that reads bytes of unauthenticated peers, and its input. Whatever the bytes are, it must return: a trap, a wrong
/// access of memory, a leak, more memory than allowed or ten seconds of work is a crash.
struct FuzzTarget: Sendable {
    /// Name on the command line, and of its folder in the corpus.
    var name: String
    /// Reads the bytes.
    var run: @Sendable (UnsafeRawBufferPointer) -> Void
    /// Real inputs to begin with, by the names of their files.
    var seeds: @Sendable () throws -> [String: [UInt8]]

    static let all: [FuzzTarget] =
        single + ChangedTasks.Kind.allCases.map(changed)

    private static let single: [FuzzTarget] = [
        .frames, .hello, .coding, .tasks, .outputs, .discovery, .fits, .coordinates, .packed, .compressed, .tls,
        .settings, .pointSpread, .xml, .jobs, .calls, .conditions,
    ]
}

/// The bytes of one input, taken from its front.
struct FuzzInput {
    private(set) var rest: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) { rest = bytes }

    /// The next byte; 0 after the end.
    mutating func byte() -> UInt8 {
        guard let first = rest.first else { return 0 }
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst())
        return first
    }

    /// The next `count` bytes, or as many as are left.
    mutating func bytes(_ count: Int) -> UnsafeRawBufferPointer {
        defer { rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count)) }
        return UnsafeRawBufferPointer(rebasing: rest.prefix(count))
    }
}

extension [UInt8] {
    /// These bytes after a first one, by which a target chooses what it does with them.
    func chosen(_ choice: UInt8) -> [UInt8] { [choice] + self }
}
