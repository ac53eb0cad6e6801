import { isEntry } from "../shared/presentsession.js";
import { playAloud, silence } from "./aloud.js";
import { mediaAddress, playEffect } from "./media.js";

/*
 * The sounds that the flow plays with the effect `play`. A sound ends with its state, or with the session if it is played
 * `until: game`. A page loads this file when a change has such an effect.
 */

/** Whether an effect plays or stops sounds. Another effect `play` is for other programs. */
function isSound({ name, args = {} }) {
    return name === playEffect && (typeof args.sound === "string" || args.stop === true);
}

export class Sounds {
    /** The sounds that play: the audio element of each, and whether it goes on when the state is left. */
    #playing = new Set();

    /** Applies a change: ends sounds, and plays those of the change. */
    apply(change) {
        if (change.kind === "close") return this.stop();
        if (isEntry(change)) this.#stop(({ isForGame }) => !isForGame);
        for (const { args } of (change.effects ?? []).filter(isSound)) {
            if (args.stop === true) this.stop();
            else this.#play(args);
        }
    }

    stop() {
        this.#stop(() => true);
    }

    #stop(isWanted) {
        for (const each of [...this.#playing].filter(isWanted)) {
            silence(each.audio);
            this.#playing.delete(each);
        }
    }

    async #play({ sound, volume = 100, loop = false, until }) {
        const audio = new Audio();
        const playing = { audio, isForGame: until === "game" };
        this.#playing.add(playing);
        audio.addEventListener("ended", () => this.#playing.delete(playing));
        const address = await mediaAddress(sound);
        // The sound may have been stopped meanwhile.
        if (address === null || !this.#playing.has(playing)) return;
        audio.src = address;
        audio.loop = loop;
        audio.volume = Math.min(100, Math.max(0, volume)) / 100;
        playAloud(audio);
    }
}
