import SkyfarmKit

/// Counts the primes of a range. Any type that conforms to `ScanTask` can be farmed out in the same way.
struct PrimeCount: ScanTask {
    static let typeName = "example.primes/1"
    var id: Int
    var range: Range<Int>

    func scan(_ context: ScanContext) throws -> Int {
        try range.count { number in
            if number % 4096 == 0 { try context.checkCancellation() }
            return isPrime(number)
        }
    }

    private func isPrime(_ number: Int) -> Bool {
        if number < 4 { return number > 1 }
        if number.isMultiple(of: 2) { return false }
        let root = Int(Double(number).squareRoot())
        return !stride(from: 3, through: root, by: 2).contains { number.isMultiple(of: $0) }
    }
}

@main struct Primes {
    static func main() async throws { try await serve(listen: ":0") }

    static func serve(listen: String) async throws {
        let node = ScanNode(
            keys: try KeyStore.user().ring(), slots: 2, serving: TaskTypes(PrimeCount.self), listen: listen)
        try await node.run { print("ready", $0) }
    }
}
