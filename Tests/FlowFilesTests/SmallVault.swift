@testable import FlowFiles

/// A shorter form of the vault of `Examples/flows`: without the state `reset`, the screens, and the titles of the events.
let smallVault = """
    flow: vault                       # what clients call it
    title: The Vault                  # what people read
    start: lobby

    settings:                         # an operator may change these for a session
      time: 60m
      hints: 3
      lastCode: '0451'

    events:                           # what comes from outside, in the order of the pages' buttons
      begin: {team: text 1..32}
      code: {digits: text 4..4}
      hint: {say: text 1..200}
      solve: {puzzle: "one of bookcase, laser"}
      goHome:

    # The effects, which devices of the room carry out.
    effects: [music, openSafe, lights, say]

    states:
      lobby:
        title: The team is in the lobby
        on:
          begin: {to: playing, with: {used: 0, solved: none}, do: [music]}

      playing:
        title: The team plays
        data: {team: text, used: integer, solved: set}    # hints used, puzzles solved
        timers:                       # with `restart: remaining`, a restart of gamed takes no time from the team
          timeUp: {after: =settings.time, restart: remaining}
          tick: {every: 1s, restart: remaining}
          last: {after: =settings.time - 5m, restart: remaining}
        on:
          solve:                      # the first row whose `if` is true is taken
            - if: puzzle in solved
              refuse: {puzzle: it is solved already}
            - if: count(solved) == 1
              to: won
              with: {left: =left(timeUp)}
              do: [openSafe, lights: {scene: victory}]
            # No `to`: the state stays, and its timers run on.
            - with: {solved: =solved + puzzle}
          hint:
            if: used < settings.hints
            with: {used: =used + 1}
            do: [say: {text: =say}]
            else: {refuse: {say: no hint is left}}
          code: {if: digits == settings.lastCode, do: [openSafe], else: {refuse: {digits: wrong}}}
          last: {do: [music]}
          tick: stay
          timeUp: {to: lost, do: [lights: {scene: lost}]}

      won:
        title: The vault is open
        data: {team: text, used: integer, left: duration}
        timers: {home: {after: 2m}}
        on: {home: lobby}

      lost:
        title: The time is up
        timers: {home: {after: 2m}}
        on: {home: lobby}

    everywhere:                       # transitions of every state except those in `except`
      except: [lobby]
      on: {goHome: {to: lobby}}

    always:                           # rules that lint, races and scenarios check, in each state that has the data `used`
      - {that: used <= settings.hints, why: no more hints than were agreed}
    """
