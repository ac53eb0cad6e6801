/// The flow files of a daemon. The server implements it, and the dispatcher asks it. Called on the loop's thread.
public protocol FlowFileRegistry: AnyObject {
    /// The path of the file from which the flow named `flow` was loaded; nil if the flow is compiled into the program.
    func file(of flow: String) -> String?
    /// The mistakes that the daemon found when it last read the flow files, at the start or at SIGHUP: a sentence each. Empty
    /// if there was no mistake. If a mistake is found at SIGHUP, the flows that were loaded before stay in use.
    var mistakes: [String] { get }
    /// The possible mistakes in the flow files that are in use: a sentence each.
    var warnings: [String] { get }
}
