/// The flow files of a daemon.
public protocol FlowFileRegistry: AnyObject {
    /// The path of the file from which a flow was loaded; nil if it is compiled into the program.
    func file(of flow: String) -> String?
    /// The mistakes that the daemon found when it last read the flow files, at the start or at SIGHUP: a sentence each. Empty if
    /// there was no mistake. If a mistake is found at SIGHUP, the flows that were loaded before stay.
    var mistakes: [String] { get }
}
