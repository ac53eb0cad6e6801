/// The text of a flow file whose set gets six items in any order.
let resetChecklist = """
    flow: checklist
    start: reset
    events:
      check: {item: "one of radio, chart, chest, gears, lamp, door"}
      arm:
      done:
    effects: [openDoor]
    states:
      reset:
        data: {done: set = none}
        on:
          check:
            - {if: item in done, refuse: {item: it is checked already}}
            - {with: {done: =done + item}}
          arm:
            - {if: count(done) < 6, refuse: true}
            - {to: lobby, do: [openDoor]}
      lobby:
        on: {done: reset}
    """
