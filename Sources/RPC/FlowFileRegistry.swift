/// The flow files of a daemon.
public protocol FlowFileRegistry: AnyObject {
    /// The path of the file from which a flow was loaded; nil if it is compiled into the program.
    func file(of flow: String) -> String?
    /// The mistakes that the daemon found when it last read the flow files, at the start or on SIGHUP, one sentence
    /// each. If there is a mistake, the daemon keeps the flows that it loaded before. Empty if there was no mistake.
    var mistakes: [String] { get }
}
