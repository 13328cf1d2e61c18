import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { join } from 'node:path'
import type { Logger } from 'pino'

/** What is built of sources that may have changed, and by which script. */
const builds = {
  console: ['the console', 'console/build-console.ts'],
  site: ['the documentation', 'site/build-site.ts'],
} as const

const lowerPriority = (pid: number): void => {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW)
  } catch {
    // The build has already ended, or the system does not allow it.
  }
}

/**
 * Builds the console or the documentation in a separate low-priority process, if its sources have changed. The log
 * reports how it ended: a service without them still works. Returns a function that ends the build early. The npm
 * package has none of the sources, but what was built of them.
 */
export const startBuild = (what: keyof typeof builds, log: Logger): (() => void) => {
  const [name, path] = builds[what]
  const script = join(import.meta.dirname, '..', '..', path)
  if (!existsSync(script)) return () => {}
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'pipe'] })
  if (child.pid !== undefined) lowerPriority(child.pid)
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text))
  let isStopped = false
  child.on('error', (error) => log.warn({ err: error }, `${name} could not be built`))
  child.on('close', (code) => {
    if (code === 0) log.info({ build: output.trim() }, `${name} is ready`)
    else if (!isStopped) log.warn({ code, output: output.slice(-4000) }, `${name} could not be built`)
  })
  return () => {
    isStopped = true
    child.kill()
  }
}
