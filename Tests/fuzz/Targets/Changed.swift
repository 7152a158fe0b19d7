import ScanBasics

extension FuzzTarget {
    /// A real task or output, decoded, with one to three values changed, coded again and used; see ``ChangedTasks``. The
    /// bytes choose what is changed: mutated bytes of a coded task rarely decode.
    static func changed(_ kind: ChangedTasks.Kind) -> FuzzTarget {
        FuzzTarget(name: "changed-\(kind)") { bytes in
            var choices = ChosenNumbers(input: FuzzInput(bytes))
            _ = try? ChangedTasks.run(kind, &choices)
        } seeds: {
            var numbers = SplitMix64(seed: 1)
            return Dictionary(
                uniqueKeysWithValues: (0..<8).map { index in
                    ("choices-\(index)", (0..<48).map { _ in UInt8(truncatingIfNeeded: numbers.next()) })
                })
        }
    }
}

/// The numbers by which changes are chosen, two bytes of the input each; zeros after its end.
private struct ChosenNumbers: RandomNumberGenerator {
    var input: FuzzInput

    mutating func next() -> UInt64 { UInt64(input.byte()) | UInt64(input.byte()) << 8 }
}
