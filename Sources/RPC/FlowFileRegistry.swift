/// The flow files of a daemon.
public protocol FlowFileRegistry: AnyObject {
    /// The path of the file from which a flow was loaded; nil if it is compiled into the program.
    func file(of flow: String) -> String?
    /// The mistakes that the daemon found when it last read the flow files, at the start or on SIGHUP, one sentence each.
    /// Because of a mistake it keeps the files that it loaded before. Empty if it loaded the files.
    var mistakes: [String] { get }
}
