/// A change of this machine that makes it worth looking for peers anew.
package enum NetworkChange: Sendable, Hashable {
    /// An interface came, went, or was switched on or off; addresses or routes are others than before.
    case networkChanged
    /// The wall clock was set: it jumped. That it is slewed towards the right time is no such event.
    case clockChanged
    /// The machine slept, and is awake again.
    case resumed(sleptFor: Duration)
}
