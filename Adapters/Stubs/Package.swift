// swift-tools-version: 6.2
import PackageDescription

// The names by which the adapters call other packages, as their documentation has them, and enough behind them for tests.
let package = Package(
    name: "Stubs",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "Logging", targets: ["Logging"]),
        .library(name: "Metrics", targets: ["Metrics"]),
        .library(name: "Tracing", targets: ["Tracing", "Instrumentation", "ServiceContextModule"]),
        .library(name: "ServiceLifecycle", targets: ["ServiceLifecycle"]),
    ],
    targets: [
        .target(name: "Logging"),
        .target(name: "Metrics"),
        .target(name: "ServiceContextModule"),
        .target(name: "Instrumentation", dependencies: ["ServiceContextModule"]),
        .target(name: "Tracing", dependencies: ["Instrumentation", "ServiceContextModule"]),
        .target(name: "ServiceLifecycle"),
    ],
    swiftLanguageModes: [.v6]
)
