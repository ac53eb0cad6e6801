"""Home Assistant itself, in this process: its core and its MQTT integration, without pages and recorder."""

import asyncio
import json
import logging
import pathlib

from homeassistant import bootstrap, core, loader
from homeassistant.config import async_hass_config_yaml
from homeassistant.core import CoreState
from homeassistant.helpers import device_registry, entity_registry

# Home Assistant sets up its pages and much else by default, which needs more packages.
bootstrap.DEFAULT_INTEGRATIONS = set()


class Warnings(logging.Handler):
    """Keeps what Home Assistant logs with the level warning and above."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.lines = []

    def emit(self, record):
        self.lines.append(f"{record.name}: {record.getMessage()}")


class Assistant:
    """Home Assistant with a configuration in a folder, which it keeps when it is started again."""

    def __init__(self, folder, broker_port, http_port):
        self.folder = pathlib.Path(folder)
        self.hass = None
        self.warnings = Warnings()
        logging.getLogger().addHandler(self.warnings)
        storage = self.folder / ".storage"
        storage.mkdir(parents=True, exist_ok=True)
        (self.folder / "configuration.yaml").write_text(f"http: {{server_host: 127.0.0.1, server_port: {http_port}}}\n")
        # What the user enters in the dialog of the MQTT integration.
        entry = {
            "entry_id": "mqtt", "version": 1, "minor_version": 1, "domain": "mqtt", "title": "MQTT",
            "data": {"broker": "127.0.0.1", "port": broker_port, "discovery": True}, "options": {},
            "pref_disable_new_entities": False, "pref_disable_polling": False, "source": "user", "unique_id": None,
            "disabled_by": None,
        }
        file = {"version": 1, "minor_version": 1, "key": "core.config_entries", "data": {"entries": [entry]}}
        (storage / "core.config_entries").write_text(json.dumps(file))

    async def start(self):
        hass = core.HomeAssistant(str(self.folder))
        hass.config.skip_pip = True
        loader.async_setup(hass)
        config = await async_hass_config_yaml(hass)
        if await bootstrap.async_from_config_dict(config, hass) is None:
            raise AssertionError("Home Assistant does not start")
        await hass.async_start()
        self.hass = hass

    async def stop(self):
        await self.hass.async_stop()
        assert self.hass.state is CoreState.stopped, self.hass.state
        self.hass = None

    def states(self):
        """The states of all entities of MQTT, by their ids."""
        entities = entity_registry.async_get(self.hass).entities
        ids = [each.entity_id for each in entities.values() if each.platform == "mqtt"]
        states = {each: self.hass.states.get(each) for each in ids}
        return {each: state.state for each, state in states.items() if state is not None}

    def attributes(self, entity):
        return self.hass.states.get(entity).attributes

    def devices(self):
        """The devices that gamed has announced, by name."""
        devices = device_registry.async_get(self.hass).devices
        return {each.name: each for each in devices.values() if each.manufacturer == "gamed"}

    async def wait(self, expected, seconds=20):
        """Waits until each of these entities has its expected state: a text, or a function that accepts it."""
        deadline = asyncio.get_running_loop().time() + seconds
        while True:
            states = self.states()
            wrong = {
                each: states.get(each)
                for each, value in expected.items()
                if not (value(states.get(each)) if callable(value) else states.get(each) == value)
            }
            if not wrong:
                return
            if asyncio.get_running_loop().time() > deadline:
                raise AssertionError(f"unexpected states: {wrong}; all: {states}; logged: {self.warnings.lines}")
            await asyncio.sleep(0.05)

    async def call(self, entity, action, **data):
        """Does what a button, switch or field of Home Assistant's page does."""
        domain = entity.partition(".")[0]
        await self.hass.services.async_call(domain, action, {"entity_id": entity, **data}, blocking=True)
