/// The flow files of a daemon.
public protocol FlowFileRegistry: AnyObject {
    /// The path of the file from which a flow was loaded; nil if it is compiled into the program.
    func file(of flow: String) -> String?
    /// The mistakes for which the files were not loaded the last time, a sentence each; empty if they
    /// were.
    var mistakes: [String] { get }
}
