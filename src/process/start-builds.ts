import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Settings } from '../settings/config.ts'

const lowerPriority = (pid: number): void => {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW)
  } catch {
    // The build has already ended, or the system does not allow it.
  }
}

/** Runs a script that builds something in a separate low-priority process; returns a function that ends it early. */
const startBuild = (name: string, path: string, log: Logger): (() => void) => {
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

/**
 * Builds the documentation and the console, if their sources have changed and this process serves them. The log reports
 * how that ended: a service without them still works. Returns a function that ends the builds early. The npm package has
 * none of the sources, but what was built of them.
 */
export const startBuilds = ({ roles, console }: Pick<Settings, 'roles' | 'console'>, log: Logger): (() => void) => {
  if (!roles.includes('web') || console === 'serve') return () => {}
  const stops = [
    startBuild('the documentation', 'site/build-site.ts', log),
    ...(console === 'build' ? [startBuild('the console', 'console/build-console.ts', log)] : []),
  ]
  return () => stops.forEach((stop) => stop())
}
