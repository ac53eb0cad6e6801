/// The actions of the method `outputs`.
public enum OutputAction: String, CaseIterable {
    /// Switches all outputs, or the outputs of one connection, on or off.
    case on, off
    /// Sends one output, whatever the state of the sessions.
    case test
    /// Lists the retained messages below a prefix of `publish=`, or clears them.
    case retained, clear
}
