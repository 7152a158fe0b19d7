import Foundation
import ScanBasics

/// Measures Skyfarm against other programs and the machine's limits; see Benchmarks/README.md.
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

    // Off the main actor, on which each response would cost a thread switch.
    @concurrent
    private static func run(_ arguments: [String]) async throws {
        // Nodes and the echo server are child processes of this program.
        if let role = arguments.first.flatMap(ChildRole.init(rawValue:)) {
            return try await role.serve(on: arguments.last ?? "")
        }
        if arguments.first == MeasuredProgram.role { return try MeasuredProgram.serve(Array(arguments.dropFirst())) }
        let options = try BenchmarkOptions(arguments)
        let report =
            switch options.suite {
            case .scan: try await ScanSuite(options).run()
            case .dispatch: try await DispatchSuite(options).run()
            case .latency: try await LatencySuite(options).run()
            case .codec: try CodecSuite(options).run()
            case .tls: try await TLSSuite(options).run()
            case .scale: try await ScaleSuite(options).run()
            case .share: try await ShareSuite(options).run()
            case .wire: try await WireSuite(options).run()
            case .dashboard: try DashboardSuite(options).run()
            case .start: try StartSuite(options).run()
            case .night: try NightSuite(options).run()
            case .images: try ImagesSuite(options).run()
            case .map: try MapSuite(options).run()
            case .skies: try SkiesSuite(options).run()
            }
        print(options.json ? try report.json() : report.text())
    }
}
