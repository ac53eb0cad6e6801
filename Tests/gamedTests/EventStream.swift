/// Reads event streams with curl.
enum EventStream {
    /// Starts curl with these arguments, and executes a command after the first snapshot. Then waits until `count` lines match
    /// `pattern`, a basic regular expression. This wait takes at most two minutes. Waits 0.2 s more, to receive also an event
    /// that the daemon wrongly repeats. Returns all lines that curl has printed. The arguments and the command can use the shell
    /// variables of `ShellCommand`, such as `$WEB`, the address of the daemon.
    static func read(
        _ curlArguments: String, _ daemon: DaemonProcess, while command: String = ":",
        until pattern: String = "event: snapshot", count: Int = 1
    ) -> String {
        ShellCommand.run(
            """
            out=$(mktemp); wait_for() { for i in $(seq 2400); do [ $(grep -c "$1" $out) -ge $2 ] && break; sleep 0.05; done; }
            curl -sSN -m 300 \(curlArguments) >$out 2>/dev/null & p=$!
            wait_for 'event: snapshot' 1
            \(command)
            wait_for '\(pattern)' \(count)
            sleep 0.2; kill $p; cat $out; rm $out
            """, daemon)
    }
}
