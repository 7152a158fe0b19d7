import ScanNetwork

extension NodeState {
    /// Whether tasks can be sent to the node, by this connection or another one.
    package var isUsable: Bool {
        switch status {
        case .joined, .duplicate: true
        case .connecting, .failed, .closed: false
        }
    }

    /// Whether it was discovered, and is connected by another connection.
    package var isSecond: Bool {
        if case .duplicate = status { return announcedName != nil }
        return false
    }

    /// Whether authentication failed: the node holds none of the keys of this process.
    package var lacksKey: Bool {
        if case .failed(let error) = status { return error.code == .authentication }
        return false
    }

    /// Whether authentication failed at an address that was given.
    var refusesKey: Bool { announcedName == nil && lacksKey }

    /// Whether it computes differently, and is not used for that.
    package var computesDifferently: Bool {
        if case .failed(let error) = status { return error.code == .differentArithmetic }
        return false
    }

    /// Its name and address, or the address alone while the name is unknown.
    package var label: String { node.map { "\($0.name) (\(address))" } ?? address }

    /// Why tasks are not sent to this address; nil if they are.
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
