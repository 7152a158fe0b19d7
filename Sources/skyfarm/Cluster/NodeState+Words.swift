import ScanNetwork

extension NodeState {
    /// Whether tasks can be sent there.
    var isUsable: Bool {
        switch status {
        case .joined, .duplicate: true
        case .connecting, .failed, .closed: false
        }
    }

    /// Whether it does not hold a key of ours.
    var lacksKey: Bool {
        if case .failed(let error) = status { return error.code == .authentication }
        return false
    }

    /// Whether its address was given, and it does not hold a key of ours.
    var refusesKey: Bool { announcedName == nil && lacksKey }

    /// Why not, in words; nil if it can be used.
    var trouble: String? {
        switch status {
        case .joined: nil
        case .duplicate(let other): "the same node as \(other)"
        case .connecting: "no answer yet"
        case .failed(let error): error.message
        case .closed: "closed"
        }
    }
}
