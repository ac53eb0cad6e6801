import Shell

extension Options {
    static func help(flows: [String]) -> String {
        """
        gamed: the referee of live games and app flows. Events in over a socket, time-outs out.

        Examples:
          gamed                                   run the game; clients find it at
                                                  \(SocketPath.standard)
          gamed --socket /tmp/g.sock              somewhere else
          gamed --config room.conf                a web page, too, for who has `gamectl token add desk`:
                                                  http 127.0.0.1:8080
                                                  allow token:desk operate
          gamed --bluetooth sim:hall.radio        buzzers, simulated; `gamectl bluetooth` has them
          gamed --clock virtual                   time moves only by `gamectl advance 90s`
          echo status | nc -N -U /tmp/g.sock      ask it anything; gamectl does so too

        Options:
          --socket PATH          where clients find the daemon; mode 0660
          --flow NAME            the flow of session main (\(flows.joined(separator: ", "))); default game
          --no-main              open no session at the start
          --clock real|virtual   virtual time moves only by `advance`; default real
          --state-dir DIR        keep everything there: what is acknowledged survives kill -9
                                 and a power cut; default $STATE_DIRECTORY, else nothing is kept
          --keep D               how long what is over is kept, or forever; default 30d
          --audit refusals       keep what was refused, too
          --accept-loss          start although the journal has lost rows; without this, the daemon
                                 refuses to
          --listen HOST:PORT     lines over TCP, too; may be given more than once
          --http HOST:PORT       the web page, its events, metrics; or unix:PATH; may be given
                                 more than once. An address that the machine does not have yet
                                 is tried again until it does
          --http-host NAME       another name by which browsers may know the daemon
          --tls-cert FILE        TLS for both, with --tls-key FILE; --tls-client-ca FILE asks
                                 clients for certificates
          --insecure             no TLS on an address that others reach
          --tokens FILE          where tokens are kept; default DIR/tokens of --state-dir,
                                 else as long as the daemon runs
          --bluetooth WHERE      listen to Bluetooth devices: sim:FILE plays a scenario;
                                 hci:unix:PATH, hci:tcp:HOST:PORT: a controller that answers there
          --btsnoop FILE         write every Bluetooth packet there, for tshark
          --limit NAME=VALUE     requests, requestsInAll, unixRequests, presses a second; clients,
                                 clientsPerPeer; idle, header, bluetoothAge: times
          --config FILE          these without the dashes, a line each (the command line's
                                 --listen and --http replace all of the file's), and rules:
                                 allow PRINCIPAL ROLE [session=GLOB] [event=GLOB];
                                 and what devices tell:
                                 map device=GLOB service=UUID characteristic=UUID
                                   value=HEX[/MASK] event=NAME [session=NAME] [args=JSON]
                                   [debounce=D]; map device=GLOB lost=EVENT found=EVENT;
                                 default /etc/gamed/gamed.conf, if that is there
          --check                check configuration, rules, maps, tokens, certificates, radio
                                 files and the state directory without starting: 0, or 2
          --help                 this
          --version              the version

        Signals: SIGTERM and SIGINT end it cleanly; a second one at once. SIGHUP reads rules, maps,
        limits, tokens and certificates again.
        Exit status: 0 ended cleanly, 1 could not run, 2 usage.
        """
    }
}
