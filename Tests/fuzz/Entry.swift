import Foundation

// What libFuzzer calls. The target is named by SKYFARM_FUZZ_TARGET; SKYFARM_FUZZ_SEEDS names a folder into which the
// seeds of all targets are written instead.

private let target: FuzzTarget = {
    let name = ProcessInfo.processInfo.environment["SKYFARM_FUZZ_TARGET"] ?? ""
    guard let target = FuzzTarget.all.first(where: { $0.name == name }) else {
        print("SKYFARM_FUZZ_TARGET must be one of", FuzzTarget.all.map(\.name).joined(separator: " "))
        exit(2)
    }
    return target
}()

private func writeSeeds(_ folder: URL) throws {
    for target in FuzzTarget.all {
        let place = folder.appending(path: target.name)
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        for (name, bytes) in try target.seeds() { try Data(bytes).write(to: place.appending(path: name)) }
    }
}

/// Called once, with places of the arguments that are of no use here.
@_cdecl("LLVMFuzzerInitialize")
public func initializeFuzzer(_ count: UnsafeMutableRawPointer, _ arguments: UnsafeMutableRawPointer) -> CInt {
    guard let folder = ProcessInfo.processInfo.environment["SKYFARM_FUZZ_SEEDS"] else {
        _ = target
        return 0
    }
    do {
        try writeSeeds(URL(filePath: folder))
        exit(0)
    } catch {
        print("the seeds cannot be written: \(error)")
        exit(1)
    }
}

/// Called with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    target.run(UnsafeRawBufferPointer(start: start, count: count))
    return 0
}
