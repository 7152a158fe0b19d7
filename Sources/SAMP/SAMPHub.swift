internal import Foundation

/// A SAMP hub, through which the programs of a user exchange tables and images.
///
/// Implements the client side of the standard profile of SAMP 1.3 (https://www.ivoa.net/documents/SAMP/): the hub
/// writes its address and a secret to a lock file that only its user can read. A client that receives no calls needs no
/// server of its own.
public struct SAMPHub: Equatable, Sendable {
    package let server: XMLRPCServer
    package let secret: String

    /// Returns the path of the hub's lock file: the one in `SAMP_HUB`, or `~/.samp`.
    /// - Throws: ``SAMPError`` with `noHub` if the environment names none.
    public static func lockFile(_ environment: [String: String]) throws(SAMPError) -> String {
        if let named = environment["SAMP_HUB"], !named.isEmpty {
            let prefix = "std-lockurl:"
            guard named.hasPrefix(prefix), let url = URL(string: String(named.dropFirst(prefix.count))), url.isFileURL
            else {
                throw SAMPError(.noHub, "SAMP_HUB is not std-lockurl:file:///PATH, but \(named)")
            }
            return url.path
        }
        guard let home = environment["HOME"], !home.isEmpty else {
            throw SAMPError(.noHub, "no place of a SAMP hub: set HOME, or SAMP_HUB")
        }
        return home + "/.samp"
    }

    /// Reads the hub's address and secret from a lock file.
    /// - Throws: ``SAMPError`` with `noHub` if the file is missing or invalid.
    public init(lockFile path: String) throws(SAMPError) {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw SAMPError(.noHub, "no SAMP hub runs (\(path) is missing); start TOPCAT or Aladin first")
        }
        guard let hub = SAMPHub(description: String(decoding: data, as: UTF8.self)) else {
            throw SAMPError(.noHub, "\(path): not the lock file of a SAMP hub")
        }
        self = hub
    }

    /// Parses a lock file, in which each line is `KEY=VALUE` or a comment.
    package init?(description: String) {
        var values: [String: String] = [:]
        for line in description.split(whereSeparator: \.isNewline) where !line.hasPrefix("#") {
            let parts = line.split(separator: "=", maxSplits: 1)
            if parts.count == 2 { values[String(parts[0])] = String(parts[1]) }
        }
        guard let secret = values["samp.secret"],
            let server = values["samp.hub.xmlrpc.url"].flatMap(XMLRPCServer.init(url:))
        else { return nil }
        (self.server, self.secret) = (server, secret)
    }
}
