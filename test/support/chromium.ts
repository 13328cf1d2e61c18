import { existsSync } from 'node:fs'

// The one without windows first: it takes two thirds of the processor time.
const programs = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']
const places = programs.map((program) => `/usr/bin/${program}`)

/** Path of the system's Chromium, or of the browser that `TEST_CHROMIUM` names; `undefined` without one. */
export const findChromium = (): string | undefined => [process.env['TEST_CHROMIUM'] ?? '', ...places].find(existsSync)

/** Why the tests in a browser do not run; `false` when they do. */
export const withoutBrowser = (): string | false =>
  findChromium() === undefined ? 'no Chromium on this machine' : false
