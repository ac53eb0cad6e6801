"""Sessions in Home Assistant itself: python HomeAssistant GAMED GAMECTL FOLDER

Starts a broker, gamed and Home Assistant, looks at the entities, uses the controls, and restarts each of the three.
"""

import asyncio
import contextlib
import datetime
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "Clients"))

from assistant import Assistant  # noqa: E402
from proxy import free_port  # noqa: E402

FLOW = """\
flow: lamp
title: The lamp
start: dark
events:
  light: {args: {}, title: Switch on}
  dark: {args: {}, title: Switch off}
  dim: {level: integer 0..10}
  name: {text: text 1..8}
  choose: {colour: "one of red, blue"}
  break: {args: {}, title: Break it}
  fade: {for: duration}
states:
  dark: {title: "It's dark", on: {light: lit, break: broken}}
  lit:
    title: It is bright
    timers:
      burnt: {after: 10m, title: Burns for}
      closes: {until: 'UNTIL', title: Closes}
    data: {level: integer = 3, name: text = "", colour: text = "", left: duration = 1m}
    on:
      burnt: dark
      closes: dark
      fade: {with: {left: =for}}
      dark: dark
      dim: {with: {level: =event.level}}
      name: {with: {name: =text}}
      choose: {with: {colour: =event.colour}}
  broken: {title: Broken, final: true}
"""
GAMED_CONF = """\
mqtt hall mqtt://127.0.0.1:PORT publish=g discovery=homeassistant controls=yes
public https://example.org
session a flow=lamp
allow source:mqtt play session=a
allow source:mqtt operate session=a
"""
UNAVAILABLE = "unavailable"
# What Home Assistant logs when the broker goes away, for its own Python, and for a package that only cameras need.
EXPECTED_WARNINGS = (
    "homeassistant.components.mqtt.client: Disconnected from MQTT server",
    "homeassistant.components.mqtt.client: Failed to connect to MQTT server",
    "homeassistant.setup: Setup failed for 'camera'",
    "homeassistant.bootstrap: Support for the running Python version",
)


def half_a_day_later():
    """The time of day half a day from now, which does not come during the test."""
    return (datetime.datetime.now() + datetime.timedelta(hours=12)).strftime("%H:%M")


class Room:
    """The broker, gamed, and Home Assistant."""

    def __init__(self, gamed, gamectl, folder):
        self.gamed_program, self.gamectl_program, self.folder = gamed, gamectl, pathlib.Path(folder)
        self.broker_port = free_port()
        (self.folder / "flows").mkdir()
        (self.folder / "flows" / "lamp.yaml").write_text(FLOW.replace("UNTIL", half_a_day_later()))
        (self.folder / "gamed.conf").write_text(GAMED_CONF.replace("PORT", str(self.broker_port)))
        self.assistant = Assistant(self.folder / "assistant", self.broker_port, free_port())
        self.programs = {}

    async def start(self, side):
        if side == "assistant":
            return await self.assistant.start()
        if side == "broker":
            # It forgets what it retains when it ends.
            command = ["/usr/sbin/mosquitto", "-p", str(self.broker_port)]
        else:
            command = [self.gamed_program, "--config", "gamed.conf", "--flows", "flows", "--no-main", "--socket", "socket"]
            command += ["--state-dir", "state"]
        self.programs[side] = subprocess.Popen(command, cwd=self.folder, stderr=subprocess.DEVNULL)

    async def stop(self, side):
        if side == "assistant":
            return await self.assistant.stop()
        self.programs[side].kill() if side == "gamed" else self.programs[side].terminate()
        while self.programs[side].poll() is None:
            await asyncio.sleep(0.01)

    def end_all(self):
        for process in self.programs.values():
            if process.poll() is None:
                process.kill()
                process.wait()

    async def gamectl(self, *arguments):
        process = await asyncio.create_subprocess_exec(
            self.gamectl_program, "--socket", self.folder / "socket", "--json", *arguments, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT)
        output, _ = await process.communicate()
        assert process.returncode == 0, f"gamectl {arguments} failed: {output.decode()}"


def is_in_ten_minutes(text):
    """Whether a state of Home Assistant is a time that a countdown of ten minutes, which began a moment ago, ends at."""
    with contextlib.suppress(ValueError):
        left = datetime.datetime.fromisoformat(text).timestamp() - time.time()
        return 500 < left <= 601
    return False


def is_in_half_a_day(text):
    """Whether a state of Home Assistant is about half a day ahead; summer time may begin or end until then."""
    with contextlib.suppress(ValueError):
        return 10 * 3600 < datetime.datetime.fromisoformat(text).timestamp() - time.time() < 14 * 3600
    return False


DARK = {
    "sensor.g_a": "It's dark", "binary_sensor.g_a_running": "on", "sensor.g_a_timer_burnt": UNAVAILABLE,
    "sensor.g_a_timer_closes": UNAVAILABLE, "number.g_a_send_fade": "unknown",
    "button.g_a_send_light": "unknown", "number.g_a_send_dim": "unknown", "select.g_a_send_choose": "unknown",
    "text.g_a_send_name": "unknown", "switch.g_a_paused": "off",
}
LIT = {
    "sensor.g_a": "It is bright", "sensor.g_a_timer_burnt": is_in_ten_minutes,
    "sensor.g_a_timer_closes": is_in_half_a_day, "sensor.g_a_data_level": "3",
    "sensor.g_a_data_leftms": "60.0", "switch.g_a_paused": "off",
}
AWAY = {each: UNAVAILABLE for each in DARK}


async def look_at_entities(room):
    assistant = room.assistant
    await assistant.wait(DARK)
    assert set(assistant.devices()) == {"a"}, assistant.devices()
    device = assistant.devices()["a"]
    assert (device.model, device.configuration_url) == ("The lamp", "https://example.org"), device
    assert device.sw_version, device
    attributes = assistant.attributes("sensor.g_a")
    assert attributes["device_class"] == "enum" and attributes["titles"]["state"] == "It's dark", attributes
    assert attributes["friendly_name"] == "a", attributes
    assert assistant.attributes("button.g_a_send_light")["friendly_name"] == "a Switch on"
    number = assistant.attributes("number.g_a_send_dim")
    assert (number["min"], number["max"]) == (0, 10), number
    fade = assistant.attributes("number.g_a_send_fade")
    assert (fade["unit_of_measurement"], fade["device_class"]) == ("ms", "duration"), fade


async def use_controls(room):
    assistant = room.assistant
    await assistant.call("button.g_a_send_light", "press")
    await assistant.wait(LIT)
    await assistant.call("number.g_a_send_dim", "set_value", value=7)
    await assistant.wait({"sensor.g_a_data_level": "7"})
    await assistant.call("number.g_a_send_fade", "set_value", value=90_000)
    await assistant.wait({"sensor.g_a_data_leftms": "90.0"})
    await assistant.call("text.g_a_send_name", "set_value", value="Zoë's")
    await assistant.wait({"sensor.g_a_data_name": "Zoë's"})
    await assistant.call("select.g_a_send_choose", "select_option", option="blue")
    await assistant.wait({"sensor.g_a_data_colour": "blue"})
    await assistant.call("switch.g_a_paused", "turn_on")
    await assistant.wait({"switch.g_a_paused": "on", "sensor.g_a_timer_burnt": UNAVAILABLE})
    await assistant.call("switch.g_a_paused", "turn_off")
    await assistant.wait({"switch.g_a_paused": "off", "sensor.g_a_timer_burnt": is_in_ten_minutes})
    await assistant.call("button.g_a_send_dark", "press")
    # Home Assistant keeps what its controls were set to.
    await assistant.wait({each: state for each, state in DARK.items() if "_send_" not in each})


async def restart_each(room):
    """Restarts each side while the others run, and each pair in both orders."""
    assistant = room.assistant
    await assistant.call("button.g_a_send_light", "press")
    await assistant.wait(LIT)

    sides = ["gamed", "broker", "assistant"]
    orders = [[each] for each in sides] + [[first, second] for first in sides for second in sides if first != second]
    for order in orders:
        for side in order:
            await room.stop(side)
            if assistant.hass is not None:
                await assistant.wait(AWAY)
        for side in order:
            await room.start(side)
        await assistant.wait(LIT, seconds=60)
        print("restarted:", *order, flush=True)


async def close_and_end(room):
    assistant = room.assistant
    await room.gamectl("open", "@b", "flow=lamp")
    await assistant.wait({"sensor.g_b": "It's dark"})
    await room.gamectl("send", "@b", "break")
    await assistant.wait({"sensor.g_b": "Broken", "binary_sensor.g_b_running": "off"})
    await room.gamectl("close", "@b")
    while "b" in assistant.devices():
        await asyncio.sleep(0.05)
    assert "sensor.g_b" not in assistant.states()
    await assistant.wait(LIT)


async def play(room):
    for side in ("broker", "gamed", "assistant"):
        await room.start(side)
    await look_at_entities(room)
    await use_controls(room)
    await restart_each(room)
    await close_and_end(room)
    await room.stop("assistant")
    warnings = [each for each in room.assistant.warnings.lines if not each.startswith(EXPECTED_WARNINGS)]
    assert not warnings, "Home Assistant logged:\n" + "\n".join(warnings)


def main():
    room = Room(*sys.argv[1:4])
    try:
        asyncio.run(asyncio.wait_for(play(room), timeout=240))
    finally:
        room.end_all()
    print("played")


main()
