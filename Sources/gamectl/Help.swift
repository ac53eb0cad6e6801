import Shell

/// What `--help` says.
enum Help {
    static var text: String {
        """
        gamectl: talks to gamed, the referee of live games and app flows.

        Examples:
          gamectl status                              where session main stands, and what it takes
          gamectl send startPlaying                   an event
          gamectl send chooseEpisode episode=2        … with arguments
          gamectl send id=k1 @room-1 pause            … once only, to another session
          gamectl open @room-2 playingLevel episode=1 level=2
          gamectl watch                               follow it, its countdowns running
          gamectl wait --state finishedLevel --within 2m && echo over
          gamectl timer timeUp extend by=30s
          gamectl advance 30s                         on a daemon with --clock virtual
          gamectl --json list flow=game               for programs: the result as it came
          gamectl test Examples/scenarios/*.scenario  time-outs, tested in no time
          gamectl graph quiz --format svg >quiz.svg   the flow as it is

        Usage: gamectl [OPTIONS] VERB [@SESSION] [KEY=VALUE …] WORD … [KEY=VALUE … | {JSON}]
        Before the event: options of the verb (`send id=k1 pause`). Behind it: the event's arguments
        (`send chooseLevel level=3`). The same holds for a state and its data. A value is read by the type
        that the flow has for it: `code=4711` is a text where a text is wanted.

        Verbs:
          status                       a session: state, data, timers, what it takes
          send EVENT                   an event; id=TEXT makes it idempotent, ageMs=N tells its age,
                                       entry=N refuses it if the session has entered a state since
          list                         all sessions; flow=NAME limit=N after=NAME
          open [STATE]                 begin a session; flow=NAME
          close                        end a session
          goto STATE                   put a session into a state; reason=TEXT
          timer FIRES ACTION           pause, resume, extend by=D, restart
          advance D | advance toNext   move the virtual clock
          watch [@NAME|@*]             follow until interrupted; topics=changes,beats,refusals,
                                       since=N or a cursor
          wait --state NAME            return when the session is in that state
          history                      who sent what, refusals too, newest first; limit=N before=N
          describe [FLOW]              states, events and transitions of a flow
          backup PATH                  a copy of what is kept and of the tokens' hashes, made while it
                                       goes on, and read again; onServer=true: at a path of the daemon's
          token add|remove NAME        a token for programs elsewhere and browsers, shown this once
          token list                   their names
          bluetooth                    the Bluetooth devices: how far they are, and what they last told
          bluetooth press|drop|return|sleep DEVICE [BUTTON]
                                       move a device that is simulated
          hello                        about the daemon
          ping                         whether it is there

          journal prune --yes          remove what is older than --keep, though the clock is far ahead

        Verbs that ask the flows themselves, without a daemon:
          lint [FLOW]                  what each state takes and refuses, and what is wrong
          test FILE…                   scenarios in virtual time, as TAP 14; --coverage
          races [FLOW]                 what depends on the order of things due at one instant
          paths [FLOW]                 the shortest ways to its states; --to STATE
          paths FLOW --scenario        scenarios that take every transition
          graph [FLOW]                 a diagram; --format mermaid, dot, scxml, svg, png

        Verbs that look at what a daemon has kept, while it does not run, or at a backup:
          replay DIR|BACKUP            run it again; where it does not come about as it did
          replay DIR|BACKUP --flow NAME  try a flow against it: what would have gone differently
          journal check DIR|BACKUP     whether all of it is there, and whole
          journal export DIR|BACKUP    its rows as JSON lines; --session NAME
          journal forget SESSION       erase a session that is over; --state-dir DIR, and --yes or --dry-run

        Options:
          --socket PATH    where the daemon listens; default the first that exists of $GAMED_SOCKET,
                           $XDG_RUNTIME_DIR/gamed.sock and \(SocketPath.service). Nothing but
                           that one is tried, and a $GAMED_SOCKET that is set is always used
          --session NAME   the session of verbs that name none; default main
          --json           results and notifications as JSON lines; refusals on standard error
          --timeout D      how long an answer may take; default 5s, of backup an hour
          --state NAME     of wait: the state to wait for
          --within D       of wait: how long, in real time; default for ever
          --format FORMAT  of graph: the language of the diagram, or svg, png; default mermaid
          --to STATE       of paths: one state only
          --scenario       of paths: a scenario file
          --coverage       of test: what was exercised, and what was not
          --flow NAME      of replay: the flow to try
          --yes            of journal prune and journal forget: do it
          --state-dir DIR  of journal forget: whose journal; or a backup
          --dry-run        of journal forget: only say what would be erased
          --help           this
          --version        the version

        Exit status: 0 done, 1 refused, 2 usage, 3 cannot connect, 4 timed out, 5 protocol,
        6 a check failed.
        """
    }
}
