// swift-tools-version: 6.2
import Foundation
import PackageDescription

let swift: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// With `SKYFARM_OPTIMIZE` set, as `scripts/test` does, what computes is optimised in debug builds as well, by whole
/// modules and with its assertions; the tests themselves are not. Whole modules take less processor time than files one
/// by one. With one thread, which is as fast on two cores; without a number the compiler writes no index.
let isOptimized = Context.environment["SKYFARM_OPTIMIZE"] != nil
let optimized = [
    "-O", "-assert-config", "Debug", "-whole-module-optimization", "-disable-batch-mode", "-num-threads", "1",
]
let computing: [SwiftSetting] = swift + (isOptimized ? [.unsafeFlags(optimized, .when(configuration: .debug))] : [])
let computingC: [CSetting] = isOptimized ? [.unsafeFlags(["-O2"], .when(configuration: .debug))] : []

// The programs start in half the time if CFITSIO is linked statically: Debian's shared library loads libcurl, and with it
// thirty others. `SKYFARM_SHARED_CFITSIO` selects the shared library.
let archives = ["x86_64", "aarch64"].map { "/usr/lib/\($0)-linux-gnu/" }.filter { folder in
    ["libcfitsio.a", "libbz2.so.1.0"].allSatisfy { FileManager.default.fileExists(atPath: folder + $0) }
}
let hasArchive =
    !archives.isEmpty && FileManager.default.fileExists(atPath: "/usr/include/fitsio.h")
    && Context.environment["SKYFARM_SHARED_CFITSIO"] == nil

// On Linux loaded at run time, and not by the linker.
#if os(Linux)
    let microhttpd: String? = nil
    let openssl: String? = nil
#else
    let microhttpd: String? = "libmicrohttpd"
    let openssl: String? = "openssl"
#endif

/// What makes the program start faster, if the linker and the C library can do it: relative relocations in a short form,
/// and no zeros written into CFITSIO's empty tables. `SKYFARM_OLD_GLIBC` is for a program that starts with glibc before
/// 2.36, too.
func startFlags() -> [String] {
    #if os(Linux)
        var name = [UInt8](repeating: 0, count: 64)
        let count = name.withUnsafeMutableBytes { confstr(Int32(_CS_GNU_LIBC_VERSION), $0.baseAddress, $0.count) }
        // "glibc 2.36"
        let version = String(decoding: name.prefix(max(0, count - 1)), as: UTF8.self)
            .split { $0 == " " || $0 == "." }.compactMap { Int($0) }
        let folders = (Context.environment["PATH"] ?? "").split(separator: ":").map { folder in
            URL(filePath: "\(folder)/swiftc").resolvingSymlinksInPath().deletingLastPathComponent().path
        }
        var flags: [String] = []
        if version.count > 1, (version[0], version[1]) >= (2, 36), Context.environment["SKYFARM_OLD_GLIBC"] == nil,
            folders.contains(where: { FileManager.default.isExecutableFile(atPath: $0 + "/ld.lld") })
        {
            flags += ["-use-ld=lld", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs"]
        }
        if hasArchive {
            flags += ["mem_init", "file_init", "root_init"].flatMap { ["-Xlinker", "--wrap=\($0)"] }
        }
        return flags
    #else
        return []
    #endif
}

let package = Package(
    name: "skyfarm",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "skyfarm", targets: ["skyfarm"]),
        .library(name: "SkyfarmKit", targets: ["SkyfarmKit"]),
        .library(name: "ScanCluster", targets: ["ScanCluster"]),
        .library(name: "ScanFarm", targets: ["ScanFarm"]),
        .library(name: "ScanNetwork", targets: ["ScanNetwork"]),
        .library(name: "ScanDiscovery", targets: ["ScanDiscovery"]),
        .library(name: "ScanSecurity", targets: ["ScanSecurity"]),
        .library(name: "SkyfarmTesting", targets: ["SkyfarmTesting"]),
        .library(name: "SkyFITS", targets: ["SkyFITS"]),
        .library(name: "SkyExtraction", targets: ["SkyExtraction"]),
        .library(name: "SkyMeasurement", targets: ["SkyMeasurement"]),
        .library(name: "SkyCatalogue", targets: ["SkyCatalogue"]),
        .library(name: "SkyScan", targets: ["SkyScan"]),
    ],
    targets: [
        // The command line: its verbs.
        .executableTarget(
            name: "skyfarm",
            dependencies: [
                "ScanBench", "ScanFleet", "NodeDaemon", "ImageJobs", "SExtractorCommand", "CalibrationCommand",
                "ImageScanning", "Console", "CommandLineKit", "SkyScan", "SkySynthetic", "SkyFITS", "ScanFarm",
                "ScanNetwork", "ScanDiscovery", "ScanSecurity", "ScanCluster", "ScanBasics", "CSystem", "ProgramTask",
                "MapCommand", "StepsCommand", "TaskJournal",
            ],
            swiftSettings: swift, linkerSettings: [.unsafeFlags(startFlags())]),
        // Measures what a cluster delivers: `skyfarm bench`.
        .target(
            name: "ScanBench",
            dependencies: [
                "ImageScanning", "Console", "CommandLineKit", "SkyScan", "SkySynthetic", "SkyExtraction", "ScanFarm",
                "ScanNetwork", "ScanSecurity", "ScanCluster", "ScanBasics",
            ],
            swiftSettings: swift),
        // Nodes that are started on other machines, by SSH or a batch system.
        .target(
            name: "ScanFleet",
            dependencies: [
                "NodeDaemon", "ImageJobs", "ImageScanning", "Console", "CommandLineKit", "SkyScan", "ScanFarm",
                "ScanNetwork", "ScanDiscovery", "ScanSecurity", "ScanCluster", "CSystem",
            ],
            swiftSettings: swift),
        // A node as a service: its owner's rules, its jobs, its page and its files.
        .target(
            name: "NodeDaemon",
            dependencies: [
                "ScanSockets", "ImageJobs", "Console", "CommandLineKit", "ScanDashboard", "ProgramTask", "SkyScan",
                "SkyReport", "SkyExtraction", "SkyFITS", "ScanFarm", "ScanNetwork", "ScanDiscovery", "ScanSecurity",
                "ScanCluster", "ScanBasics", "CSystem",
            ],
            swiftSettings: swift),
        // Jobs that nodes run for a user, and files that nodes keep.
        .target(
            name: "ImageJobs",
            dependencies: [
                "TaskJournal", "CalibrationCommand", "MapCommand", "ImageScanning", "Console", "CommandLineKit",
                "SkyScan", "SkyFITS", "ScanFarm", "ScanNetwork", "ScanDiscovery", "ScanSecurity", "ScanCluster",
                "ScanBasics", "CSystem",
            ],
            swiftSettings: swift),
        // Programs and functions of the users, on items: `skyfarm map` and `skyfarm call`.
        .target(
            name: "MapCommand",
            dependencies: [
                "ImageScanning", "Console", "CommandLineKit", "ProgramTask", "SkyScan", "SkyFITS", "ScanPage",
                "ScanFarm",
                "ScanNetwork", "ScanSecurity", "ScanCluster", "TaskJournal", "ScanBasics",
            ],
            swiftSettings: swift),
        // A file of steps, each a command that runs after others: `skyfarm run`.
        .target(
            name: "StepsCommand",
            dependencies: [
                "NodeDaemon", "ImageJobs", "Console", "CommandLineKit", "ScanCluster", "ScanBasics", "TaskJournal",
            ],
            swiftSettings: swift),
        // SExtractor's command line and configuration: `skyfarm sex`.
        .target(
            name: "SExtractorCommand",
            dependencies: [
                "ImageScanning", "Console", "CommandLineKit", "SkyScan", "SkyCatalogue", "SkyMeasurement",
                "SkyExtraction", "SkyFITS",
            ],
            swiftSettings: swift),
        // Masters of frames, and frames reduced by them: `skyfarm combine` and `skyfarm calibrate`.
        .target(
            name: "CalibrationCommand",
            dependencies: [
                "ImageScanning", "CalibrationFlags", "Console", "CommandLineKit", "SkyScan", "SkyReport",
                "SkyCalibration", "SkyFITS",
                "ScanFarm", "ScanNetwork", "ScanCluster", "ScanBasics", "TaskJournal",
            ],
            swiftSettings: swift),
        // Scans of images: what `skyfarm scan` does.
        .target(
            name: "ImageScanning",
            dependencies: [
                "TaskJournal", "CalibrationFlags", "Console", "CommandLineKit", "ScanDashboard", "SAMP", "SkyScan",
                "SkyReport", "SkyCatalogue", "SkyCalibration", "SkyMeasurement", "SkyExtraction", "SkyFITS",
                "ScanFarm", "ScanNetwork", "ScanDiscovery", "SkyTrails",
                "ScanSecurity", "ScanCluster", "ScanBasics",
            ],
            swiftSettings: swift),
        // The flags that say how raw frames are calibrated.
        .target(
            name: "CalibrationFlags", dependencies: ["CommandLineKit", "SkyCalibration", "SkyFITS"],
            swiftSettings: swift),
        // Options, errors with exit codes, output, progress and signals of all commands.
        .target(
            name: "Console",
            dependencies: [
                "ScanSockets", "CommandLineKit", "ScanDashboard", "ProgramTask", "SkyScan", "SkyReport", "SkyFITS",
                "ScanNetwork", "ScanDiscovery", "ScanSecurity", "ScanCluster", "ScanBasics", "TaskJournal",
            ],
            swiftSettings: swift),
        // Parser, help, manual pages and completions of a command line; knows no command.
        .target(name: "CommandLineKit", swiftSettings: swift),
        // The sky job over the engine.
        .target(
            name: "SkyScan",
            dependencies: [
                "ScanBasics", "SkyCalibration", "SkyCatalogue", "SkyMeasurement", "SkyExtraction", "SkyFITS",
                "ScanNetwork", "ScanCluster", "TaskJournal", "CSystem", "CElementary", "ScanSlots", "SkyTrails",
            ],
            swiftSettings: computing),
        // A program that the owner of a node has named, as a task, and the place where it runs.
        .target(
            name: "ProgramTask", dependencies: ["ScanCluster", "ScanBasics", "CProgramBox", "CXXHash"],
            swiftSettings: computing),
        // What people see of a scan: pictures and pages; knows no cluster.
        .target(
            name: "SkyReport",
            dependencies: [
                "SkyCatalogue", "SkyExtraction", "SkyFITS", "ScanBasics", "CPageAssets", "CZlib",
            ], exclude: ["Page/Assets"],
            swiftSettings: computing),
        // Messages to the programs of a user, through the hub that runs; knows no pixel.
        .target(name: "SAMP", dependencies: ["ScanBasics", "CExpat"], swiftSettings: swift),
        // Pages over HTTP for those who have their link; knows no pixel.
        .target(
            name: "ScanDashboard",
            dependencies: ["ScanBasics", "ScanSockets", "CDashboard"],
            swiftSettings: swift),
        // From raw frames to frames that can be scanned: masters, reduction, cosmic rays; knows no command and no cluster.
        .target(
            name: "SkyCalibration", dependencies: ["ScanBasics", "SkyFITS", "CCalibration", "CNumbers", "CXXHash"],
            swiftSettings: computing),
        // Synthetic skies, and what a scan finds of them.
        .target(
            name: "SkySynthetic", dependencies: ["ScanBasics", "SkyFITS", "CElementary"], swiftSettings: computing),
        // Tables of sources in the formats of catalogues.
        .target(
            name: "SkyCatalogue",
            dependencies: ["ScanBasics", "SkyFITS", "SkyExtraction", "CFITSIO", "CZlib"],
            swiftSettings: computing),
        // Trails of satellites in the coarse image that a scan returns, and the sources that they touch.
        .target(name: "SkyTrails", dependencies: ["SkyExtraction"], swiftSettings: computing),
        // Further numbers of sources, on request: SExtractor's columns, fluxes at given positions, check images.
        .target(
            name: "SkyMeasurement",
            dependencies: ["ScanBasics", "SkyFITS", "SkyExtraction", "CFITSIO", "CSkyKernel", "CElementary"],
            swiftSettings: computing),
        // Background, detection and photometry of the windows of an image, and the merge of what they give.
        .target(
            name: "SkyExtraction",
            dependencies: ["ScanBasics", "SkyFITS", "CXXHash", "CSkyKernel", "CNumbers", "CElementary"],
            swiftSettings: computing),
        // FITS files, their pixels and coordinates; knows no source.
        .target(
            name: "SkyFITS",
            dependencies: [
                "ScanBasics", "CFITSIO", "CWCS", "CXXHash", "CZlib", "CBZip2", "CFITSIOSupport", "CNumbers",
                "CElementary",
            ],
            swiftSettings: computing),
        // One import for programs that farm out tasks of their own; knows no pixel.
        .target(
            name: "SkyfarmKit",
            dependencies: [
                "ScanPage", "ScanFarm", "ScanNetwork", "ScanSockets", "ScanDiscovery", "ScanSecurity", "ScanCluster",
            ],
            swiftSettings: swift),
        // The live page and metrics of a farm or a node with tasks of any type; knows no pixel.
        .target(
            name: "ScanPage",
            dependencies: ["ScanFarm", "ScanDashboard", "ScanNetwork", "ScanCluster", "ScanBasics", "CPageAssets"],
            exclude: ["Assets"], swiftSettings: swift),
        // A process of a cluster: its system, its peers and how it discovers them; knows no pixel.
        .target(
            name: "ScanFarm",
            dependencies: [
                "ScanBasics", "ScanSockets", "ScanNetwork", "ScanDiscovery", "ScanSecurity", "ScanCluster",
                "TaskJournal",
            ],
            swiftSettings: swift),
        // The wire; knows no pixel.
        .target(
            name: "ScanNetwork",
            dependencies: [
                "ScanSockets", "ScanCompression", "ScanSecurity", "ScanCluster", "ScanSlots", "ScanBasics", "CLibUV",
                "CXXHash", "CSystem",
            ],
            swiftSettings: computing),
        // TCP sockets; knows no event loop and no frame.
        .target(name: "ScanSockets", dependencies: ["ScanBasics", "CLibUV", "CSystem"], swiftSettings: computing),
        // Bulk bytes of numbers in less space, without loss: byte planes and scaled integers; knows no socket.
        .target(
            name: "ScanCompression", dependencies: ["ScanCluster", "ScanBasics", "CNumbers", "CZstd"],
            swiftSettings: computing),
        // For tests of tasks: a farm in virtual time, with faults. Needs no C library.
        .target(name: "SkyfarmTesting", dependencies: ["ScanBasics", "ScanCluster"], swiftSettings: computing),
        // Nodes that find each other by DNS-SD; knows no connection.
        .target(name: "ScanDiscovery", dependencies: ["ScanBasics", "CDNSSD"], swiftSettings: swift),
        // Keys, TLS and limits of unauthenticated connections; no sockets.
        .target(
            name: "ScanSecurity", dependencies: ["ScanBasics", "CScanSecurity"], swiftSettings: swift),
        // Results of tasks on disk, from which a run resumes; knows no task.
        .target(name: "TaskJournal", dependencies: ["ScanBasics", "CSQLite", "CXXHash"], swiftSettings: computing),
        // Tasks, systems and the coordinator; knows no socket.
        .target(name: "ScanCluster", dependencies: ["ScanBasics", "ScanSlots"], swiftSettings: computing),
        // The slots of a process: threads, and whose work is next on them; knows no task.
        .target(name: "ScanSlots", dependencies: ["ScanBasics"], swiftSettings: computing),
        // The basis of all modules: errors with codes, locks, clocks, addresses, memory, files, numbers and text.
        .target(name: "ScanBasics", dependencies: ["CSystem"], swiftSettings: computing),
        .target(
            name: "ScanTestSupport",
            dependencies: [
                "ScanBasics", "ScanNetwork", "ScanDiscovery", "ScanSecurity", "ScanCluster", "ScanSlots",
                "SkyfarmTesting",
            ],
            path: "Tests/ScanTestSupport", swiftSettings: computing),

        // C libraries.
        .systemLibrary(
            name: "CFITSIO", path: hasArchive ? "Sources/CLibraries/CFITSIO/Archive" : "Sources/CLibraries/CFITSIO",
            pkgConfig: hasArchive ? nil : "cfitsio",
            providers: [.apt(["libcfitsio-dev"]), .brew(["cfitsio"])]),
        .systemLibrary(
            name: "CWCS", path: "Sources/CLibraries/CWCS", pkgConfig: "wcslib",
            providers: [.apt(["wcslib-dev"]), .brew(["wcslib"])]),
        .systemLibrary(
            name: "CLibUV", path: "Sources/CLibraries/CLibUV", pkgConfig: "libuv",
            providers: [.apt(["libuv1-dev"]), .brew(["libuv"])]),
        .systemLibrary(
            name: "CXXHash", path: "Sources/CLibraries/CXXHash", pkgConfig: "libxxhash",
            providers: [.apt(["libxxhash-dev"]), .brew(["xxhash"])]),
        .systemLibrary(
            name: "CSQLite", path: "Sources/CLibraries/CSQLite", pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        // dns_sd.h, whose library is loaded when it is first used. Debian: libavahi-compat-libdnssd-dev.
        .target(
            name: "CDNSSD", dependencies: ["CLoader"], path: "Sources/CLibraries/CDNSSD",
            linkerSettings: [.linkedLibrary("resolv")]),
        .systemLibrary(
            name: "COpenSSL", path: "Sources/CLibraries/COpenSSL", pkgConfig: openssl,
            providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
        // TLS with a pre-shared key: OpenSSL's macros and callbacks. The library is loaded when it is first used.
        .target(
            name: "CScanSecurity", dependencies: ["COpenSSL", "CLoader"], path: "Sources/CLibraries/CScanSecurity"),
        .systemLibrary(
            name: "CPNG", path: "Sources/CLibraries/CPNG", pkgConfig: "libpng",
            providers: [.apt(["libpng-dev"]), .brew(["libpng"])]),
        .systemLibrary(
            name: "CExpat", path: "Sources/CLibraries/CExpat", pkgConfig: "expat",
            providers: [.apt(["libexpat1-dev"]), .brew(["expat"])]),
        .systemLibrary(
            name: "CZlib", path: "Sources/CLibraries/CZlib", pkgConfig: "zlib",
            providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        .systemLibrary(
            name: "CZstd", path: "Sources/CLibraries/CZstd", pkgConfig: "libzstd",
            providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]),
        .systemLibrary(
            name: "CMicroHTTPD", path: "Sources/CLibraries/CMicroHTTPD", pkgConfig: microhttpd,
            providers: [.apt(["libmicrohttpd-dev"]), .brew(["libmicrohttpd"])]),
        // The files of SkyReport/Page/Assets and ScanPage/Assets; a new one is named in the header, the C file and Assets.swift.
        .target(name: "CPageAssets", path: "Sources/CLibraries/CPageAssets"),
        // libmicrohttpd, loaded when it is first used.
        .target(
            name: "CDashboard", dependencies: ["CMicroHTTPD", "CLoader"], path: "Sources/CLibraries/CDashboard"),
        // libbz2, which CFITSIO needs as well, loaded when it is first used.
        .target(
            name: "CBZip2", dependencies: ["CLoader"], path: "Sources/CLibraries/CBZip2",
            linkerSettings: [.linkedLibrary("bz2", .when(platforms: [.macOS]))]),
        // Libraries that are loaded when they are first used.
        .target(
            name: "CLoader", path: "Sources/CLibraries/CLoader",
            linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
        // The kernel of a scan: background, convolution, lutz, deblending, analysis and photometry of a window.
        .target(
            name: "CSkyKernel", dependencies: ["CNumbers", "CElementary"], path: "Sources/CLibraries/CSkyKernel",
            cSettings: computingC),
        // The kernels of SkyCalibration: stacks of frames, reduction, cosmic rays.
        .target(
            name: "CCalibration", dependencies: ["CNumbers"], path: "Sources/CLibraries/CCalibration",
            cSettings: computingC),
        // Elementary functions with the same bits on every processor.
        .target(
            name: "CElementary", dependencies: ["CNumbers"], path: "Sources/CLibraries/CElementary",
            cSettings: computingC),
        // Conversions of pixel values: byte order, scaled integers, byte planes; and how C files select vector instructions.
        .target(name: "CNumbers", path: "Sources/CLibraries/CNumbers", cSettings: computingC),
        // Stubs by which CFITSIO's archive is linked, and a CFITSIO driver for files that are open.
        .target(name: "CFITSIOSupport", path: "Sources/CLibraries/CFITSIOSupport", cSettings: computingC),
        // Starts programs of others, bounds them, and ends all that they have started.
        .target(
            name: "CProgramBox", path: "Sources/CLibraries/CProgramBox", exclude: ["worker.py"], cSettings: computingC),
        // Calls of the system that Swift does not import.
        .target(name: "CSystem", path: "Sources/CLibraries/CSystem", cSettings: computingC),

        // Programs that people copy.
        .executableTarget(
            name: "primes", dependencies: ["SkyfarmKit"], path: "Examples/primes", exclude: ["README.md"],
            swiftSettings: computing),
        .executableTarget(
            name: "histogram", dependencies: ["SkyfarmKit"], path: "Examples/histogram", exclude: ["README.md"],
            swiftSettings: computing),
        .executableTarget(
            name: "hashes", dependencies: ["SkyfarmKit"], path: "Examples/hashes", exclude: ["README.md"],
            swiftSettings: computing),
        .executableTarget(
            name: "render", dependencies: ["SkyfarmKit"], path: "Examples/render", exclude: ["README.md"],
            swiftSettings: computing),
        .executableTarget(
            name: "skyfarm-benchmarks",
            dependencies: [
                "SkyScan", "SkySynthetic", "SkyCatalogue", "SkyMeasurement", "SkyExtraction", "SkyFITS", "ScanFarm",
                "ScanNetwork", "ScanSecurity", "ScanCluster", "ScanBasics", "CFITSIO",
                "CStopwatch", "CEcho",
            ],
            path: "Benchmarks/skyfarm-benchmarks", swiftSettings: swift,
            // CStopwatch's clocks around these functions, which are linked statically.
            linkerSettings: [
                .unsafeFlags(
                    [
                        "skyfarm_measure_meshes", "skyfarm_smooth_meshes", "skyfarm_spline_row", "skyfarm_extract",
                        "skyfarm_kron_radius", "skyfarm_sum_ellipse", "skyfarm_sum_circle", "skyfarm_half_flux_radius",
                        "skyfarm_ring_radius", "ffgtbb",
                    ].flatMap { ["-Xlinker", "--wrap=\($0)"] }, .when(platforms: [.linux]))
            ]),
        // Clocks around the kernel and cfitsio; the fastest echo that one connection allows.
        .target(name: "CStopwatch", dependencies: ["CSkyKernel"], path: "Benchmarks/CStopwatch"),
        .target(name: "CEcho", path: "Benchmarks/CEcho"),

        // libsep, with which tests compare the kernel, and a draw that is fixed. Debian: libsep-dev.
        .target(
            name: "CSEP", dependencies: ["CElementary"], path: "Tests/CSEP", linkerSettings: [.linkedLibrary("sep")]),
        // Real images, their reference catalogues, and libsep as an oracle, for the tests of several targets.
        .target(
            name: "SkyTestSupport",
            dependencies: ["SkyExtraction", "SkyFITS", "CFITSIO", "CSEP"],
            path: "Tests/SkyTestSupport",
            exclude: ["Oracle/astropy_scripts.py", "Oracle/whole_image.py"],
            swiftSettings: swift),
        // Announces and browses in the hosts of the lab, Tests/lab.
        .executableTarget(
            name: "discovery-probe", dependencies: ["ScanDiscovery", "ScanCluster"],
            path: "Tests/lab/discovery-probe", swiftSettings: swift),
        // Slow and faulty nodes, and a job on them, for tests of faults with real processes.
        .executableTarget(
            name: "fault-probe", dependencies: ["SkyScan", "ScanFarm", "ScanNetwork", "ScanSecurity", "ScanCluster"],
            path: "Tests/fault-probe",
            swiftSettings: swift),
        // Misuses of the library, each in a process of its own, since none may trap.
        .executableTarget(
            name: "misuse-probe", dependencies: ["SkyfarmKit"], path: "Tests/misuse-probe", swiftSettings: swift),
        // Many scenarios of the simulated cluster, for scripts/soak.
        .executableTarget(
            name: "skyfarm-simulation", dependencies: ["ScanTestSupport", "ScanCluster"], path: "Tests/simulation",
            exclude: ["planted"], swiftSettings: swift),
        .testTarget(
            name: "ScanDiscoveryTests",
            dependencies: ["ScanBasics", "ScanDiscovery", "ScanCluster", "ScanTestSupport"],
            swiftSettings: swift),
        .testTarget(
            name: "ScanFarmTests",
            dependencies: [
                "TaskJournal", "ScanFarm", "ScanNetwork", "ScanDiscovery", "ScanSecurity", "ScanCluster", "ScanBasics",
                "ScanTestSupport", "SkyfarmTesting", "misuse-probe",
            ],
            swiftSettings: swift),
        .testTarget(
            name: "SkyfarmTestingTests", dependencies: ["SkyfarmTesting", "ScanCluster"], swiftSettings: swift),
        .testTarget(
            name: "ScanClusterTests", dependencies: ["ScanBasics", "ScanCluster", "ScanSlots", "ScanTestSupport"],
            swiftSettings: swift),
        .testTarget(
            name: "ScanSlotsTests", dependencies: ["ScanBasics", "ScanCluster", "ScanSlots", "ScanTestSupport"],
            swiftSettings: swift),
        .testTarget(
            name: "ScanNetworkTests",
            dependencies: [
                "ScanCompression", "ScanSockets", "ScanBasics", "ScanFarm", "ScanNetwork", "ScanSecurity",
                "ScanCluster", "ScanSlots", "ScanTestSupport",
            ],
            swiftSettings: swift),
        .testTarget(
            name: "TaskJournalTests", dependencies: ["TaskJournal", "ScanBasics", "ScanTestSupport"],
            swiftSettings: swift),
        .testTarget(
            name: "ScanPageTests", dependencies: ["ScanPage", "ScanFarm", "ScanCluster", "ScanBasics"],
            swiftSettings: swift),
        .testTarget(
            name: "ScanDashboardTests", dependencies: ["ScanSockets", "ScanDashboard", "ScanNetwork", "ScanCluster"],
            swiftSettings: swift),
        .testTarget(
            name: "ScanSecurityTests", dependencies: ["ScanBasics", "ScanSecurity", "ScanCluster"],
            swiftSettings: swift),
        .testTarget(name: "ScanBasicsTests", dependencies: ["ScanBasics", "ScanTestSupport"], swiftSettings: swift),
        .testTarget(
            name: "SkyImageTests",
            dependencies: [
                "ScanBasics", "SkySynthetic", "SkyCatalogue", "SkyTrails", "SkyMeasurement", "SkyExtraction", "SkyFITS",
                "SkyTestSupport", "CSkyKernel", "CElementary", "CNumbers", "CSEP", "CFITSIO",
            ],
            exclude: [
                "WCS/astropy_coordinates.py", "WCS/generated_headers.py", "FITS/astropy_pixels.py",
                "FITS/astropy_planes.py", "FITS/generated_files.py", "Selection/generated_conditions.py",
                "Catalogue/astropy_table.py",
            ],
            swiftSettings: swift),
        .testTarget(
            name: "SkyScanTests",
            dependencies: [
                "TaskJournal", "SkyScan", "SkySynthetic", "SkyCatalogue", "SkyMeasurement", "SkyExtraction",
                "SkyFITS", "ScanNetwork", "ScanSecurity", "ScanCluster", "ScanSlots", "ScanBasics", "ScanTestSupport",
                "SkyCalibration",
                "SkyTestSupport",
            ],
            exclude: ["SExtractor/column-lists.txt"],
            swiftSettings: swift),
        .testTarget(
            name: "SkyCalibrationTests",
            dependencies: [
                "SkyCalibration", "SkyFITS", "SkyTestSupport", "CCalibration", "CNumbers", "CFITSIO", "ScanBasics",
            ],
            exclude: ["Masters/numpy_stack.py"],
            swiftSettings: swift),
        .testTarget(
            name: "SkyReportTests",
            dependencies: ["SkyReport", "SkyCatalogue", "SkyExtraction", "SkyFITS", "CPNG", "CZlib", "ScanBasics"],
            swiftSettings: swift),
        .testTarget(name: "SAMPTests", dependencies: ["SAMP"], swiftSettings: swift),
        .testTarget(name: "CommandLineKitTests", dependencies: ["CommandLineKit"], swiftSettings: swift),
        .testTarget(
            name: "skyfarmTests",
            dependencies: [
                "skyfarm", "ScanBench", "ScanFleet", "NodeDaemon", "ImageJobs", "SExtractorCommand", "ImageScanning",
                "CalibrationCommand", "Console", "fault-probe", "primes", "histogram", "CommandLineKit", "MapCommand",
                "StepsCommand",
                "ScanDashboard", "SkyScan", "SkyReport", "SkySynthetic", "SkyCatalogue", "SkyExtraction", "SkyFITS",
                "ProgramTask", "TaskJournal", "ScanPage", "hashes", "render",
                "ScanFarm", "ScanNetwork", "ScanDiscovery", "ScanSecurity", "ScanCluster", "ScanBasics",
                "ScanTestSupport", "SkyTestSupport",
            ],
            exclude: [
                "EndToEnd/astropy_catalogue.py", "EndToEnd/night_oracle.py", "Sex/overlapping_exposures.py",
                "Sex/public-settings.txt", "Scan/Forced/sum_circle.py",
            ], swiftSettings: swift),
        // Last: it measures times, and runs alone.
        .testTarget(name: "LabTests", swiftSettings: swift),
    ],
    swiftLanguageModes: [.v6]
)

// What scripts/fuzz builds, and nothing else does: it needs libFuzzer to link.
if Context.environment["SKYFARM_FUZZ"] != nil {
    package.targets.append(
        .executableTarget(
            name: "skyfarm-fuzz",
            dependencies: [
                "ScanCompression", "ScanFleet", "NodeDaemon", "ImageJobs", "SExtractorCommand", "ImageScanning",
                "Console", "SAMP",
                "CommandLineKit", "SkyScan",
                "SkyMeasurement", "SkyExtraction", "SkyFITS", "ScanNetwork", "ScanDiscovery", "ScanSecurity",
                "ScanCluster", "ScanBasics", "CFITSIO",
            ],
            path: "Tests/fuzz", exclude: ["corpus", "fits.dict", "coordinates.dict", "leaks.txt"],
            swiftSettings: swift + [.unsafeFlags(["-parse-as-library"])]))
}
