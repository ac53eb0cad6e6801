/// What has a state that operators must know.
package protocol AlertedState: AnyObject {
    /// Begins and ends the alerts about the present state.
    func update(_ alerts: AlertBoard)
}
