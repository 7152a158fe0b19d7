import Foundation
import ScanSecurity

/// A separate machine with regard to settings and keys.
struct Machine {
    let folder: String

    init(_ scene: Scene, _ name: String) { folder = scene.path(name) }

    var environment: [String: String] { ["XDG_CONFIG_HOME": folder] }
    var keyPath: String { folder + "/skyfarm/cluster.key" }
    var store: KeyStore { KeyStore(path: keyPath) }

    /// The secret as hexadecimal digits, which no output may hold.
    var secret: String { get throws { String(try store.existingRing().current.exportText().suffix(64)) } }

    var fingerprint: String { get throws { try store.existingRing().current.fingerprint.description } }

    /// Runs `skyfarm` there; with `input`, the file is its standard input.
    func run(_ words: [String], input: String? = nil) throws -> Program.Result {
        guard let input else { return try Program.run(words, environment: environment) }
        return try Program.run(
            words, prefix: ["sh", "-c", #"exec "$0" "$@" <"$INPUT""#],
            environment: environment.merging(["INPUT": input]) { $1 })
    }

    /// `skyfarm key export | ssh other skyfarm key import`.
    func giveKey(to other: Machine, _ options: String = "") throws -> Program.Result {
        try Program.run(
            [], prefix: ["sh", "-c", #""$0" key export | XDG_CONFIG_HOME="$OTHER" "$0" key import "# + options],
            environment: environment.merging(["OTHER": other.folder]) { $1 })
    }

    func mode(_ path: String) throws -> Int {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int ?? -1
    }
}
