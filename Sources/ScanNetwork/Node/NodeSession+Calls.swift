extension NodeSession {
    /// Has a call answered, not on the loop's thread.
    func received(_ call: CallFrame) throws(ProtocolError) {
        let number = call.number
        let peer = try state.called(number)
        guard let answer = server.options.onCall else { return }
        let body = Array(call.body)
        Task {
            let reply = await answer(body, peer)
            server.loop.execute { self.reply(to: number, reply) }
        }
    }

    private func reply(to number: UInt64, _ body: [UInt8]) {
        precondition(body.count <= FrameFormat.callBodyLimit, "a reply is longer than its limit")
        guard state.replied(number) else { return }
        connection?.send { $0.putReply(number, body: body) }
    }
}
