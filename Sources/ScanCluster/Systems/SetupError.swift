internal import ScanBasics

/// A farm, a node or a type of task that is set up or used in a way that cannot work, such as a node without slots. The
/// program must be changed: trying again does not help.
public struct SetupError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The cause and the remedy, in one line.
    public let description: String

    /// An error of this cause.
    public init(_ description: String) { self.description = description }

    /// Most slots of one process. A node with more would start threads until the system has no more.
    package static let mostSlots = 4096
    /// Longest name of a type of task, in bytes of UTF-8.
    package static let longestName = 200

    /// What is wrong with a number of slots; nil if nothing is.
    package init?(slots: Int, least: Int) {
        if (least...Self.mostSlots).contains(slots) { return nil }
        self.init("\(slots) slots: a process has \(least) to \(Self.mostSlots)")
    }

    /// What is wrong with the name of a type of task; nil if nothing is. `isTaken`: another type has it.
    package init?(typeName name: String, of type: Any.Type, isTaken: Bool) {
        if isTaken {
            self.init("\(type) and another type of task have the same name '\(name.printable)': rename one")
        } else if !(1...Self.longestName).contains(name.utf8.count) || name != name.printable {
            self.init(
                "the name of \(type) must be one line of 1 to \(Self.longestName) bytes, such as example.primes/1")
        } else {
            return nil
        }
    }
}
