import ScanCluster
import ScanNetwork
import ScanSecurity

/// Counts the primes of a range; any Codable value with a `scan` farms out like this.
struct PrimeCount: ScanTask {
    static let scanner = "example.primes/1"
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
        var divisor = 3
        while divisor * divisor <= number {
            if number.isMultiple(of: divisor) { return false }
            divisor += 2
        }
        return true
    }
}

@main struct Primes {
    static func main() async throws { try await serve(listen: "127.0.0.1:4871") }

    static func serve(listen: String) async throws {
        let node = NodeServer(
            name: "primes", keys: try KeyStore.user().ring(), slots: 2, scanners: Scanners(PrimeCount.self),
            listen: listen)
        print("ready", try node.start())
        while true { try await Task.sleep(for: .seconds(3600)) }
    }
}
