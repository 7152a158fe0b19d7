import ScanCluster
import ScanNetwork

extension FuzzTarget {
    /// The hellos that both sides read, as they come in: by a third, two thirds and all of the bytes. The first byte
    /// chooses the side, and a node's obstacle.
    static let hello = FuzzTarget(name: "hello") { bytes in
        var input = FuzzInput(bytes)
        let choice = input.byte()
        let hello = input.rest
        let parts = [hello.count / 3, hello.count * 2 / 3, hello.count]
        for count in parts {
            let part = UnsafeRawBufferPointer(rebasing: hello.prefix(count))
            switch choice & 3 {
            case 0:
                if case .open(let info, _, let consumed) = ClientHandshake().received(part) {
                    precondition(consumed <= count && info.slots > 0 && info.queueLimit <= 1 << 20)
                }
            case 1: _ = ClientHandshake(versions: 1...3).ended(part)
            default:
                let obstacle: (Hello.Refusal, String)? = choice & 3 == 3 ? (.draining, "the node is draining") : nil
                switch ServerHandshake(node: node, obstacle: obstacle).received(part) {
                case .wait: break
                case .open(let info, let reply, let consumed):
                    precondition(consumed <= count && obstacle == nil && info.frameLimit > 0 && !reply.isEmpty)
                case .obey(let order, let info):
                    precondition(obstacle == nil && info.order == order)
                case .refuse(let reply, let reason): precondition(!reply.isEmpty && !reason.isEmpty)
                }
            }
        }
    } seeds: {
        [
            "welcome": Hello(.welcome, versions: Hello.versions, body: try WireEncoder().encode(node)).encoded.chosen(
                0),
            "refusal": Hello(.refusal, versions: 2...3, refusal: .otherVersion, body: Array("too old".utf8))
                .encoded.chosen(1),
            "http": Array("HTTP/1.1 400 Bad Request\r\n".utf8).chosen(1),
            "greeting": try ClientHandshake().greeting(CoordinatorInfo(name: "desk", frameLimit: 1 << 20)).chosen(2),
            "order": try ClientHandshake().greeting(order).chosen(2),
        ]
    }

    private static let order = {
        var info = CoordinatorInfo(name: "desk", frameLimit: 1 << 20, weight: 2)
        info.order = .pause
        return info
    }()

    private static let node = {
        var node = NodeInfo(
            identity: SystemID(high: 1, low: 2), name: "alpha", slots: 4, queueLimit: 16,
            taskTypes: ["sky.band/1", "sky.mesh/1"], frameLimit: 1 << 20)
        node.arithmetic = Arithmetic(fingerprint: "1f0c8e2d", libraries: "SEP 1.2.1")
        return node
    }()
}
