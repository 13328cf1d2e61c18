import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { join } from 'node:path'
import type { Logger } from 'pino'

const script = join(import.meta.dirname, '..', '..', 'console', 'build-console.ts')

const lowerPriority = (pid: number): void => {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW)
  } catch {
    // The build has already ended, or the system does not allow it.
  }
}

/**
 * Builds the console in a separate low-priority process, if its sources have changed. The log reports how it ended: a
 * service without a console still works. Returns a function that ends the build early. The npm package has no sources
 * of the console, but what was built of them.
 */
export const startConsoleBuild = (log: Logger): (() => void) => {
  if (!existsSync(script)) return () => {}
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'pipe'] })
  if (child.pid !== undefined) lowerPriority(child.pid)
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text))
  let isStopped = false
  child.on('error', (error) => log.warn({ err: error }, 'the console could not be built'))
  child.on('close', (code) => {
    if (code === 0) log.info({ build: output.trim() }, 'the console is ready')
    else if (!isStopped) log.warn({ code, output: output.slice(-4000) }, 'the console could not be built')
  })
  return () => {
    isStopped = true
    child.kill()
  }
}
