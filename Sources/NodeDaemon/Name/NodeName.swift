import CommandLineKit
import Foundation
package import ScanBasics

/// The name of a node, and whether the node will have it after a restart.
package struct NodeName: Sendable {
    package let text: String
    /// Reason why another start may give another name, with the remedy. Nil if the name lasts.
    package let note: String?
    private let host: HostNodeName?
    private let claim: NameClaim?

    /// Uses a name that the user has given.
    package init(given text: String) { (self.text, note, host, claim) = (text, nil, nil, nil) }

    private init(_ text: String, note: String? = nil, _ host: HostNodeName, _ claim: NameClaim?) {
        (self.text, self.note, self.host, self.claim) = (text, note, host, claim)
    }

    /// Finds the name of a node that was given none: the one that is kept in `folder`, or else that of its host, which is
    /// then kept. The name is this node's as long as the result exists.
    /// - Parameters:
    ///   - hostName: name of the host, with or without its domain.
    ///   - address: address of `--listen`, or nil for the default one; it distinguishes several nodes of a host.
    ///   - folder: folder in which names are kept, or nil if the environment defines none.
    ///   - announced: returns the names of the nodes on the network; called only if no name is kept.
    /// - Returns: The name, with the lock on its file.
    package static func find(
        hostName: String, address: String? = nil, folder: String?, announced: () async -> Set<String>
    ) async -> NodeName {
        let host = HostNodeName(hostName: hostName)
        var generator = SystemRandomNumberGenerator()
        do throws(CommandError) {
            guard let folder else {
                throw CommandError(.failure, "set HOME or XDG_STATE_HOME: the name would be kept there")
            }
            let claim = try NameClaim(of: host.host, in: folder, address: address)
            if let kept = claim.name, host.isName(kept), !claim.otherNames.contains(kept) {
                // If the file cannot be written, it keeps the name without the address.
                if !claim.keeps(kept) { try? claim.keep(kept) }
                return NodeName(kept, host, claim)
            }
            let taken = claim.otherNames.union(await announced())
            let name =
                claim.number == 1
                ? host.first(taken: taken, using: &generator) : host.further(taken: taken, using: &generator)
            do throws(CommandError) {
                try claim.keep(name)
                return NodeName(name, host, claim)
            } catch {
                // The lock distinguishes this node from others of the host, but they do not find its name.
                let other = host.further(taken: taken, using: &generator)
                return NodeName(other, note: note(other, error), host, claim)
            }
        } catch {
            let name = host.further(taken: [], using: &generator)
            return NodeName(name, note: note(name, error), host, nil)
        }
    }

    private static func note(_ name: String, _ error: CommandError) -> String {
        "the name \(name) lasts until this node ends: \(error); `--name` gives one that lasts"
    }

    /// Whether another node has this name and a lesser identity than `own`, so that this node gives way to it.
    package func isPreceded(_ own: SystemID, by others: [(name: String, identity: SystemID?)]) -> Bool {
        others.contains { other in
            // Both have 32 digits.
            other.name == text && other.identity.map { $0.description < own.description } == true
        }
    }

    /// Keeps another name for the next start, since a node on the network has this one.
    /// - Parameter taken: names of the nodes on the network.
    /// - Returns: The name, or nil if this name was given or if no other one can be kept.
    package func giveWay(to taken: Set<String>) -> String? {
        guard let host, let claim else { return nil }
        var generator = SystemRandomNumberGenerator()
        let name = host.further(taken: taken.union(claim.otherNames), using: &generator)
        return (try? claim.keep(name)) == nil ? nil : name
    }
}
