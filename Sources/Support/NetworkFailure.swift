// Only the daemon uses this.
#if canImport(Glibc)
    internal import Glibc

    /// The reason why a socket of the network cannot be used.
    public enum NetworkFailure {
        /// The text of an error number. Names the drop-in of the systemd unit that opens the network, if the unit has closed it.
        public static func text(_ number: Int32, dropIn: String? = nil) -> String {
            let text = String(cString: strerror(number))
            // The service manager sets INVOCATION_ID for each service.
            guard number == EAFNOSUPPORT, getenv("INVOCATION_ID") != nil else { return text }
            return "\(text): \(hint(dropIn))"
        }

        /// What an administrator can do if the unit allows no network.
        public static func hint(_ dropIn: String?) -> String {
            let file = dropIn.map { "drop-ins/\($0).conf" } ?? "the drop-in of this kind of line"
            return
                "the systemd unit allows no network; copy \(file) to /etc/systemd/system/gamed.service.d"
        }
    }
#endif
