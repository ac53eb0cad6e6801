import Glibc

/// Who runs this program.
enum User {
    /// The user's name as a rule has it: `ann`, or a number where there is no name. Wraps getpwuid(3).
    static var present: String {
        let uid = geteuid()
        guard let entry = getpwuid(uid), let name = entry.pointee.pw_name else { return "\(uid)" }
        return TerminalSafe.word(String(cString: name))
    }
}
