import ScanCluster

extension NodeServer {
    /// A pause, from its beginning.
    struct Pause {
        var reason: String
        let start: Instant
        /// Tasks that ran and were given back.
        var givenBack = 0
        /// Whether all slots are free.
        var isFree = false
    }

    /// Takes no tasks until ``resume()``, for `reason`, which is sent to the coordinators. Tasks that wait are given back to
    /// their coordinators at once, in order, and those that run if they have not ended after ``Options/pauseGrace``; no
    /// attempt is counted. Then the connections are closed, which frees the bulk bytes that were kept. Coordinators that
    /// connect meanwhile are refused.
    ///
    /// A scan that does not check for its cancellation occupies its thread until it ends; its output is discarded.
    public func pause(_ reason: String) {
        loop.execute {
            if self.pause != nil {
                self.pause?.reason = reason
                return
            }
            self.pause = Pause(reason: reason, start: self.loop.now)
            self.resources.pause(true)
            var count = 0
            for session in self.openSessions { count += session.pause(reason) }
            self.onEvent(.paused(reason: reason, givenBack: count))
            self.publish()
            self.continuePause()
            _ = self.loop.schedule(at: self.loop.now.advanced(by: self.options.pauseGrace)) { [weak self] in
                self?.endGrace()
            }
        }
    }

    /// Takes tasks again.
    public func resume() {
        loop.execute {
            guard self.pause != nil else { return }
            self.pause = nil
            self.resources.pause(false)
            self.onEvent(.resumed)
        }
    }

    private var openSessions: [NodeSession] { sessions.sorted { $0.key < $1.key }.map(\.value) }

    private func endGrace() {
        guard pause != nil else { return }
        for session in openSessions {
            pause?.givenBack += session.giveBack(begun: true)
            session.leaveIfIdle()
        }
        publish()
    }

    /// Tasks have ended: of a coordinator that connected before a pause, the connection may end, also after the pause.
    func continuePause() {
        for session in openSessions { session.leaveIfIdle() }
        guard let pause, !pause.isFree, resources.admission.inFlight == 0 else { return }
        self.pause?.isFree = true
        onEvent(.freed(after: loop.now.since(pause.start), givenBack: pause.givenBack))
    }

    /// Carries out an order.
    /// - Returns: the bytes of the answer.
    func obey(_ order: NodeOrder, of coordinator: CoordinatorInfo, at address: String) throws -> [UInt8] {
        guard let onOrder = options.onOrder else { throw NoOrders() }
        let peer = Peer(address: address, name: coordinator.name)
        onEvent(.ordered(order, peer))
        let pause = onOrder(order, peer)
        return try handshake.reply(to: order, NodeOrder.Answer(pause: pause))
    }

    private struct NoOrders: Error, CustomStringConvertible {
        let description = "this node takes no orders"
    }
}
