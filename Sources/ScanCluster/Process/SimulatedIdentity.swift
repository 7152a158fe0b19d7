/// The process of a simulation that runs the calling code.
package enum SimulatedIdentity {
    /// Its identity; nil in a real process. What a process keeps for itself is kept apart for each.
    @TaskLocal package static var current: SystemID?
}
