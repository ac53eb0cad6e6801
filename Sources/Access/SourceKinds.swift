public import GameFlow

/// The ways into the daemon. Rules name them: `source:web`.
extension Source.Kind {
    /// A UNIX socket of lines.
    public static let unix = Source.Kind("unix")
    /// Lines over TCP, with TLS or without.
    public static let tcp = Source.Kind("tcp")
    /// HTTP.
    public static let web = Source.Kind("web")
    /// The command line that started the daemon.
    public static let terminal = Source.Kind("terminal")
    /// A Bluetooth device.
    public static let bluetooth = Source.Kind("bluetooth")
    /// An input device of this computer.
    public static let evdev = Source.Kind("evdev")

    /// Those that a rule may name.
    public static let ways: [Source.Kind] = [.unix, .tcp, .web, .terminal, .bluetooth, .evdev]
}
