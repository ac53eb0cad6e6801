import { pageHeader } from "../shared/credential.js";
import { find } from "../shared/dom.js";

/**
 * The picture and the sound of a state, and the host's theme. The server gives the files only to a page with an identity. A
 * link cannot contain the identity, so the page fetches the files and uses them as blobs.
 */
export class Media {
    #picture = find("#picture");
    #soundButton = find("#sound");
    /** The addresses of the fetched files' contents, by the names of the files. */
    #addresses = new Map();
    /** The file that is shown, or being fetched. */
    #shownFile = "";
    /** The newest visit of a state, whose sound is not started again; null before the first visit. */
    #newestVisit = null;
    #audio = new Audio();

    constructor() {
        this.#soundButton.addEventListener("click", () => this.#play());
    }

    /** Applies the host's style sheet, if there is one. */
    async applyTheme() {
        const response = await request("theme.css");
        if (!response) return;
        const sheet = new CSSStyleSheet();
        sheet.replaceSync(await response.text());
        document.adoptedStyleSheets = [sheet];
    }

    /** Shows the state's picture, and plays its sound once for each visit of the state. */
    show(session, { picture = "", sound = "" }) {
        this.#showPicture(picture);
        const visit = `${session.session} ${session.entry}`;
        if (visit === this.#newestVisit) return;
        const isFirst = this.#newestVisit === null;
        this.#newestVisit = visit;
        this.#audio.pause();
        // A page that is loaded in the middle of a visit does not play its sound.
        if (sound !== "" && !isFirst) this.#startSound(sound);
    }

    async #showPicture(file) {
        if (file === this.#shownFile) return;
        this.#shownFile = file;
        this.#picture.hidden = true;
        const address = file === "" ? null : await this.#address(file);
        if (file !== this.#shownFile || address === null) return;
        this.#picture.src = address;
        this.#picture.hidden = false;
    }

    async #startSound(file) {
        const visit = this.#newestVisit;
        const address = await this.#address(file);
        if (address === null || visit !== this.#newestVisit) return;
        this.#audio.src = address;
        this.#play();
    }

    /** Plays the sound. A browser may refuse this until the user has touched the page; the button is then shown. */
    #play() {
        this.#audio.play().then(
            () => (this.#soundButton.hidden = true),
            (error) => (this.#soundButton.hidden = error.name !== "NotAllowedError"),
        );
    }

    /** The address of a file's content; null if it does not exist. */
    async #address(file) {
        if (!this.#addresses.has(file)) {
            const response = await request(file);
            if (!response) return null;
            this.#addresses.set(file, URL.createObjectURL(await response.blob()));
        }
        return this.#addresses.get(file);
    }
}

/** The response for a file of the host; null if it does not exist or the server cannot be reached. */
async function request(file) {
    const path = file.split("/").map(encodeURIComponent).join("/");
    const response = await fetch(`/media/${path}`, { headers: pageHeader }).catch(() => null);
    return response?.ok ? response : null;
}
