/// Counts the primes of a range.
struct PrimeCount: Codable, Sendable {
    var range: Range<Int>

    func count() -> Int { range.count { isPrime($0) } }

    private func isPrime(_ number: Int) -> Bool {
        if number < 4 { return number > 1 }
        if number.isMultiple(of: 2) { return false }
        var divisor = 3
        while divisor * divisor <= number {
            if number.isMultiple(of: divisor) { return false }
            divisor += 2
        }
        return true
    }
}
