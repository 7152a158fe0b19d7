import Foundation

#if canImport(Glibc)
    import Glibc
#endif

/// Runs code as a user whom file permissions stop: as `nobody` where the tests run as root, as in CI.
package enum Unprivileged {
    /// Whether there is such a user here.
    package static var isPossible: Bool {
        #if os(Linux)
            true
        #else
            geteuid() != 0
        #endif
    }

    #if os(Linux)
        private typealias Setter = @convention(c) (UInt32) -> Int32

        /// Calls a function that Swift does not import; returns what it replaces.
        private static func set(_ name: String, _ id: UInt32) -> UInt32 {
            guard let symbol = dlsym(nil, name) else { fatalError("there is no \(name)") }
            return UInt32(bitPattern: unsafeBitCast(symbol, to: Setter.self)(id))
        }
    #endif

    /// Calls `body` on this thread without the rights of root in the file system; other threads keep theirs.
    package static func run<Result>(_ body: () throws -> Result) rethrows -> Result {
        #if os(Linux)
            guard geteuid() == 0 else { return try body() }
            // Of the thread alone, unlike the effective user. The kernel takes its capabilities for files, too.
            let (group, user) = (set("setfsgid", 65_534), set("setfsuid", 65_534))
            defer {
                _ = set("setfsuid", user)
                _ = set("setfsgid", group)
            }
            return try body()
        #else
            return try body()
        #endif
    }
}
