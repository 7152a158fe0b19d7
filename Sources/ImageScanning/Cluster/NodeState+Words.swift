import ScanNetwork

extension NodeState {
    /// Whether tasks can be sent to the node, over this connection or another one.
    package var isUsable: Bool {
        switch status {
        case .joined, .duplicate: true
        case .connecting, .failed, .closed: false
        }
    }

    /// Whether the node is connected by another connection.
    package var isSecond: Bool { if case .duplicate = status { true } else { false } }

    /// Whether authentication failed, since the node holds none of the keys of this process.
    package var lacksKey: Bool {
        if case .failed(let error) = status { return error.code == .authentication }
        return false
    }

    /// Whether authentication failed at a given address.
    var refusesKey: Bool { announcedName == nil && lacksKey }

    /// Whether the node is not used because its arithmetic differs.
    package var computesDifferently: Bool {
        if case .failed(let error) = status { return error.code == .differentArithmetic }
        return false
    }

    /// Name and address of the node, or only the address while the name is unknown.
    package var label: String { node.map { "\($0.name) (\(address))" } ?? address }

    /// Reason why no tasks are sent to this address, or nil if they are sent.
    package var trouble: String? {
        switch status {
        case .joined: nil
        case .duplicate(let other): "the same node as \(other)"
        case .connecting: "no answer yet"
        case .failed(let error): error.message
        case .closed: "closed"
        }
    }
}
