import ScanCluster

extension ScanNode {
    /// A node is started and closed once.
    enum Phase {
        /// Goes to `started` or `closed`.
        case new
        /// Goes to `closed`.
        case started
        /// Final.
        case closed

        /// Why a node cannot be started; nil if it can.
        var problem: SetupError? {
            switch self {
            case .new: nil
            case .started: SetupError("the node was started before")
            case .closed: SetupError("the node was closed: make another one")
            }
        }
    }
}

extension SetupError {
    /// What is wrong with the names of the types that a farm runs; nil if nothing is.
    init?<each Work: ScanTask>(running types: repeat (each Work).Type) {
        var known: [String: ObjectIdentifier] = [:]
        for type in repeat each types {
            let name = type.typeName
            let isTaken = known.updateValue(ObjectIdentifier(type), forKey: name).map { $0 != ObjectIdentifier(type) }
            if let problem = SetupError(typeName: name, of: type, isTaken: isTaken ?? false) {
                self = problem
                return
            }
        }
        return nil
    }
}
