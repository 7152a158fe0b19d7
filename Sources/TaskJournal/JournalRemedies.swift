/// The ends of error messages that tell a user what to do about a journal, which depend on the program.
package struct JournalRemedies: Sendable {
    /// Starts the program again, as in "free some room and start the program again".
    package var again: String
    /// Remedy if the file or its folder cannot be written.
    package var unwritable: String
    /// Remedy if the file is damaged.
    package var damaged: String

    /// Creates remedies.
    package init(again: String, unwritable: String, damaged: String) {
        (self.again, self.unwritable, self.damaged) = (again, unwritable, damaged)
    }

    /// Those of programs that use the library.
    package static let library = JournalRemedies(
        again: "start the program again", unwritable: "give a journal in a folder that this user may change",
        damaged: "give another journal, or remove the file: every task is then run again")
}
