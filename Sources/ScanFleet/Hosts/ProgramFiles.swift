import CSystem
package import CommandLineKit
import Foundation

/// The files that a host needs to run this program: its executable and the libraries that it loads, except those of the
/// C library, which belong to the system.
package struct ProgramFiles: Sendable {
    package var program: String
    /// Paths; the last component of each is the name by which the library is loaded.
    package var libraries: [String]

    /// Returns the files of this process. Supported on Linux only.
    /// - Throws: `CommandError` on other systems.
    package static func own() throws(CommandError) -> ProgramFiles {
        #if os(Linux)
            // Loads the libraries that the program would load only on demand.
            for name in ["libdns_sd.so.1", "libmicrohttpd.so.12", "libssl.so.3"] {
                _ = dlopen(name, RTLD_LAZY | RTLD_LOCAL)
            }
            var bytes = [CChar](repeating: 0, count: 1 << 16)
            let count = skyfarm_loaded_libraries(&bytes, bytes.count)
            let text = String(decoding: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
            guard let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") else {
                throw CommandError(.failure, "up: the file of this program cannot be found in /proc")
            }
            return ProgramFiles(
                program: program,
                libraries: text.split(separator: "\n").map(String.init).filter { !isOfSystem($0) })
        #else
            throw CommandError(
                .failure, "up: copies the program from Linux to Linux only; run `skyfarm node` on each machine")
        #endif
    }

    /// Returns whether a library belongs to the C library or to the name services that it loads.
    static func isOfSystem(_ path: String) -> Bool {
        let name = (path as NSString).lastPathComponent
        let system = ["libc", "libm", "libmvec", "libpthread", "libdl", "librt", "libresolv", "libutil", "libanl"]
        return system.contains { name.hasPrefix($0 + ".so") } || name.hasPrefix("ld-") || name.hasPrefix("libnss_")
    }

    /// Packs the files and the text of the cluster key, `key`.
    /// - Returns: An archive that maps the files into memory.
    /// - Throws: `CommandError` if a file cannot be read.
    package func archive(key: String) throws(CommandError) -> TapeArchive {
        var archive = TapeArchive()
        // The key comes first, so that an interrupted copy leaves the program incomplete.
        try archive.add("config/skyfarm/cluster.key", mode: 0o600, Data(key.utf8))
        for path in libraries {
            try archive.add("lib/" + (path as NSString).lastPathComponent, mode: 0o600, try Self.contents(path))
        }
        try archive.add("skyfarm", mode: 0o700, try Self.contents(program))
        return archive
    }

    private static func contents(_ path: String) throws(CommandError) -> Data {
        guard let data = try? Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped) else {
            throw CommandError(.input, "up: \(path): cannot be read, as it must to be copied")
        }
        return data
    }
}
