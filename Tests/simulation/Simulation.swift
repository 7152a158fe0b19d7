import Foundation
import ScanCluster
import ScanTestSupport

/// Runs scenarios of the simulated cluster, one after the other, until one of them fails.
@main struct Simulation {
    static let usage = """
        usage: skyfarm-simulation [--first SEED] [--count N] [--verbose] [--trace] [--makespan]

          --first SEED  seed of the first scenario (0)
          --count N     number of scenarios (1000)
          --verbose     names each seed on standard error before its scenario runs
          --trace       writes each event to standard error: with --count 1, for a seed that went wrong
          --makespan    instead compares how long jobs take with and without a node, and with the least possible time
        """

    static func main() {
        guard let options = Options(CommandLine.arguments.dropFirst()) else {
            print(usage)
            exit(2)
        }
        exit((options.comparesMakespans ? compare(options) : run(options)) ? 0 : 1)
    }

    struct Options {
        var first: UInt64 = 0
        var count: UInt64 = 1000
        var isVerbose = false
        var isTraced = false
        var comparesMakespans = false

        init?(_ words: some Sequence<String>) {
            var words = words.makeIterator()
            while let word = words.next() {
                switch word {
                case "--first":
                    guard let seed = words.next().flatMap({ UInt64($0) }) else { return nil }
                    first = seed
                case "--count":
                    guard let number = words.next().flatMap({ UInt64($0) }) else { return nil }
                    count = number
                case "--verbose": isVerbose = true
                case "--trace": isTraced = true
                case "--makespan": comparesMakespans = true
                default: return nil
                }
            }
        }
    }

    /// - Returns: whether all succeeded.
    private static func run(_ options: Options) -> Bool {
        var census: [SimulatedEvent: Int] = [:]
        var (tasks, seconds, digest) = (0, 0.0, UInt64(0))
        let start = ContinuousClock.now
        for seed in options.first..<options.first + options.count {
            let scenario = SimulationScenario(seed: seed)
            if options.isVerbose { write("seed \(seed)") }
            let trace: ((String) -> Void)? = options.isTraced ? { write($0) } : nil
            let report = SimulatedCluster(scenario, trace: trace).run()
            if let violation = report.violation {
                print("seed \(seed): \(violation)\n  \(scenario)")
                print("  again: skyfarm-simulation --first \(seed) --count 1 --trace")
                return false
            }
            census.merge(report.census, uniquingKeysWith: +)
            tasks += scenario.tasks * scenario.jobs
            seconds += report.seconds
            digest = digest &* 31 &+ report.fingerprint
        }
        let events = SimulatedEvent.allCases.map { "\($0) \(census[$0, default: 0])" }.joined(separator: ", ")
        print("\(options.count) scenarios from seed \(options.first): nothing lost, nothing done twice")
        let real = (ContinuousClock.now - start) / .seconds(1)
        print("  \(tasks) tasks, \(Int(seconds / 3600)) h of virtual time in \(real) s")
        print("  \(events)")
        print("  fingerprint \(String(digest, radix: 16))")
        return true
    }

    /// - Returns: whether all scenarios kept the promises.
    private static func compare(_ options: Options) -> Bool {
        var failed = 0
        var shares: [Double] = []
        let start = ContinuousClock.now
        for seed in options.first..<options.first + options.count {
            let scenario = MakespanScenario(seed: seed)
            if options.isVerbose { write("seed \(seed)") }
            let trace: ((String) -> Void)? = options.isTraced ? { write($0) } : nil
            let report = MakespanReport(scenario, trace: trace)
            shares.append(report.share)
            guard let violation = report.violation else { continue }
            if let reason = MakespanScenario.known[seed] {
                print("seed \(seed), known: \(violation): \(reason)")
                continue
            }
            failed += 1
            print("seed \(seed): \(violation)\n  \(scenario)")
            print("  again: skyfarm-simulation --makespan --first \(seed) --count 1 --trace")
        }
        shares.sort()
        let real = (ContinuousClock.now - start) / .seconds(1)
        let parts = [0.0, 0.01, 0.05, 0.25, 0.5].map { shares[Int($0 * Double(shares.count - 1))] }
        print("\(options.count) clusters from seed \(options.first): \(failed) failed, in \(real) s")
        print("  of the best possible (lowest, 1 %, 5 %, 25 %, median): \(parts)")
        return failed == 0
    }

    private static func write(_ line: String) { FileHandle.standardError.write(Data((line + "\n").utf8)) }
}
