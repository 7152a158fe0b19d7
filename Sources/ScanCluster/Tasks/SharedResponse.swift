/// A response on its way from an attempt to the consumer. Passing it on copies a reference, not the response, whose
/// size and parts are unknown here.
///
/// Of a whole `TaskResponse`, not of its task: it would otherwise look up the type of the response when it is freed.
final class SharedResponse<Response: Sendable>: Sendable {
    let value: Response

    init(_ value: Response) { self.value = value }
}
