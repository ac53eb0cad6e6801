/// TCP ports of the loopback interface.
public enum LoopbackPort {
    /// A port that no program uses at present. Linux gives only higher ports to outgoing connections. So a program can close
    /// this port and open it again later.
    public static func findUnused() -> Int {
        while true {
            let port = UInt16.random(in: 20_000..<32_000)
            if LoopbackListener(port: port) != nil { return Int(port) }
        }
    }
}
