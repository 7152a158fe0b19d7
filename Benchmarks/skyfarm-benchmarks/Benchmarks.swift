import Foundation
import ScanMemory

/// Measures Skyfarm side by side with what others and the machine can do; see Benchmarks/README.md.
@main
struct Benchmarks {
    static func main() async {
        FreedMemory.keep()
        do {
            try await run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            FileHandle.standardError.write(Data("skyfarm-benchmarks: \(error)\n".utf8))
            exit(error is BenchmarkOptions.UsageError ? 2 : 1)
        }
    }

    // Off the main actor, where each response would cost a change of threads.
    @concurrent
    private static func run(_ arguments: [String]) async throws {
        // The far ends of measurements are child processes of this program.
        if let role = arguments.first.flatMap(ChildRole.init(rawValue:)) { return try role.serve() }
        let options = try BenchmarkOptions(arguments)
        let report =
            switch options.suite {
            case .scan: try await ScanSuite(options).run()
            case .dispatch: try await DispatchSuite(options).run()
            case .latency: try await LatencySuite(options).run()
            case .codec: try CodecSuite(options).run()
            case .tls: try await TLSSuite(options).run()
            case .scale: try await ScaleSuite(options).run()
            case .dashboard: try DashboardSuite(options).run()
            case .start: try StartSuite(options).run()
            }
        print(options.json ? try report.json() : report.text())
    }
}
