// swift-tools-version: 6.2
import PackageDescription

// With `SKYFARM_STUBS` the adapters are compiled against Stubs, which has modules of the same names: scripts/adapters-test
// does so, without a network.
let usesStubs = Context.environment["SKYFARM_STUBS"] != nil

let outside: [Package.Dependency] =
    usesStubs
    ? [.package(path: "Stubs")]
    : [
        .package(url: "https://github.com/apple/swift-log.git", from: "1.5.0"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.4.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.1.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.4.0"),
    ]

func product(_ name: String, of package: String) -> Target.Dependency {
    .product(name: name, package: usesStubs ? "Stubs" : package)
}

func skyfarm(_ name: String) -> Target.Dependency { .product(name: name, package: "skyfarm") }

let package = Package(
    name: "skyfarm-adapters",
    platforms: [.macOS(.v15)],
    products: ["SkyfarmLogging", "SkyfarmMetrics", "SkyfarmTracing", "SkyfarmLifecycle"].map {
        .library(name: $0, targets: [$0])
    },
    dependencies: [.package(name: "skyfarm", path: "..")] + outside,
    targets: [
        .target(
            name: "SkyfarmLogging", dependencies: [skyfarm("ScanCluster"), product("Logging", of: "swift-log")]),
        .target(
            name: "SkyfarmMetrics", dependencies: [skyfarm("ScanCluster"), product("Metrics", of: "swift-metrics")]),
        .target(
            name: "SkyfarmTracing",
            dependencies: [skyfarm("ScanCluster"), product("Tracing", of: "swift-distributed-tracing")]),
        .target(
            name: "SkyfarmLifecycle",
            dependencies: [skyfarm("ScanFarm"), product("ServiceLifecycle", of: "swift-service-lifecycle")]),
        .testTarget(
            name: "AdapterTests",
            dependencies: [
                "SkyfarmLogging", "SkyfarmMetrics", "SkyfarmTracing", "SkyfarmLifecycle", skyfarm("SkyfarmTesting"),
                skyfarm("ScanFarm"), skyfarm("ScanNetwork"), skyfarm("ScanSecurity"), skyfarm("ScanCluster"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)

// The tests look into the stubs.
if !usesStubs { package.targets.removeAll { $0.isTest } }
