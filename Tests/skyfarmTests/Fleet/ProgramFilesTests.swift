import Foundation
import Testing

import ScanFleet

#if os(Linux)
    @Suite("the files that a host needs")
    struct ProgramFilesTests {
        @Test(
            "are also the libraries that the program loads when it needs them, and what these need",
            arguments: ["libssl.so.3", "libcrypto.so.3", "libdns_sd.so.1", "libmicrohttpd.so.12", "libzstd.so.1"])
        func libraries(name: String) throws {
            let files = try ProgramFiles.own()
            #expect(files.libraries.contains { ($0 as NSString).lastPathComponent == name }, "\(files.libraries)")
            #expect(files.libraries.allSatisfy { FileManager.default.fileExists(atPath: $0) })
        }
    }
#endif
