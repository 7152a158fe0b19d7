/// Counts the primes of a range.
struct PrimeCount: Codable, Sendable {
    var range: Range<Int>

    func count() -> Int { range.count { isPrime($0) } }

    private func isPrime(_ number: Int) -> Bool {
        if number < 4 { return number > 1 }
        if number.isMultiple(of: 2) { return false }
        let root = Int(Double(number).squareRoot())
        return !stride(from: 3, through: root, by: 2).contains { number.isMultiple(of: $0) }
    }
}
