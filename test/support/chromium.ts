import { existsSync } from 'node:fs'

// The one without windows comes first: it takes two thirds of the processor time.
const programs = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']
const places = programs.map((program) => `/usr/bin/${program}`)

/** Path of the system's Chromium, or of the browser in `TEST_CHROMIUM`; undefined if there is none. */
export const findChromium = (): string | undefined => [process.env['TEST_CHROMIUM'] ?? '', ...places].find(existsSync)

/** Why tests in a browser cannot run; `false` if they can. */
export const withoutBrowser = (): string | false =>
  findChromium() === undefined ? 'no Chromium on this machine' : false
